"""Segments: the text between two starts, or between two parts of another kind.

Rules that a change must keep (stream processor, sections 3.2 and 15). No text is
lost, repeated or moved. The first showing of a segment appends a part (RD-1). What a
strategy holds back is shown before any other part is appended, and that other part
ends the segment (RD-2, RD-3).
"""

from __future__ import annotations

from aistream_nb.core.messages import Part, TextPart
from aistream_nb.core.processor.drafts import Draft, TextDraft
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.stream import Stream

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

    def _begun(self, message: MessageDraft) -> TextDraft:
        """The part for a segment's first showing, put in its place.

        It takes the place of the last text where the host replaced the message in
        the middle of the segment, and goes on with it in a message that was reloaded.
        """
        last = _text_of(message.parts[-1]) if message.parts else None
        goes_on = message.resumes and self._stream.options.message_per_id
        is_in_place = last is not None and (goes_on or message.displaced is not None)
        part = message.displaced
        if part is None:
            part = TextDraft(last if goes_on and last is not None else "")
            self._stream.fill(message).append(part)
        message.displaced = None
        message.resumes = False
        if is_in_place:
            message.parts[-1] = part
        else:
            message.add(part)
        return part


def _text_of(part: Part | Draft) -> str | None:
    """The text of a part; ``None`` if it is no text."""
    if isinstance(part, TextDraft):
        return part.read()
    return part.content if isinstance(part, TextPart) else None
