"""Server-sent events out of bytes that arrive in any pieces.

The promise: the same bytes give the same events, whole, byte by byte, or cut
anywhere; and the cost is linear in their number.

Rules that a change here must keep (provider turns, sections 7 and 17.1):

1. A line ends with LF, CRLF or CR and with nothing else. U+2028, U+2029, U+0085,
   VT and FF are data, so ``str.splitlines`` has no place here.
2. Bytes are UTF-8; bad ones become U+FFFD, and one byte order mark at the very start
   is dropped. No line end is part of a longer character, so frames are cut in bytes.
3. A frame ends with an empty line, or with the stream.

Two layers, because speed needs them: :class:`FrameSplitter` turns bytes into raw
frames, :func:`parse_frame` reads the fields of one. A translator that knows what a
frame will look like may read it raw; everybody else uses :class:`SSEDecoder`.
Nothing here knows what the events mean.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Final

__all__ = [
    "FrameSplitter",
    "FrameTooLongError",
    "SSEDecoder",
    "ServerSentEvent",
    "parse_frame",
]


class FrameTooLongError(ValueError):
    """A frame grew past the limit without an end."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"a server-sent event is longer than {limit} bytes and has no end; "
            "the stream is not server-sent events, or the limit is too low",
        )
        self.limit: int = limit


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSentEvent:
    """One message of an event stream."""

    event: str
    """The last ``event:`` field, trimmed; empty when the frame has none."""
    data: str
    """The ``data:`` fields, joined with LF."""
    id: str | None = None
    """The frame's own ``id:`` field; it is not carried over from earlier frames."""


class FrameSplitter:
    r"""Raw frames out of bytes: text between empty lines, with LF as the only line end.

    >>> FrameSplitter().receive(b"data: 1\r\n\r\n: hello\n\ndata: 2")
    ['data: 1', ': hello']
    """

    __slots__ = (
        "_after_cr",
        "_at_start",
        "_carry",
        "_length",
        "_limit",
        "_pieces",
        "ended_unterminated",
        "saw_carriage_returns",
    )

    def __init__(self, *, max_frame_length: int | None = None) -> None:
        self._limit: Final = max_frame_length
        self._at_start = True
        self._after_cr = False
        self._pieces: list[bytes] = []  # of the open frame
        self._length = 0
        self._carry = b""  # a line end that may be the first half of a frame end
        self.saw_carriage_returns: bool = False
        """Whether a line ended with CR or CRLF so far."""
        self.ended_unterminated: bool = False
        """Whether the last frame was ended by the end of the stream (after close)."""

    def receive(self, data: bytes) -> list[str]:
        """The frames that ``data`` completes.

        Raises:
            FrameTooLongError: The open frame is longer than the limit.
        """
        if self._after_cr or b"\r" in data:
            data = self._without_carriage_returns(data)
        *frames, rest = (self._carry + data).split(b"\n\n")
        if frames:
            if self._pieces or self._at_start:
                frames[0] = self._taken(frames[0])
            frames = [frame for frame in frames if frame]
        self._keep(rest)
        # Frames are decoded one by one: most are ASCII, which is the cheaper text.
        return [frame.decode("utf-8", "replace") for frame in frames]

    def close(self) -> list[str]:
        """The frame that was still open when the stream ended, if there was one."""
        self._carry = b""
        rest = self._taken(b"")
        if not rest:
            return []
        self.ended_unterminated = True
        return [rest.decode("utf-8", "replace")]

    def _without_carriage_returns(self, data: bytes) -> bytes:
        """CR and CRLF as LF; a CR counts at once, an LF that follows it is skipped."""
        self.saw_carriage_returns = True
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        if data.endswith(b"\r"):
            self._after_cr = True
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _taken(self, last_piece: bytes) -> bytes:
        """The whole frame that ends with ``last_piece``."""
        frame = b"".join([*self._pieces, last_piece])
        self._pieces, self._length = [], 0
        if self._at_start:
            self._at_start = False
            frame = frame.removeprefix(codecs.BOM_UTF8)
        return frame

    def _keep(self, piece: bytes) -> None:
        self._carry = b"\n" if piece.endswith(b"\n") else b""
        if self._carry:
            piece = piece[:-1]
        if not piece:
            return
        self._pieces.append(piece)
        self._length += len(piece)
        if self._limit is not None and self._length > self._limit:
            raise FrameTooLongError(self._limit)


def parse_frame(frame: str) -> ServerSentEvent | None:
    r"""The event that a raw frame holds, or ``None`` when it has no data.

    Comments, ``retry`` and unknown fields are ignored.

    >>> parse_frame("event: greet\ndata: hi\ndata: you")
    ServerSentEvent(event='greet', data='hi\nyou', id=None)
    >>> parse_frame(": nothing but a comment") is None
    True
    """
    event, ident = "", None
    lines: list[str] = []
    for line in frame.split("\n"):
        name, _, value = line.partition(":")
        if name == "data":
            lines.append(value.removeprefix(" "))
        elif name == "event":
            event = value.strip()
        elif name == "id" and "\0" not in value:
            ident = value.removeprefix(" ")
    if not lines:
        return None
    return ServerSentEvent(event=event, data="\n".join(lines), id=ident)


class SSEDecoder:
    r"""Server-sent events out of bytes in any pieces.

    >>> decoder = SSEDecoder()
    >>> decoder.receive(b"event: greet\nda")
    []
    >>> decoder.receive(b"ta: hi\n\ndata: bye")
    [ServerSentEvent(event='greet', data='hi', id=None)]
    >>> decoder.close()
    [ServerSentEvent(event='', data='bye', id=None)]
    """

    __slots__ = ("_splitter",)

    def __init__(self, *, max_frame_length: int | None = None) -> None:
        self._splitter: Final = FrameSplitter(max_frame_length=max_frame_length)

    @property
    def saw_carriage_returns(self) -> bool:
        """Whether a line ended with CR or CRLF so far."""
        return self._splitter.saw_carriage_returns

    @property
    def ended_unterminated(self) -> bool:
        """Whether the last frame was ended by the end of the stream (after close)."""
        return self._splitter.ended_unterminated

    def receive(self, data: bytes) -> list[ServerSentEvent]:
        """The events that ``data`` completes.

        Raises:
            FrameTooLongError: The open frame is longer than the limit.
        """
        return _events(self._splitter.receive(data))

    def close(self) -> list[ServerSentEvent]:
        """The event that was still open when the stream ended, if there was one."""
        return _events(self._splitter.close())


def _events(frames: list[str]) -> list[ServerSentEvent]:
    parsed = map(parse_frame, frames)
    return [event for event in parsed if event is not None]
