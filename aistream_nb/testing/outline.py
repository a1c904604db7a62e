"""A conversation as plain values, to be compared in a test.

Lists, dicts and words only, without ids and times, so that ``==``, a snapshot in the
test's source and a difference by eye all work.
"""

from __future__ import annotations

from typing import Any

from aistream_nb.conversation import Conversation, MessageModel, ToolCallModel
from aistream_nb.core.messages import TextPart, ToolCallPart

__all__ = ["outline"]


def outline(conversation: Conversation) -> list[dict[str, Any]]:
    """What was said, asked, decided and done, in order.

    >>> conversation = Conversation()
    >>> conversation.receive_all(
    ...     [
    ...         {
    ...             "type": "TOOL_CALL_START",
    ...             "toolCallId": "c",
    ...             "toolCallName": "add",
    ...         },
    ...         {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"n": 1}'},
    ...         {"type": "TOOL_CALL_END", "toolCallId": "c"},
    ...         {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "2"},
    ...     ]
    ... )
    >>> outline(conversation)
    [{'call': 'add', 'arguments': {'n': 1}, 'status': 'complete', 'result': '2'}]
    """
    rows = [row for m in conversation.messages for row in _rows(m, conversation)]
    if conversation.status in {"error", "aborted"}:
        rows.append({"ended": conversation.status, "why": conversation.error})
    return rows


def _rows(message: MessageModel, conversation: Conversation) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            rows.append({str(message.role): part.content})
        elif isinstance(part, ToolCallPart):
            call = conversation.tool_call(part.id)
            rows.append({} if call is None else call_row(call))
    return [row for row in rows if row]


def call_row(call: ToolCallModel) -> dict[str, Any]:
    """One call, with what was decided about it."""
    row = {"call": call.name, "arguments": call.args, "status": call.status}
    if call.edited_arguments is not None:
        row["edited"] = dict(call.edited_arguments)
    if call.status == "denied":
        row |= {"by": call.decided_by, "reason": call.reason}
    elif call.status == "error":
        row["error"] = call.error
    elif call.result is not None:
        row["result"] = call.result
    return row
