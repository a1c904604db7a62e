"""Segments: the text between two starts, or between two parts of another kind.

Rules that a change must keep (stream processor, sections 3.2 and 15). No text is
lost, repeated or moved. The first showing of a segment appends a part (RD-1). What a
strategy holds back is shown before any other part is appended, and that other part
ends the segment (RD-2, RD-3).
"""

from __future__ import annotations

from aistream_nb.core.messages import TextPart
from aistream_nb.core.processor_drafts import Draft, TextDraft
from aistream_nb.core.processor_message import MessageDraft
from aistream_nb.core.processor_stream import Stream

__all__ = ["Segments"]


class Segments:
    """Shows text, and makes room for what is not text."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def flush(self, message: MessageDraft) -> None:
        """Show what is held back."""
        if not message.held:
            return
        part = message.text_part
        if part is None:
            part = message.text_part = self._begun(message)
        part.pending.extend(message.held)
        message.held.clear()
        part.frozen = None
        stream = self._stream
        stream.transcript.touch(message)
        stream.tell_change(message)
        if stream.callbacks.on_text_update is not None:
            stream.callbacks.on_text_update(message.id, part.read())

    def make_room(self, message: MessageDraft) -> None:
        """Before another kind of part: show what is held, and end the segment."""
        self.flush(message)
        message.end_segment()

    @staticmethod
    def last_text(message: MessageDraft) -> str:
        """The text of the last part; none if it is no text."""
        last = message.parts[-1] if message.parts else None
        part = last.freeze() if isinstance(last, Draft) else last
        return part.content if isinstance(part, TextPart) else ""

    def _begun(self, message: MessageDraft) -> TextDraft:
        """The part for a segment's first showing, put in its place."""
        last = message.parts[-1] if message.parts else None
        is_text = isinstance(last, (TextPart, TextDraft))
        if message.displaced is not None:
            part = message.displaced
            message.displaced = None
            if is_text:
                message.parts[-1] = part
                return part
        elif message.resumes and is_text and self._stream.options.message_per_id:
            part = TextDraft(self.last_text(message))
            self._stream.fill(message).append(part)
            message.parts[-1] = part
            message.resumes = False
            return part
        else:
            part = TextDraft()
            self._stream.fill(message).append(part)
        message.add(part)
        return part
