"""Who is asked, and what a server is told: the gate's side of a remote agent.

One gate decides both about our own tools, which run here, and about what a server
asks: its approvals and interrupts become questions like any other. Rules that a
change here must keep:

1. What can be asked about can be seen: an interrupt that belongs to no call is shown
   as one of its own.
2. What nobody understands is shown, and cancelled.
3. A *no* of a person is an answer; where nobody was there to answer, the question is
   cancelled.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Final

from aistream_nb.agui.agent import AGUIAgent
from aistream_nb.agui.questions import Answer, Question, answer_to, refuse_edit
from aistream_nb.chat.agent import Task
from aistream_nb.chat.narration import NarratedGate
from aistream_nb.chat.remote_narration import RemoteNarration
from aistream_nb.core.json_text import encode_json
from aistream_nb.core.ordering.input import instant
from aistream_nb.core.tool_spec import Decision, GateRequest, ToolSpec
from aistream_nb.core.values import Event, is_mapping

__all__ = ["RemoteDesk"]

_WALKED_AWAY: Final = frozenset({"nobody", "timed-out", "aborted", "failed"})
"""Outcomes of a question that nobody answered."""


class RemoteDesk:
    """Puts the questions of one task."""

    def __init__(
        self, agent: AGUIAgent, task: Task, narration: RemoteNarration
    ) -> None:
        self._agent = agent
        self._narration = narration
        self._outcomes: dict[str, str] = {}
        self._servers: set[str] = set()
        self.gate: NarratedGate = NarratedGate(
            task.gate,
            emit=self._tell,
            name_call=str,  # every question here names its call
            chat=task.thread_id,
            audience=task.audience,
        )

    def close(self) -> None:
        """Stop listening to the gate."""
        self.gate.close()

    async def ask(self, questions: Iterable[Question]) -> list[Answer]:
        """The answers, one for each question."""
        return [await self._ask(question) for question in questions]

    async def _ask(self, question: Question) -> Answer:
        shown = question.id if question.call is None else question.call.id
        self._servers.add(shown)
        if question.call is None:
            self._show(question)
        if self._has_expired(question):
            return self._cancel(question, shown, why="it has expired")
        if not question.is_known:
            return await self._hand_over(question, shown)
        request = GateRequest(
            tool=ToolSpec(name=question.name, description=question.message),
            arguments=question.arguments,
            tool_call_id=shown,
        )
        decision: Decision = await self.gate(request)
        refusal = refuse_edit(question, decision)
        if refusal is not None:
            self._say_no(shown, refusal.reason)
            decision = refusal
        answered = self._outcomes.get(shown) not in _WALKED_AWAY
        return answer_to(question, decision, answered=answered)

    async def _hand_over(self, question: Question, shown: str) -> Answer:
        """Let the host's own function answer what is not understood here."""
        ask = self._agent.on_interrupt
        if ask is None:
            why = f"nobody here can answer {question.reason!r}; give on_interrupt"
            return self._cancel(question, shown, why=why)
        payload = ask(question.wire)
        if inspect.isawaitable(payload):
            payload = await payload
        if payload is None:
            return self._cancel(question, shown, why="on_interrupt gave no answer")
        value = {"toolCallId": shown, "decision": "proceed", "by": "on_interrupt"}
        self._custom("aistream:decision", value)
        return Answer(question=question, resolved=True, payload=payload)

    def _cancel(self, question: Question, shown: str, *, why: str) -> Answer:
        self._say_no(shown, why)
        return Answer(question=question, resolved=False)

    def _has_expired(self, question: Question) -> bool:
        end = instant(question.expires_at)
        return end is not None and self._agent.clock() > end

    # ------------------------------------------------------------ telling

    def _show(self, question: Question) -> None:
        """Show what belongs to no call as a call, so that it has a card."""
        made = {"metadata": {"aistream": {"made": "by-the-client"}}}
        call = {"toolCallId": question.id, **made}
        text = encode_json({**_words(question), **question.arguments})
        start = {"type": "TOOL_CALL_START", "toolCallName": question.name}
        self._narration.tell({**start, **call})
        self._narration.tell({"type": "TOOL_CALL_ARGS", "delta": text, **call})
        self._narration.tell({"type": "TOOL_CALL_END", **call})

    def _say_no(self, shown: str, why: str) -> None:
        value = {"toolCallId": shown, "decision": "deny", "by": "policy", "reason": why}
        self._custom("aistream:decision", value)

    def _custom(self, name: str, value: Mapping[str, Any]) -> None:
        self._narration.tell({"type": "CUSTOM", "name": name, "value": value})

    def _tell(self, event: Event) -> None:
        value = event.get("value")
        call_id = value.get("toolCallId") if is_mapping(value) else None
        if event.get("name") == "aistream:executing" and call_id in self._servers:
            return  # it runs over there, and not yet
        if event.get("name") == "aistream:decision" and is_mapping(value):
            self._outcomes[str(call_id)] = str(value.get("outcome"))
        self._narration.tell(event)


def _words(question: Question) -> dict[str, str]:
    return {"message": question.message} if question.message else {}
