"""When what happened in a run: spans on lanes, out of events with times.

The agent has one lane: moments at which text, thinking or arguments came. Each tool
call has a lane of its own, with the time that it waited for a decision and the time
that it ran. Seconds are counted from the start of the run. Nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from aistream_nb.core.values import Event, is_array, is_mapping

__all__ = ["CallTiming", "Moment", "RunTiming", "read_timings"]

Kind: TypeAlias = Literal["text", "thinking", "arguments"]

_MOMENTS: Final[Mapping[str, Kind]] = {
    "REASONING_MESSAGE_CHUNK": "thinking",
    "REASONING_MESSAGE_CONTENT": "thinking",
    "TEXT_MESSAGE_CHUNK": "text",
    "TEXT_MESSAGE_CONTENT": "text",
    "THINKING_TEXT_MESSAGE_CONTENT": "thinking",
    "TOOL_CALL_ARGS": "arguments",
    "TOOL_CALL_CHUNK": "arguments",
}
# No sets: what stands in a stranger's event may be a list.
_ASKED: Final = ("aistream:asked", "approval-requested")
_ENDS: Final = ("RUN_FINISHED", "RUN_ERROR")


@dataclass(frozen=True, slots=True)
class Moment:
    """A piece that came, and what of."""

    at: float
    kind: Kind


@dataclass(slots=True)
class CallTiming:
    """One tool call: when it was written, waited and ran."""

    name: str
    begun: float
    asked: float | None = None
    decided: float | None = None
    started: float | None = None
    ended: float | None = None
    status: str = "open"
    """``open``, ``done``, ``failed`` or ``denied``."""


@dataclass(slots=True)
class RunTiming:
    """One run, in seconds from its start."""

    title: str = ""
    """What was asked."""
    length: float = 0.0
    ending: str = "cut off"
    """``finished``, ``failed``, ``cancelled`` or ``cut off``."""
    moments: list[Moment] = field(default_factory=list[Moment])
    calls: dict[str, CallTiming] = field(default_factory=dict[str, CallTiming])

    @property
    def first_token(self) -> float | None:
        """When the first piece of the answer came."""
        return self.moments[0].at if self.moments else None

    @property
    def longest_gap(self) -> tuple[float, float] | None:
        """The longest silence between two pieces: from when, until when."""
        times = [moment.at for moment in self.moments]
        gaps = [(end - start, start, end) for start, end in pairwise(times)]
        return max(gaps)[1:] if gaps else None


def read_timings(timed: Iterable[tuple[float, Event]]) -> list[RunTiming]:
    """The runs that the events tell of; a time and an event each.

    >>> runs = read_timings(
    ...     [
    ...         (1.0, {"type": "RUN_STARTED"}),
    ...         (1.5, {"type": "TEXT_MESSAGE_CONTENT", "delta": "Hi"}),
    ...         (2.0, {"type": "RUN_FINISHED"}),
    ...     ]
    ... )
    >>> runs[0].first_token, runs[0].length, runs[0].ending
    (0.5, 1.0, 'finished')
    """
    runs: list[RunTiming] = []
    start = 0.0
    for moment, event in timed:
        if event.get("type") == "RUN_STARTED" or not runs:
            runs.append(RunTiming(title=_question(event)))
            start = moment
        _note(runs[-1], moment - start, event)
    return runs


def _question(event: Event) -> str:
    run_input = event.get("input")
    said = run_input.get("messages") if is_mapping(run_input) else None
    last = said[-1] if is_array(said) and said else None
    return str(last.get("content", "")) if is_mapping(last) else ""


def _note(run: RunTiming, at: float, event: Event) -> None:
    kind = str(event.get("type"))
    run.length = max(run.length, at)
    if kind in _MOMENTS:
        run.moments.append(Moment(at, _MOMENTS[kind]))
    if kind == "TOOL_CALL_START":
        name = str(event.get("toolCallName"))
        run.calls[str(event.get("toolCallId"))] = CallTiming(name, at)
    elif kind == "TOOL_CALL_RESULT":
        _end_call(run.calls.get(str(event.get("toolCallId"))), at, event)
    elif kind == "CUSTOM":
        _note_step(run, at, event)
    elif kind in _ENDS:
        run.ending = _ending(event)


def _ending(event: Event) -> str:
    if event.get("type") == "RUN_ERROR":
        return "failed"
    outcome = event.get("outcome")
    is_cancelled = is_mapping(outcome) and outcome.get("type") == "cancelled"
    return "cancelled" if is_cancelled else "finished"


def _end_call(call: CallTiming | None, at: float, event: Event) -> None:
    if call is None:
        return
    call.ended = at
    if call.status == "open":
        metadata = event.get("metadata")
        ours = metadata.get("aistream") if is_mapping(metadata) else None
        failed = is_mapping(ours) and bool(ours.get("isError"))
        call.status = "failed" if failed else "done"


def _note_step(run: RunTiming, at: float, event: Event) -> None:
    value = event.get("value")
    call_id = value.get("toolCallId") if is_mapping(value) else None
    call = run.calls.get(str(call_id))
    if call is None or not is_mapping(value):
        return
    if event.get("name") in _ASKED:
        call.asked = at
    elif event.get("name") == "aistream:decision":
        call.decided = at
        if value.get("decision") != "proceed":
            call.status = "denied"
    elif event.get("name") == "aistream:executing":
        call.started = at
