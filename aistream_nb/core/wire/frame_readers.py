"""Which reader a body of AG-UI gets: SSE, or Protocol Buffers (AG-UI, section 11).

The content type says it, to the letter: with a parameter behind it, it is another one,
and every other one is read as SSE. That is what the official client does. Where nobody
kept the content type, as in a recording or a file, the first byte says it.
"""

from __future__ import annotations

from typing import TypeAlias

from aistream_nb.core.wire.frames import MAX_FRAME, AGUIFrames
from aistream_nb.core.wire.proto import ProtoFrames
from aistream_nb.core.wire.proto_shapes import PROTO_TYPE

__all__ = [
    "FrameReader",
    "body_type",
    "frames_of_body",
    "frames_of_type",
    "is_binary",
]

FrameReader: TypeAlias = AGUIFrames | ProtoFrames
"""Reads the frames of a body: ``receive`` takes its bytes, ``close`` its end."""


def frames_of_type(
    content_type: str | None, *, max_frame: int = MAX_FRAME
) -> FrameReader:
    """What reads a body of this content type.

    >>> type(frames_of_type("application/vnd.ag-ui.event+proto")).__name__
    'ProtoFrames'
    >>> type(frames_of_type("text/event-stream")).__name__
    'AGUIFrames'
    """
    reader = ProtoFrames if content_type == PROTO_TYPE else AGUIFrames
    return reader(max_frame=max_frame)


def frames_of_body(
    body: bytes, content_type: str | None = None, *, max_frame: int = MAX_FRAME
) -> FrameReader:
    r"""What reads a whole body, also one of which nobody knows the content type.

    >>> type(frames_of_body(b"\0\0\0\x06r\x04\x1a\x02no")).__name__
    'ProtoFrames'
    """
    known = body_type(body) if content_type is None else content_type
    return frames_of_type(known, max_frame=max_frame)


def is_binary(start: bytes) -> bool:
    r"""Whether a body that begins so can be AG-UI's binary form, and no text.

    The first byte of a length below 16 MiB is 0, and no text begins with that.

    >>> is_binary(b"\0\0\0\x06r"), is_binary(b"data: {}"), is_binary(b"")
    (True, False, False)
    """
    return start.startswith(b"\0")


def body_type(start: bytes) -> str:
    r"""The content type of a body that begins so, where nobody kept it.

    >>> body_type(b"data: {}"), body_type(b"\0\0\0\x06r")
    ('text/event-stream', 'application/vnd.ag-ui.event+proto')
    """
    return PROTO_TYPE if is_binary(start) else "text/event-stream"
