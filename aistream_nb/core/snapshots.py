"""Rows of AG-UI, or of a model's history, into messages with parts.

A row is one message as AG-UI puts it on the wire: an assistant's calls stand beside
its content, a tool's result is a row of its own, and so is reasoning. Here results go
next to their calls and reasoning into the assistant's message that follows. With the
messages known so far, what the wire omits is kept: calls that only a result still
names, outputs, approvals, thinking, times and metadata (stream processor, 12.2 and
section 16, row 15).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.messages import (
    CallState,
    MediaPart,
    Part,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
    part_from_wire,
)
from aistream_nb.core.values import ABSENT, is_array, is_mapping

__all__ = [
    "RowReader",
    "model_to_ui",
    "models_to_ui",
    "normalize_message",
]

_ROLES: Final[Mapping[object, Role]] = {
    "user": "user",
    "system": "system",
    "developer": "system",
}


def model_to_ui(message: Mapping[str, Any], *, message_id: str) -> UIMessage:
    """The message that people see for one model message.

    >>> model_to_ui({"role": "user", "content": "Ahoy"}, message_id="m").text
    'Ahoy'
    """
    call_id = message.get("toolCallId")
    parts: list[Part] = []
    if message.get("role") == "tool" and isinstance(call_id, str) and call_id:
        parts.append(ToolResultPart(tool_call_id=call_id, content=_told(message)))
    else:
        parts.extend(_content_parts(message.get("content")))
    parts.extend(_calls(message))
    return UIMessage(id=message_id, role=_role(message), parts=tuple(parts))


def models_to_ui(
    messages: Iterable[Mapping[str, Any]],
    *,
    id_factory: Callable[[], str],
    faithful: bool = False,
) -> list[UIMessage]:
    """The messages that people see for a model's history.

    A result goes to the assistant's message before it, unless somebody else spoke in
    between. ``faithful`` also gives calls their input, output and final state.
    """
    reader = RowReader(id_factory=id_factory, hydrates=faithful)
    return reader.read(messages)


def normalize_message(
    message: UIMessage | Mapping[str, Any],
    *,
    id_factory: Callable[[], str],
    now: Callable[[], object],
) -> UIMessage:
    """A message with an id and a time, whatever kind it was."""
    if not isinstance(message, UIMessage) and "parts" not in message:
        made = model_to_ui(message, message_id=id_factory())
        return replace(made, created_at=now())
    found = message if isinstance(message, UIMessage) else UIMessage.from_wire(message)
    return replace(
        found,
        id=found.id or id_factory(),
        created_at=now() if found.created_at is None else found.created_at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RowReader:
    """Reads rows, with what is known of the messages so far."""

    id_factory: Callable[[], str]
    known: Sequence[UIMessage] = ()
    hydrates: bool = True
    """Whether a result also sets its call's output."""
    final_states: bool = True
    """Whether a call with a result is ``complete`` or ``error``."""

    def read(self, rows: Iterable[Mapping[str, Any]]) -> list[UIMessage]:
        """The messages that the rows are."""
        rows = list(rows)
        reading = _Reading(self, has_reasoning=any(map(_is_reasoning, rows)))
        for row in rows:
            reading.take(row)
        return reading.finished()


