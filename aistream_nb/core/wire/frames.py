r"""AG-UI events out of the bytes of an answer, and what is wrong with its frames (11).

The official reader knows LF only, wants data in every frame and loses a JSON line
without ``data:``. This one reads CRLF and CR too, skips empty data, and says so; what
is no event is told and skipped, and the rest is still read. Nothing is raised.

Indexes count frames with data, so an event keeps its index when a frame before it was
bad.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.ordering.facts import slip
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.values import Event, is_mapping
from aistream_nb.core.wire.proto_shapes import PROTO_TYPE
from aistream_nb.core.wire.sse import FrameSplitter, FrameTooLongError, parse_frame

__all__ = ["MAX_FRAME", "AGUIFrames", "Frame", "check_answer"]

MAX_FRAME: Final = 10 * 1024 * 1024
"""Characters of a frame without an end, after which the official client gives up."""

_DONE: Final = "[DONE]"
_TOLD: Final = 2_000
"""Characters that are told of a frame that is no event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame with data: an event, or why it is none."""

    index: int
    event: Event | None = None
    faults: tuple[Slip, ...] = ()
    is_done: bool = False
    """Whether it is the ``[DONE]`` of an older dialect."""
    text: str = ""
    """The beginning of what a frame says that is counted and is no event."""


class AGUIFrames:
    r"""Frames of an AG-UI stream out of bytes in any pieces.

    >>> frames = AGUIFrames()
    >>> [f.event for f in frames.receive(b'data: {"type": "RAW", "event": 1}\n\n')]
    [{'type': 'RAW', 'event': 1}]
    """

    def __init__(self, *, max_frame: int = MAX_FRAME) -> None:
        self._splitter = FrameSplitter(max_frame_length=max_frame)
        self._count = 0
        self._gave_up = False

    def receive(self, data: bytes) -> tuple[Frame, ...]:
        """The frames that ``data`` completes."""
        if self._gave_up:
            return ()
        try:
            texts = self._splitter.receive(data)
        except FrameTooLongError as fault:
            self._gave_up = True
            found = slip(
                "frame.too_big",
                f"a frame is longer than {fault.limit} characters and has no end",
                "an empty line behind every frame",
            )
            told = f"more than {fault.limit} characters without an end"
            return (self._counted(faults=(found,), text=told),)
        return self._read(texts)

    def close(self) -> tuple[Frame, ...]:
        """The frame that the end completes, and what is wrong with all frames."""
        frames = () if self._gave_up else self._read(self._splitter.close())
        if self._splitter.saw_carriage_returns:
            frames = (*frames, Frame(index=-1, faults=(_CRLF,)))
        return frames

    def _read(self, texts: list[str]) -> tuple[Frame, ...]:
        return tuple(f for text in texts if (f := self._frame(text)) is not None)

    def _frame(self, text: str) -> Frame | None:
        lost = tuple(_LOST for line in text.split("\n") if line.startswith("{"))
        message = parse_frame(text)
        if message is None:
            return Frame(index=self._count, faults=lost) if lost else None
        if not message.data:
            return Frame(index=self._count, faults=(*lost, _EMPTY))
        if message.data.strip() == _DONE:
            return self._counted(faults=(*lost, _bad_json()), is_done=True, text=_DONE)
        event, fault = _event_of(message.data)
        text = message.data[:_TOLD] if event is None else ""
        return self._counted(event=event, faults=(*lost, *fault), text=text)

    def _counted(
        self,
        *,
        event: Event | None = None,
        faults: tuple[Slip, ...] = (),
        is_done: bool = False,
        text: str = "",
    ) -> Frame:
        self._count += 1
        return Frame(
            index=self._count - 1,
            event=event,
            faults=faults,
            is_done=is_done,
            text=text,
        )


def check_answer(*, status: int = 200, content_type: str | None = None) -> list[Slip]:
    """What is wrong with an answer before its body."""
    found: list[Slip] = []
    if not 200 <= status < 300:  # noqa: PLR2004  # HTTP's success
        found.append(
            slip(
                "http.status",
                f"the answer has the status {status}: no run was started",
                "a status of 2xx, and RUN_ERROR in the stream for what fails later",
            )
        )
    medium = (content_type or "text/event-stream").partition(";")[0].strip().lower()
    known = medium == "text/event-stream" or content_type == PROTO_TYPE
    if not known and not found:
        found.append(
            slip(
                "transport.content_type",
                f"the answer has the content type {medium!r}",
                "text/event-stream",
            )
        )
    return found


def _event_of(data: str) -> tuple[Event | None, tuple[Slip, ...]]:
    try:
        value = parse_json(data)
    except ValueError:
        return None, (_bad_json(),)
    if not is_mapping(value):
        found = slip(
            "frame.not_object",
            "a frame came whose JSON is no object",
            "one JSON object",
        )
        return None, (found,)
    if not isinstance(value.get("type"), str) or not value["type"]:
        found = slip(
            "frame.no_type",
            "a frame came whose object has no type",
            "a type, such as RUN_STARTED",
        )
        return None, (found,)
    return value, ()


def _bad_json() -> Slip:
    return slip(
        "frame.bad_json", "a frame came whose data is no JSON", "one JSON object"
    )


_CRLF: Final = slip(
    "transport.crlf",
    "lines end with CR; the official client cannot read this stream",
    "LF as the only line end",
)
_LOST: Final = slip(
    "transport.json_line_without_data",
    "a line of JSON came without 'data:' and is lost",
    "'data: ' before the JSON",
)
_EMPTY: Final = slip(
    "transport.empty_data",
    "a frame came without data; the official client gives up there",
    "a comment line to keep the connection alive",
)
