"""A saved thread with an AG-UI server: what the server said, told to a new client.

A recording holds what the chat was told, which is the server's own events and some of
ours. The client's thread is made from the server's alone, as it was when they came;
what the chat was not told yet, such as the end of a run whose tools were still at
work, is on the wire.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aistream_nb.chat.remote_thread import RemoteThread
from aistream_nb.chat.saved import SavedConversation
from aistream_nb.core.normalise import normalise
from aistream_nb.core.values import Event, is_array, is_mapping
from aistream_nb.core.wire.frame_readers import frames_of_body
from aistream_nb.recording import Recording
from aistream_nb.recording.entries import wire_rounds

__all__ = ["finish_on_the_wire", "restore_thread"]

_TOLD: Final = frozenset({"RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT"})
"""Of what we made ourselves, what changes the thread."""


def restore_thread(thread: RemoteThread, saved: SavedConversation) -> None:
    """Have ``thread`` know what was said, as if it had been said to it."""

    def known(call_id: str) -> str:
        return saved.calls[call_id].why_open

    for run in _served_runs(saved.recording):
        left = None if run.finished else known
        thread.take_run(run.events, left=left)
    for call_id, approval in _decisions(saved.recording):
        approved = approval.get("approved") is True
        thread.decide(call_id, str(approval.get("id")), approved=approved)
    thread.begin_run()


@dataclass(slots=True)
class _ServedRun:
    events: list[Event] = field(default_factory=list[Event])
    finished: bool = False
    """Whether it came to its end, and no stop or failure of ours before."""


def _served_runs(recording: Recording) -> Iterator[_ServedRun]:
    run: _ServedRun | None = None
    body = b""
    for entry in recording.entries:
        for one in wire_rounds([entry]):
            pieces = b"".join(piece for _, piece in one.chunks)
            # A request that got no answer yet leaves the end of the run before.
            body = pieces if one.request is not None and pieces else body + pieces
        event = entry.event
        if event is None:
            continue
        if event.get("type") == "RUN_STARTED":
            if run is not None:
                yield run
            run = _ServedRun()
        if run is not None:
            _take(run, event, body)
    if run is not None:
        _take_end(run, body)
        yield run


def _take(run: _ServedRun, event: Event, body: bytes) -> None:
    kind, ours = event.get("type"), _ours(event)
    if kind == "RUN_FINISHED" and ours:
        _take_end(run, body)
    elif "made" not in ours or kind in _TOLD:
        run.events.append(event)
        run.finished = kind == "RUN_FINISHED"


def _take_end(run: _ServedRun, body: bytes) -> None:
    """Let a run that was not let finish end as the server ended it, if it did."""
    served = None if run.finished else finish_on_the_wire(body)
    run.events += [] if served is None else [served]


def finish_on_the_wire(body: bytes) -> Event | None:
    """How a server ended the run of this answer, if it did."""
    frames = frames_of_body(body).receive(body)
    events = normalise(frame.event for frame in frames if frame.event is not None)
    if not events or events[-1].get("type") != "RUN_FINISHED":
        return None
    return events[-1]


def _ours(event: Event) -> Mapping[str, Any]:
    metadata = event.get("metadata")
    ours = metadata.get("aistream") if is_mapping(metadata) else None
    return ours if is_mapping(ours) else {}


def _decisions(recording: Recording) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Which calls the last request says were approved, or not (TanStack AI 0.5)."""
    for part in _parts(recording):
        approval = part.get("approval")
        if is_mapping(approval):
            yield str(part.get("id")), approval


def _parts(recording: Recording) -> Iterable[Mapping[str, Any]]:
    requests = [one.request for one in recording.rounds if one.request is not None]
    body = requests[-1].get("body") if requests else None
    messages = body.get("messages") if is_mapping(body) else None
    for message in messages if is_array(messages) else ():
        parts = message.get("parts") if is_mapping(message) else None
        yield from (part for part in parts or () if is_mapping(part))
