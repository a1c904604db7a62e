"""What the tracker's pure part wants done, as values.

Commands are performed in order, on a later turn of the event loop than the snapshot
that caused them. So each call's reader sees its text, then the end of the text,
then its answer.

Nobody changes a command. They are not frozen only because a frozen one takes four
times as long to make, and there is one for each piece of text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

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


@dataclass(slots=True)
class Open:
    """Tell the tool's ``stream_call`` of the call."""

    call: Call


@dataclass(slots=True)
class Stream:
    """Give the reader more text."""

    call: Call
    text: str


@dataclass(slots=True)
class CloseArguments:
    """Tell the reader that no more text comes."""

    call: Call


@dataclass(slots=True)
class Execute:
    """Run the call, if its tables still allow it when the turn comes."""

    call: Call


@dataclass(slots=True)
class Deliver:
    """Give the reader the backend's answer."""

    call: Call
    response: ToolResponse


@dataclass(slots=True)
class Tell:
    """Give the reader an event that changes neither its text nor its response."""

    call: Call
    event: ReaderEvent


Command: TypeAlias = Open | Stream | CloseArguments | Execute | Deliver | Tell
"""Everything that the pure part can want."""
