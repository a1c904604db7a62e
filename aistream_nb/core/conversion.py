"""Messages for people into messages for models, and back.

The default is the reference's conversion (stream processor, section 12), with one
correction: what a tool gave wins over what was said of its approval, and no model
hears a result twice (RD-14). ``faithful`` keeps what the reference drops: ids, times,
metadata, thinking, calls that wait for approval, errors, and structured answers.

Model messages are plain mappings, because every provider has its own idea of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from aistream_nb.core.json_text import encode_json, encode_somehow
from aistream_nb.core.messages import (
    MediaPart,
    Part,
    StructuredOutputPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
)
from aistream_nb.core.parts import without_none

__all__ = ["convert_messages", "ui_to_model"]

ModelMessage = dict[str, Any]

_SENT_STATES: Final = ("input-complete", "approval-responded", "complete", "error")
_APPROVED: Final = encode_json(
    {
        "approved": True,
        "pendingExecution": True,
        "message": "User approved this action",
    }
)
_DENIED: Final = encode_json({"approved": False, "message": "User denied this action"})


def convert_messages(
    messages: Iterable[UIMessage | Mapping[str, Any]], *, faithful: bool = False
) -> list[ModelMessage]:
    """What a model is told of a mixed list: UI messages converted, others as they are.

    >>> hello = UIMessage(id="u", role="user", parts=(TextPart("Ahoy"),))
    >>> convert_messages([hello])
    [{'role': 'user', 'content': 'Ahoy'}]
    """
    converted: list[ModelMessage] = []
    answered: set[str] = set()
    thinking: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, UIMessage) or "parts" in message:
            found = _as_ui(message)
            answered.update(_answered(found))
            converted.extend(ui_to_model(found, faithful=faithful))
        elif message.get("toolCallId") not in answered or message.get("role") != "tool":
            row = _row(message, thinking) if faithful else dict(message)
            converted.extend(() if row is None else (row,))
    return converted


def _as_ui(message: UIMessage | Mapping[str, Any]) -> UIMessage:
    return message if isinstance(message, UIMessage) else UIMessage.from_wire(message)


def _answered(message: UIMessage) -> set[str]:
    return {p.tool_call_id for p in message.parts if isinstance(p, ToolResultPart)}


def _row(
    message: Mapping[str, Any], thinking: list[dict[str, Any]]
) -> ModelMessage | None:
    """An AG-UI row as a model message; reasoning waits for its assistant."""
    role = message.get("role")
    if role == "reasoning":
        thinking.append({"content": message.get("content")})
        return None
    if role == "activity":
        return None
    row = dict(message)
    if role == "developer":
        row["role"] = "system"
    elif role == "assistant" and thinking:
        row["thinking"] = [*thinking]
        thinking.clear()
    return row


def ui_to_model(message: UIMessage, *, faithful: bool = False) -> list[ModelMessage]:
    """What a model is told of one message: none, one or several messages."""
    if message.role == "system":
        return []
    head = _identity(message) if faithful else {}
    if message.role == "user":
        content = _collapsed([p for p in message.parts if _is_content(p)])
        return [{**head, "role": "user", "content": content}]
    return _AssistantWalk(head, faithful=faithful).convert(message)


def _identity(message: UIMessage) -> dict[str, Any]:
    return without_none(
        id=message.id or None,
        createdAt=message.created_at,
        metadata=message.metadata,
    )


class _AssistantWalk:
    """Walks the parts of an assistant's message and cuts it at each result."""

    def __init__(self, head: Mapping[str, Any], *, faithful: bool) -> None:
        self._head = head
        self._faithful = faithful
        self._content: list[Part] = []
        self._calls: list[dict[str, Any]] = []
        self._thinking: list[dict[str, Any]] = []
        self._structured: dict[str, Any] | None = None
        self._answered: set[str] = set()
        self._out: list[ModelMessage] = []

    def convert(self, message: UIMessage) -> list[ModelMessage]:
        for part in message.parts:
            self._take(part)
        self._flush()
        for call in message.tool_calls:
            self._answer(call)
        if not self._out:
            self._out.append({**self._head, "role": "assistant", "content": None})
        return self._out

    def _take(self, part: Part) -> None:
        if _is_content(part):
            self._content.append(part)
        elif isinstance(part, ToolCallPart):
            self._take_call(part)
        elif isinstance(part, ToolResultPart):
            self._take_result(part)
        elif self._faithful and isinstance(part, ThinkingPart):
            self._thinking.append(
                without_none(content=part.content, signature=part.signature)
            )
        elif self._faithful and isinstance(part, StructuredOutputPart):
            self._take_structured(part)

    def _take_call(self, part: ToolCallPart) -> None:
        is_waiting = self._faithful and part.state == "approval-requested"
        if not (part.state in _SENT_STATES or part.has_output or is_waiting):
            return
        function = {"name": part.name, "arguments": part.arguments}
        call: dict[str, Any] = {"id": part.id, "type": "function", "function": function}
        if self._faithful and part.metadata is not None:
            call["metadata"] = part.metadata
        self._calls.append(call)

    def _take_structured(self, part: StructuredOutputPart) -> None:
        if part.status == "complete":
            self._content.append(TextPart(part.raw))
            self._structured = part.to_wire()

    def _take_result(self, part: ToolResultPart) -> None:
        self._flush()
        if part.state == "streaming" or part.tool_call_id in self._answered:
            return
        self._emit_answer(
            part.tool_call_id,
            part.content,
            **(without_none(id=part.id, error=part.error) if self._faithful else {}),
        )

    def _flush(self) -> None:
        """Emit what was gathered, if it says anything."""
        if not (self._content or self._calls or self._thinking):
            return
        self._out.append(
            {
                **self._head,
                "role": "assistant",
                "content": _collapsed(self._content),
                **without_none(
                    toolCalls=self._calls or None,
                    thinking=self._thinking or None,
                    structuredOutput=self._structured,
                ),
            }
        )
        self._content, self._calls, self._thinking = [], [], []
        self._structured = None

    def _answer(self, call: ToolCallPart) -> None:
        """Tell what a call gave that no result part tells."""
        if call.id in self._answered:
            return
        if call.has_output:
            self._emit_answer(call.id, encode_somehow(call.output))
        elif call.state == "approval-responded" and call.approval is not None:
            approved = call.approval.approved
            if approved is not None:
                self._emit_answer(call.id, _APPROVED if approved else _DENIED)

    def _emit_answer(self, call_id: str, content: object, **more: object) -> None:
        self._answered.add(call_id)
        answer = {"role": "tool", "content": content, "toolCallId": call_id}
        self._out.append({**answer, **more})


def _is_content(part: Part) -> bool:
    return isinstance(part, (TextPart, MediaPart))


def _collapsed(parts: list[Part]) -> Any:
    """Text alone as a string, nothing as null, anything else as a list of parts."""
    if not parts:
        return None
    texts = [part.content for part in parts if isinstance(part, TextPart)]
    if len(texts) == len(parts):
        return "".join(texts) or None
    return [part.to_wire() for part in parts]
