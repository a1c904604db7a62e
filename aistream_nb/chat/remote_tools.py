"""The client tools of a remote agent: each call runs once, behind the gate.

Rules that a change here must keep:

1. A call runs when the server has finished its run and left it open; never while it
   streams, and never when the run failed.
2. Once for each id in the thread. If the server asks again, it gets the same result.
3. What comes after a stop goes nowhere.
4. A saved conversation is history for the tracker; see :meth:`RemoteTools.recall`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.agui.questions import OpenCall, read_arguments
from aistream_nb.chat.run_log import SavedCall
from aistream_nb.core.invocation.snapshot import SnapshotChain
from aistream_nb.core.long_results import RESULT_LIMIT, result_words
from aistream_nb.core.tool_spec import ClientTool, Decision, Gate, GateRequest
from aistream_nb.core.values import ABSENT
from aistream_nb.gate import ApprovalGate
from aistream_nb.tracker import Diagnostic, ToolInvocationTracker

__all__ = ["RemoteTools", "ToolAnswer"]

_NOT_JSON: Final = (
    "The tool did not run: its arguments are not a JSON object. Call it again with "
    "valid arguments."
)
_TURNS: Final = 8
"""Turns of the loop after which a call that has not begun never will."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call came to, in the words for the model."""

    content: str
    error: str | None = None


class RemoteTools:
    """Runs the calls of one thread.

    Args:
        max_result_chars: The longest text of a result; a longer one is cut.
    """

    def __init__(self, *, max_result_chars: int | None = RESULT_LIMIT) -> None:
        self._longest = max_result_chars
        self._tools: Mapping[str, ClientTool] = {}
        self._gate: Gate = ApprovalGate()
        self._answers: dict[str, ToolAnswer] = {}
        self._news = asyncio.Event()
        self._chain = SnapshotChain()
        self._messages: list[Mapping[str, Any]] = []
        """The calls of each run; those of past runs never change."""
        self._past = 0
        self._tracker = ToolInvocationTracker(
            lambda: self._tools,
            on_result=self._take,
            on_statuses_change=lambda _statuses: self.on_change(),
            execute_when="run_settled",
            on_divergence="execute_latest",
            gate=self._ask,
            on_diagnostic=self._note,
        )
        self.on_change: Callable[[], None] = _nobody_looks
        """Called when a call begins to run, or ends."""
        self.diagnostics: tuple[Diagnostic, ...] = ()
        """What went wrong around the tools, not in them."""
        # The first snapshot is taken for history: here there is none.
        self._tracker.set_state(self._chain.link(self._messages, (), is_running=False))

    @property
    def tracker(self) -> ToolInvocationTracker:
        """The tracker; its ledger says what was decided about every call."""
        return self._tracker

    def recall(self, calls: Iterable[SavedCall]) -> None:
        """Take the calls of a saved conversation as history: none of them runs.

        One that was answered stays so, also if the server asks for it again; one that
        was not is answered with what is known of it.
        """
        known = list(calls)
        for call in known:
            text = call.why_open if call.content is None else call.content
            failed = call.content is None or call.is_error
            self._answers[call.id] = ToolAnswer(text, text if failed else None)
        self._messages[:] = [_message_of_parts(map(_saved_part, known))]
        self._past = 1
        self._tracker.set_state(
            self._chain.link(self._messages, (0,), is_running=False, is_loading=True)
        )

    def offer(self, tools: Iterable[ClientTool], gate: Gate) -> None:
        """Say which tools there are now, and who is asked."""
        self._tools = {tool.spec.name: tool for tool in tools}
        self._gate = gate

    def owns(self, call: OpenCall) -> bool:
        """Whether the call is one of ours."""
        return call.name in self._tools

    def watch(self, calls: Sequence[OpenCall]) -> None:
        """See the calls of a run that still streams."""
        self._show(calls, running=True)

    async def run(self, calls: Sequence[OpenCall]) -> dict[str, ToolAnswer]:
        """What the calls come to; those that ran before are not run again."""
        for call in calls:
            if read_arguments(call.arguments) is None:
                self._answers.setdefault(call.id, ToolAnswer(_NOT_JSON, _NOT_JSON))
        due = [call for call in calls if call.id not in self._answers]
        self._show(due, running=False)
        await self._wait_for(due)
        self._past = len(self._messages)
        return {call.id: self._answers[call.id] for call in calls}

    async def stop(self) -> None:
        """End what runs; what is known and has not begun never will."""
        await self._tracker.abort(discard_pending=True)

    async def aclose(self) -> None:
        """End everything."""
        await self._tracker.aclose()

    # ------------------------------------------------------------ waiting

    def _show(self, calls: Sequence[OpenCall], *, running: bool) -> None:
        ours = [call for call in calls if self.owns(call)]
        self._messages[self._past :] = [_message(ours, whole=not running)]
        self._tracker.set_state(
            self._chain.link(self._messages, (self._past,), is_running=running)
        )

    async def _wait_for(self, calls: Sequence[OpenCall]) -> None:
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        for call in calls:
            if call.id not in self._answers and not self._is_due(call):
                self._answers[call.id] = _not_run(self._why_not(call))
        while any(call.id not in self._answers for call in calls):
            self._news.clear()
            await self._news.wait()

    def _is_due(self, call: OpenCall) -> bool:
        return call.id in self._tracker.statuses

    def _why_not(self, call: OpenCall) -> str:
        return self._tracker.ledger.of(call.id)[-1].why_not_run

    def _take(self, command: Mapping[str, Any]) -> None:
        content = command.get("modelContent", ABSENT)
        answer = self._told(command["result"] if content is ABSENT else content)
        if command.get("isError"):
            answer = ToolAnswer(answer.content, answer.content)
        self._answers.setdefault(command["toolCallId"], answer)
        self._news.set()

    def _told(self, value: object) -> ToolAnswer:
        try:
            return ToolAnswer(result_words(value, longest=self._longest))
        except Exception as error:  # noqa: BLE001 - the tool's own object may raise anything
            said = (
                f"The tool ran, and its result cannot be told: {type(error).__name__}"
            )
            return ToolAnswer(said, said)

    async def _ask(self, request: GateRequest) -> Decision:
        return await self._gate(request)

    def _note(self, diagnostic: Diagnostic) -> None:
        self.diagnostics = (*self.diagnostics, diagnostic)


def _nobody_looks() -> None:
    """Nothing shows the calls of this thread."""


def _not_run(why: str) -> ToolAnswer:
    text = f"The tool did not run: {why}."
    return ToolAnswer(text, text)


def _message(calls: Sequence[OpenCall], *, whole: bool = True) -> Mapping[str, Any]:
    return _message_of_parts(
        _part(call.id, call.name, call.arguments or ("{}" if whole else ""))
        for call in calls
    )


def _saved_part(call: SavedCall) -> dict[str, Any]:
    part = _part(call.id, call.name, call.arguments or "{}")
    if call.content is None:
        return part
    return {**part, "result": call.content, "isError": call.is_error}


def _part(call_id: str, name: str, text: str) -> dict[str, Any]:
    named = {"toolCallId": call_id, "toolName": name}
    return {"type": "tool-call", **named, "argsText": text}


def _message_of_parts(parts: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    return {"role": "assistant", "content": list(parts)}
