"""What a recording holds to be run again: the answers, the questions, the stops.

A recording tells what came over the wire and what the chat was told. From both this
module reads, for each request of the run, what answers it, and for each run, what
began it. How a failed request is told in the recording decides how it fails again:
the stream breaks where it broke, and a refusal is the same refusal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aistream_nb.chat.run_log import ending_of, input_messages, is_cancelled, runs_of
from aistream_nb.core.values import Event, is_array, is_mapping
from aistream_nb.errors import (
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderStreamError,
)
from aistream_nb.recording import Entry, Recording
from aistream_nb.recording.entries import wire_rounds
from aistream_nb.testing.scripted import ASKED, ScriptedAnswer

__all__ = [
    "Loose",
    "Question",
    "answers_of",
    "loose_calls",
    "questions_of",
    "requests_of",
]

_BUSY: Final = 503
_BROKE_OFF: Final = "the stream broke off"
_HTTP: Final = "http_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person sent to begin a run."""

    text: str
    place: int | None = None
    """Which of the questions so far it replaces; ``None`` if it is a new one."""
    ending: str = "finished"
    """``finished``, ``failed``, ``cancelled``, or ``cut off``."""


@dataclass(slots=True)
class _Attempt:
    """One request, and the entries of its answer."""

    number: object
    entries: list[Entry] = field(default_factory=list[Entry])
    error: ProviderError | None = None
    stops: bool = False

    @property
    def pieces(self) -> list[bytes]:
        return [piece for one in wire_rounds(self.entries) for _, piece in one.chunks]


def answers_of(recording: Recording) -> list[ScriptedAnswer]:
    """What answers each request, in the order in which they were made."""
    attempts: list[_Attempt] = []
    busy: set[str] = set()
    for entry in recording.entries:
        if entry.wire is not None:
            _take_wire(entry, entry.wire, attempts)
        elif entry.event is not None and attempts:
            _note_busy(entry.event, busy)
            # A stop that caught a tool, or a question, comes from there.
            _take_ending(entry.event, attempts[-1], stops=not busy)
    if attempts and recording.ending.startswith("cut off"):
        attempts[-1].stops = not busy
    return [
        ScriptedAnswer(pieces=one.pieces, error=one.error, stops=one.stops)
        for one in attempts
    ]


def _take_wire(entry: Entry, wire: Mapping[str, Any], attempts: list[_Attempt]) -> None:
    number = wire.get("round")
    last = attempts[-1] if attempts else None
    if "request" not in wire and last is not None and last.number == number:
        last.entries.append(entry)
        return
    if last is not None and last.number == number and not last.pieces:
        # It was asked again because no answer had come.
        last.error = ProviderStatusError(
            "asked again", provider="recorded", status_code=_BUSY
        )
    attempts.append(_Attempt(number, [entry]))


def _note_busy(event: Event, busy: set[str]) -> None:
    """Which calls are asked about, or run."""
    if str(event.get("name")) in {*ASKED, "aistream:executing"}:
        busy.add(_told_of(event))
    elif event.get("name") == "aistream:decision":
        busy.discard(_told_of(event))
    elif str(event.get("type")) in {"RUN_STARTED", "RUN_ERROR"}:
        busy.clear()
    busy.difference_update(_answered(event))


def _take_ending(event: Event, attempt: _Attempt, *, stops: bool) -> None:
    kind = event.get("type")
    if kind == "RUN_ERROR":
        attempt.error = _failure(event, is_empty=not attempt.pieces)
    elif kind == "RUN_FINISHED" and is_cancelled(event):
        attempt.stops = stops


def _failure(event: Event, *, is_empty: bool) -> ProviderError | None:
    """The error that ended the stream, where the stream itself does not tell it."""
    code, message = str(event.get("code")), str(event.get("message", ""))
    if code.startswith(_HTTP) and code.removeprefix(_HTTP).isdecimal():
        status = int(code.removeprefix(_HTTP))
        return ProviderStatusError(message, provider="recorded", status_code=status)
    if code == "ProviderConnectionError":
        return ProviderConnectionError(message, provider="recorded")
    if code == "ProviderStreamError" and (is_empty or message.startswith(_BROKE_OFF)):
        return ProviderStreamError(message, provider="recorded")
    return None


