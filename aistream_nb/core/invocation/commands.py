"""What the tracker's pure part wants done, as values.

Commands are performed in order, on a later turn of the event loop than the snapshot
that caused them. So each call's reader sees its text, then the end of the text,
then its answer.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from aistream_nb.core.invocation.call import Call
from aistream_nb.core.invocation.events import ReaderEvent, ToolResponse

__all__ = [
    "CloseArguments",
    "Command",
    "Deliver",
    "Execute",
    "Open",
    "Stream",
    "Tell",
]


class Open(NamedTuple):
    """Tell the tool's ``stream_call`` of the call."""

    call: Call


class Stream(NamedTuple):
    """Give the reader more text."""

    call: Call
    text: str


class CloseArguments(NamedTuple):
    """Tell the reader that no more text comes."""

    call: Call


class Execute(NamedTuple):
    """Run the call, if its tables still allow it when the turn comes."""

    call: Call


class Deliver(NamedTuple):
    """Give the reader the backend's answer."""

    call: Call
    response: ToolResponse


class Tell(NamedTuple):
    """Give the reader an event that changes neither its text nor its response."""

    call: Call
    event: ReaderEvent


Command: TypeAlias = Open | Stream | CloseArguments | Execute | Deliver | Tell
"""Everything that the pure part can want."""
