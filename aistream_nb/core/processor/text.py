"""The rules of text events: which message a delta goes to, and when it is shown.

Rules that a change must keep (stream processor, sections 5 and 15). A delta costs one
append. Content makes its message; a start alone makes none. The strategy is asked
for every delta, also for an empty one.
"""

from __future__ import annotations

from aistream_nb.core.messages import role_of
from aistream_nb.core.processor.drafts import GrowingText
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.segments import Segments
from aistream_nb.core.processor.stream import Stream
from aistream_nb.core.processor.structured import StructuredRules
from aistream_nb.core.values import Event

__all__ = ["TextRules"]


class TextRules:
    """What TEXT_MESSAGE events do."""

    def __init__(
        self, stream: Stream, segments: Segments, structured: StructuredRules
    ) -> None:
        self._stream = stream
        self._segments = segments
        self._structured = structured

    def start(self, event: Event) -> None:
        """TEXT_MESSAGE_START: the next text begins a part of its own."""
        message = self._stream.current
        if self._stream.options.message_per_id:
            message = self._started(event) or message
        if message is not None:
            self._segments.make_room(message)

    def _started(self, event: Event) -> MessageDraft | None:
        """The message that the event names, if it is there already."""
        stream = self._stream
        name = stream.reader.id(event, "messageId")
        if name is None:
            return None
        known = stream.transcript.find(name)
        if known is not None:
            stream.current = known
            stream.promised = None
            return known
        role = role_of(event.get("role"))
        if role != "assistant" or not stream.name_current(name):
            stream.announce(name, role)
        return None

    def content(self, event: Event) -> None:
        """TEXT_MESSAGE_CONTENT: more text."""
        stream = self._stream
        delta = stream.reader.text(event, "delta")
        message = stream.current
        per_id = stream.options.message_per_id
        if message is None or (per_id and event.get("messageId") != message.id):
            message = self._named(event)
        if message is not None:  # else a callback took it away while it was made
            self._append(message, delta)

    def _named(self, event: Event) -> MessageDraft | None:
        """The message that content goes to."""
        stream = self._stream
        name = event.get("messageId")
        if not stream.options.message_per_id or not isinstance(name, str):
            return stream.ensure_message()
        known = stream.transcript.find(name)
        if known is not None:
            stream.current = stream.current or known
            return known
        current = stream.current
        if name not in stream.announced and current and current.is_provisional:
            return current
        return stream.open_message(name)

    def _append(self, message: MessageDraft, delta: str) -> None:
        self._stream.is_new_round = False
        self._stream.fill(message)
        if message.structured is not None:
            self._structured.append(message, message.structured, delta)
            return
        if delta:
            message.held.append(delta)
        if self._is_due(message, delta):
            self._segments.flush(message)

    def _is_due(self, message: MessageDraft, delta: str) -> bool:
        """Whether the strategy wants the text shown now; it is asked every time."""
        if self._stream.is_immediate:
            return True
        if message.segment is None:
            message.segment = GrowingText()
        message.segment.pending.append(delta)
        strategy = self._stream.options.strategy
        return bool(strategy.should_emit(delta, message.segment.read()))
