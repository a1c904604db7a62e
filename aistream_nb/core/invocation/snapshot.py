"""The conversation of our own processor, as the tracker's snapshots want it.

A snapshot is made anew each time, and a message that did not change *is the same
object* in it; that is what makes the tracker's walk cost its growth. Only calls are
shown: the tracker looks at nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aistream_nb.core.messages import ToolCallPart, ToolResultPart, UIMessage
from aistream_nb.core.values import ABSENT, present

__all__ = ["SnapshotMaker"]


class SnapshotMaker:
    """Makes snapshots of one conversation.

    Args:
        with_approvals: Whether a part's approval is shown. To the tracker it says that
            the *provider* gates the call, which then never runs here (A.8). A host
            that shows its own questions through the same parts turns it off.

    >>> call = ToolCallPart(id="c1", name="add", arguments="{}")
    >>> message = UIMessage(id="m", role="assistant", parts=(call,))
    >>> snapshot = SnapshotMaker().make([message], is_running=True)
    >>> snapshot["messages"][0]["content"]
    [{'type': 'tool-call', 'toolCallId': 'c1', 'toolName': 'add', 'argsText': '{}'}]
    """

    def __init__(self, *, with_approvals: bool = True) -> None:
        self._with_approvals: bool = with_approvals
        self._sources: tuple[UIMessage, ...] = ()
        self._made: list[dict[str, Any]] = []

    def make(
        self,
        messages: Sequence[UIMessage],
        *,
        is_running: bool,
        is_loading: bool = False,
    ) -> dict[str, Any]:
        """The snapshot of ``messages``; it is not to be changed."""
        sources, made = tuple(messages), self._made
        # Mostly the last message grew: then the others are passed at the speed of C.
        start = min(len(sources), len(made)) - 1
        if start < 1 or sources[:start] != self._sources[:start]:
            start = 0
        shown = made[:start]
        for index in range(start, len(sources)):
            known = index < len(made) and self._sources[index] is sources[index]
            shown.append(made[index] if known else self._show(sources[index]))
        self._sources, self._made = sources, shown
        return {
            "messages": shown,
            "isRunning": is_running,
            "isLoading": is_loading,
        }

    def _show(self, message: UIMessage) -> dict[str, Any]:
        results = {
            part.tool_call_id: part
            for part in message.parts
            if isinstance(part, ToolResultPart)
        }
        return {
            "id": message.id,
            "role": message.role,
            "content": [
                self._call(part, results.get(part.id)) for part in message.tool_calls
            ],
        }

    def _call(
        self, part: ToolCallPart, result: ToolResultPart | None
    ) -> dict[str, Any]:
        approval: Any = ABSENT
        if self._with_approvals and part.approval is not None:
            approval = part.approval.to_wire()
        return present(
            type="tool-call",
            toolCallId=part.id,
            toolName=part.name,
            argsText=part.arguments,
            approval=approval,
            **_answer(part, result),
        )


def _answer(part: ToolCallPart, result: ToolResultPart | None) -> dict[str, Any]:
    """The result, if there is one: the tool's value, else what the model is told."""
    if result is None:
        failed = True if part.state == "error" else ABSENT
        return {} if part.output is ABSENT else _result(part.output, failed)
    value = result.content if part.output is ABSENT else part.output
    interim = True if result.state == "streaming" else ABSENT
    failed = True if result.state == "error" else ABSENT
    return {**_result(value, failed), "isPreliminary": interim}


def _result(value: object, failed: object) -> dict[str, Any]:
    return {"result": value, "isError": failed}
