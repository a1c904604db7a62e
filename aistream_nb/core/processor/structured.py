"""The rules of structured output: an answer that is one JSON value.

``structured-output.start`` turns the text of a message into one part that grows;
``structured-output.complete`` brings the value itself, with or without text before
it. What is left open by a failed run, or by the end, becomes an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from aistream_nb.core.json_text import UnencodableError, encode_json
from aistream_nb.core.processor.callbacks import StructuredChange
from aistream_nb.core.processor.drafts import GrowingText, StructuredDraft
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.segments import Segments
from aistream_nb.core.processor.stream import Stream
from aistream_nb.core.values import ABSENT

__all__ = ["StructuredRules"]

_UNFINISHED: Final = "Stream ended without structured-output.complete"


class StructuredRules:
    """What structured output does to a message."""

    def __init__(self, stream: Stream, segments: Segments) -> None:
        self._stream = stream
        self._segments = segments

    def start(self, value: Mapping[str, Any]) -> None:
        """The text of a message is from now on one JSON value."""
        if not isinstance(value.get("messageId"), str):
            return
        message = self._message(value)
        if message is None or message.structured is not None:
            return
        self._begin(message)
        self._tell(message, "start")

    def append(self, message: MessageDraft, draft: StructuredDraft, delta: str) -> None:
        """More of the JSON text."""
        if not delta:
            return
        draft.raw.pending.append(delta)
        draft.preview.receive(delta)
        self._changed(message, draft)
        self._tell(message, "update", delta=delta)

    def complete(self, value: Mapping[str, Any]) -> None:
        """The value is here."""
        message = self._message(value)
        if message is None:
            return
        draft = message.structured or self._begin(message)
        draft.status = "complete"
        draft.data = value.get("object", ABSENT)
        reasoning = value.get("reasoning")
        draft.reasoning = reasoning if isinstance(reasoning, str) else None
        raw = value.get("raw")
        if isinstance(raw, str):
            draft.raw = GrowingText(raw)
        elif draft.raw.is_empty:
            draft.raw = GrowingText(_encoded(draft.data))
        self._changed(message, draft)
        self._tell(message, "complete")
        message.structured = None

    def fail(self, reason: str = _UNFINISHED) -> None:
        """Whatever is still open will not be finished."""
        for message in tuple(self._stream.opened):
            draft = message.structured
            if draft is None:
                continue
            draft.status = "error"
            draft.error_message = reason
            self._changed(message, draft)
            self._tell(message, "error")
            message.structured = None

    def _message(self, value: Mapping[str, Any]) -> MessageDraft | None:
        stream = self._stream
        name = value.get("messageId")
        if not stream.options.message_per_id or not isinstance(name, str):
            return stream.ensure_assistant()
        known = stream.transcript.find(name)
        if known is None and stream.name_current(name):
            known = stream.current
        return known or stream.open_message(name)

    def _begin(self, message: MessageDraft) -> StructuredDraft:
        self._segments.make_room(message)
        draft = message.structured = StructuredDraft()
        self._stream.fill(message).append(draft.raw)
        message.add(draft)
        self._stream.transcript.touch(message)
        return draft

    def _changed(self, message: MessageDraft, draft: StructuredDraft) -> None:
        draft.frozen = None
        self._stream.transcript.touch(message)

    def _tell(
        self,
        message: MessageDraft,
        phase: Literal["start", "update", "complete", "error"],
        *,
        delta: str | None = None,
    ) -> None:
        self._stream.tell_change(message)
        tell = self._stream.callbacks.on_structured_output_change
        if tell is not None and message.structured is not None:
            part = message.structured.freeze()
            tell(
                StructuredChange(
                    phase=phase, message_id=message.id, part=part, delta=delta
                )
            )


def _encoded(value: object) -> str:
    try:
        return "" if value is ABSENT else encode_json(value)
    except UnencodableError:
        return ""