# ---------------------------------------------------------------- questions


def questions_of(recording: Recording) -> list[Question]:
    """What the person sent, in order."""
    questions: list[Question] = []
    seen: set[str] = set()
    for run in runs_of(recording.events):
        asked = _asked(run)
        if asked is None or str(asked.get("id")) in seen:
            continue
        if "id" in asked:
            seen.add(str(asked["id"]))
        questions.append(
            Question(
                text=str(asked.get("content", "")),
                place=_place(run),
                ending=ending_of(run),
            )
        )
    return questions


def _asked(run: Sequence[Event]) -> Mapping[str, Any] | None:
    run_input = run[0].get("input")
    said = run_input.get("messages") if is_mapping(run_input) else None
    last = said[-1] if is_array(said) and said else None
    return last if is_mapping(last) and last.get("role") == "user" else None


def _place(run: Sequence[Event]) -> int | None:
    """A run that begins with a snapshot replaced a question: how many stay before."""
    if len(run) == 1 or run[1].get("type") != "MESSAGES_SNAPSHOT":
        return None
    messages = run[1].get("messages")
    rows: Sequence[Any] = messages if is_array(messages) else ()
    users = [row for row in rows if is_mapping(row) and row.get("role") == "user"]
    return max(0, len(users) - 1)


# ---------------------------------------------------------------- the rest


@dataclass(slots=True)
class Loose:
    """The calls that a stop, or a crash, left without a result."""

    ran: Counter[str] = field(default_factory=Counter[str])
    """How often each tool began to run."""
    at_work: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """Which of its runs a stop caught, counted from 0, by the name of the tool."""
    in_question: dict[str, int] = field(default_factory=dict[str, int])
    """The ids of the calls that were caught at the gate, and in which run."""


def loose_calls(recording: Recording) -> Loose:
    """What was open when the person, or a crash, ended a run."""
    loose, names = Loose(), dict[str, str]()
    open_calls: dict[str, bool] = {}
    run = 0
    for event in recording.events:
        run += event.get("type") == "RUN_STARTED"
        _note_call(event, names, open_calls)
        for answered in _answered(event):
            if open_calls.pop(answered, False):
                loose.ran[names.get(answered, "")] += 1
        if is_cancelled(event):
            _leave(open_calls, names, loose, run=run)
    if recording.ending.startswith("cut off"):
        _leave(open_calls, names, loose, run=run)
    return loose


def _note_call(
    event: Event, names: dict[str, str], open_calls: dict[str, bool]
) -> None:
    """Which calls are open, and whether they run."""
    call_id = _told_of(event)
    if event.get("type") == "TOOL_CALL_START":
        names[call_id], open_calls[call_id] = str(event.get("toolCallName")), False
    elif event.get("name") == "aistream:executing":
        open_calls[call_id] = True
    elif event.get("type") == "RUN_ERROR":
        open_calls.clear()


def _told_of(event: Event) -> str:
    value = event.get("value")
    inner = value.get("toolCallId") if is_mapping(value) else None
    return str(event.get("toolCallId", inner))


def _answered(event: Event) -> list[str]:
    """The calls whose results the event tells; remote agents hear them as messages."""
    if event.get("type") == "TOOL_CALL_RESULT":
        return [str(event.get("toolCallId"))]
    if event.get("type") != "RUN_STARTED":
        return []
    rows = input_messages(event)
    return [str(row.get("toolCallId")) for row in rows if row.get("role") == "tool"]


def _leave(
    open_calls: dict[str, bool], names: dict[str, str], loose: Loose, *, run: int
) -> None:
    for call_id, is_running in open_calls.items():
        if is_running:
            name = names.get(call_id, "")
            loose.at_work.setdefault(name, set()).add(loose.ran[name])
            loose.ran[name] += 1
        else:
            loose.in_question[call_id] = run
    open_calls.clear()


def requests_of(recording: Recording) -> list[Mapping[str, Any]]:
    """The body of each request that was made, in order."""
    bodies: list[Mapping[str, Any]] = []
    for entry in recording.entries:
        request = None if entry.wire is None else entry.wire.get("request")
        if is_mapping(request):
            body = request.get("body")
            bodies.append(body if is_mapping(body) else {})
    return bodies