class _Reading:
    """One reading of rows: messages that are open until all rows are read."""

    def __init__(self, reader: RowReader, *, has_reasoning: bool) -> None:
        self._reader = reader
        self._known = {message.id: message for message in reader.known}
        self._known_calls = {
            call.id: call for message in reader.known for call in message.tool_calls
        }
        self._has_reasoning = has_reasoning
        self._messages: list[UIMessage] = []
        self._assistant: int | None = None
        self._homes: dict[str, int] = {}
        """Where the message of each call is."""
        self._thinking: list[Part] = []

    def take(self, row: Mapping[str, Any]) -> None:
        role = row.get("role")
        if role == "reasoning":
            self._thinking.append(ThinkingPart(_text(row.get("content"))))
        elif role == "tool" and isinstance(row.get("toolCallId"), str):
            self._take_result(row)
        elif role != "activity":
            self._take_message(row)

    def finished(self) -> list[UIMessage]:
        if self._thinking:
            self._append(
                UIMessage(
                    id=self._reader.id_factory(),
                    role="assistant",
                    parts=tuple(self._thinking),
                )
            )
        return self._messages

    def _take_message(self, row: Mapping[str, Any]) -> None:
        is_ui = "parts" in row
        self._append(UIMessage.from_wire(row) if is_ui else self._from_row(row))

    def _from_row(self, row: Mapping[str, Any]) -> UIMessage:
        role = _role(row)
        message_id = _text(row.get("id")) or self._reader.id_factory()
        before = self._known.get(message_id)
        parts: list[Part] = []
        if role == "assistant":
            parts.extend(self._thinking_of(row, before))
        parts.extend(_content_parts(row.get("content")))
        parts.extend(map(self._with_what_is_known, _calls(row)))
        metadata = row.get("metadata")
        return UIMessage(
            id=message_id,
            role=role,
            parts=tuple(parts),
            created_at=row.get("createdAt", before.created_at if before else None),
            metadata=metadata
            if is_mapping(metadata)
            else (before.metadata if before else None),
        )

    def _thinking_of(
        self, row: Mapping[str, Any], before: UIMessage | None
    ) -> list[Part]:
        found, self._thinking = self._thinking, []
        own = row.get("thinking")
        if is_array(own):
            found.extend(
                part_from_wire({**item, "type": "thinking"})
                for item in own
                if is_mapping(item)
            )
        if not found and before is not None and not self._has_reasoning:
            found.extend(p for p in before.parts if isinstance(p, ThinkingPart))
        return found

    def _with_what_is_known(self, call: ToolCallPart) -> ToolCallPart:
        if self._reader.hydrates:
            call = replace(call, input=_strictly(call.arguments, otherwise=ABSENT))
        before = self._known_calls.get(call.id)
        if before is None:
            return call
        return replace(
            call,
            state=before.state,
            approval=before.approval,
            output=before.output,
            metadata=call.metadata or before.metadata,
        )

    def _append(self, message: UIMessage) -> None:
        self._messages.append(message)
        for call in message.tool_calls:
            self._homes.setdefault(call.id, len(self._messages) - 1)
        if message.role == "assistant":
            self._assistant = len(self._messages) - 1
        elif not self._reader.known:
            self._assistant = None

    def _take_result(self, row: Mapping[str, Any]) -> None:
        error = row.get("error")
        result = ToolResultPart(
            tool_call_id=row["toolCallId"],
            content=_told(row),
            state="error" if self._reader.hydrates and error else "complete",
            error=error if self._reader.hydrates and isinstance(error, str) else None,
            id=_text(row.get("id")) or None if self._reader.hydrates else None,
        )
        where = self._home(result.tool_call_id)
        if where is None:
            message_id = _text(row.get("id")) or self._reader.id_factory()
            message = UIMessage(id=message_id, role="assistant", parts=(result,))
            self._messages.append(message)
            return
        message = self._messages[where]
        parts = list(message.parts)
        restored = self._known_calls.get(result.tool_call_id)
        if restored is not None and result.tool_call_id not in self._homes:
            parts.append(restored)
            self._homes[restored.id] = where
        parts = [self._answered(part, result) for part in parts]
        self._messages[where] = replace(message, parts=(*parts, result))

    def _home(self, call_id: str) -> int | None:
        """Where a result goes: to its call, else to the assistant before it."""
        if self._reader.hydrates:
            return self._homes.get(call_id, self._assistant)
        return self._assistant

    def _answered(self, part: Part, result: ToolResultPart) -> Part:
        if not isinstance(part, ToolCallPart) or part.id != result.tool_call_id:
            return part
        if not self._reader.hydrates:
            return part
        state: CallState = "input-complete"
        if self._reader.final_states:
            state = "error" if result.state == "error" else "complete"
        text = str(result.content)
        return replace(part, state=state, output=_strictly(text, otherwise=text))


def _is_reasoning(row: Mapping[str, Any]) -> bool:
    return row.get("role") == "reasoning"


def _role(row: Mapping[str, Any]) -> Role:
    role = row.get("role")
    return _ROLES.get(role if isinstance(role, str) else None, "assistant")


def _told(row: Mapping[str, Any]) -> str:
    """A tool row's content as text."""
    content = row.get("content")
    if isinstance(content, str):
        return content
    parts = _content_parts(content)
    return "".join(part.content for part in parts if isinstance(part, TextPart))


def _content_parts(content: object) -> list[Part]:
    if isinstance(content, str):
        return [TextPart(content)] if content else []
    if not is_array(content):
        return []
    return [
        part
        for part in map(_content_part, content)
        if isinstance(part, (TextPart, MediaPart))
    ]


def _content_part(item: object) -> Part:
    """AG-UI's text parts say ``text`` where ours say ``content``."""
    if is_mapping(item) and item.get("type") == "text" and "content" not in item:
        return part_from_wire({**item, "content": item.get("text")})
    return part_from_wire(item)


def _calls(row: Mapping[str, Any]) -> list[ToolCallPart]:
    calls = row.get("toolCalls")
    return (
        [_call(item) for item in calls if is_mapping(item)] if is_array(calls) else []
    )


def _call(item: Mapping[str, Any]) -> ToolCallPart:
    function = item.get("function")
    fields: Mapping[str, Any] = function if is_mapping(function) else {}
    metadata = item.get("metadata")
    return ToolCallPart(
        id=_text(item.get("id")),
        name=_text(fields.get("name")),
        arguments=_text(fields.get("arguments")),
        state="input-complete",
        metadata=metadata if is_mapping(metadata) else None,
    )


def _strictly(text: str, *, otherwise: object) -> object:
    try:
        return parse_json(text)
    except ValueError:
        return otherwise


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
