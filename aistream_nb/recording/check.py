"""The order of a stream judged, whatever holds it: events, a recording, a chat, a file.

The judge is :func:`aistream_nb.core.ordering.report.check_ordering`, which opens no
file. Here one is opened for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, TypedDict, Unpack

from aistream_nb.core.ordering import report
from aistream_nb.core.ordering.report import OrderingReport
from aistream_nb.core.ordering.rules import Profile
from aistream_nb.core.ordering.verifier import DialectChoice
from aistream_nb.recording.judged import source_of
from aistream_nb.recording.recorder import Recording

__all__ = ["CheckOptions", "check_ordering"]


class CheckOptions(TypedDict, total=False):
    """What can be said besides the stream."""

    profile: Profile
    """How much is shown: ``client``, ``spec`` (unless you say otherwise), ``teach``."""
    run_input: Mapping[str, Any] | None
    """The request that the stream answers."""
    interrupts: Iterable[Mapping[str, Any]]
    """What waited for a person when the request was sent."""
    now: str | None
    """The time, in ISO 8601: tells which of those had expired."""
    dialect: DialectChoice
    """``tanstack`` translates a stream of TanStack AI first."""
    status: int
    """Of the answer, if the stream is its bytes."""
    content_type: str | None
    """Of the answer, if the stream is its bytes."""
    max_frame: int
    """The longest frame that is read."""


def check_ordering(events: object, **options: Unpack[CheckOptions]) -> OrderingReport:
    """A report on a whole stream: where it breaks the order of AG-UI, and why.

    ``events`` are mappings, JSON texts or objects of the official SDK; a recording, a
    chat, or the path of a file with a stream (``.jsonl``, ``.sse``, ``.json``); or the
    bytes or the text of an answer. For the options see :class:`CheckOptions`.

    Raises:
        RecordingError: The file cannot be read.
        TypeError: It is nothing that holds events.

    >>> check_ordering([{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]).ok
    False
    """
    held: object = getattr(events, "recording", events)
    if isinstance(held, (str, PathLike)):
        held = source_of(held)
    if isinstance(held, Recording):
        held = held.events
    return report.check_ordering(held, **options)
