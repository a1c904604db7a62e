"""The event that would mend a violation, found by trying.

A ghost is one change of the stream: an event to put in, to leave out, or to send
earlier. Candidates come from the tables of the order; the one that is shown was tried
on the stream, and with it less is wrong. Where no single change helps there is none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from aistream_nb.core.ordering.tables import SPAN_KINDS, SPANS
from aistream_nb.core.ordering.verifier import OrderingVerifier, Violation
from aistream_nb.core.values import Event
from aistream_nb.widgets.view_model import clean
from aistream_nb.widgets.wire_inspector import GhostView, ViolationView

__all__ = ["ghost_of"]

_MOST_EVENTS: Final = 5_000
"""Longer streams are not judged again for a hint."""
_WRONG: Final = frozenset({"fatal", "error"})
_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "TEXT_MESSAGE_START": {"role": "assistant"},
    "REASONING_MESSAGE_START": {"role": "reasoning"},
    "TOOL_CALL_START": {"toolCallName": "name_of_the_tool"},
    "SUBAGENT_STARTED": {"agentName": "name_of_the_agent"},
}
"""What an opener needs beside its id; a producer knows better names."""


def _teacher() -> OrderingVerifier:
    return OrderingVerifier(profile="teach")


def ghost_of(
    events: Sequence[Event],
    found: ViolationView,
    *,
    new_verifier: Callable[[], OrderingVerifier] = _teacher,
) -> GhostView | None:
    """The change that would mend ``found``, or ``None`` if one is not enough.

    ``new_verifier`` makes those who try it.

    >>> from aistream_nb.inspector import Inspector
    >>> inspector = Inspector(
    ...     [
    ...         {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    ...         {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"},
    ...     ]
    ... )
    >>> found = next(it for it in inspector.violations if it.level == "fatal")
    >>> ghost = ghost_of(inspector.events, found)
    >>> ghost.change, ghost.at, ghost.type
    ('insert', 1, 'TEXT_MESSAGE_START')
    """
    end = len(events) if found.index < 0 else found.index + 1
    before = list(events[:end])
    if not before or end > _MOST_EVENTS:
        return None
    whole = found.index < 0
    wrong = _count_wrong(new_verifier(), before, whole=whole)
    for ghost, after in _candidates(before, found):
        if _count_wrong(new_verifier(), after, whole=whole) < wrong:
            return ghost.model_copy(update={"rule": found.rule})
    return None


def _count_wrong(
    verifier: OrderingVerifier, events: Sequence[Event], *, whole: bool
) -> int:
    found: list[Violation] = []
    for event in events:
        found.extend(verifier.receive(event))
    if whole:
        found.extend(verifier.close())
    return sum(violation.level in _WRONG for violation in found)


Candidate = tuple[GhostView, list[Event]]


def _candidates(events: list[Event], found: ViolationView) -> Iterator[Candidate]:
    at = len(events) if found.index < 0 else found.index
    for event in _missing(events, found):
        yield _insert(events, at, event)
    if found.index >= 0:
        if found.caused_by is not None and 0 <= found.caused_by < at:
            yield _move(events, at, found.caused_by)
        yield _leave_out(events, at)


def _missing(events: list[Event], found: ViolationView) -> Iterator[Event]:
    """Events that may be missing before the one that is wrong, likeliest first."""
    event: Event = events[found.index] if found.index >= 0 else {}
    yield from _missing_of_run(events, found)
    for kind in SPAN_KINDS.values():
        if kind.end_rule == found.rule:
            yield from _open_ends(events, kind.start, kind.end)
    row = SPANS.get(str(event.get("type")))
    if row is None or found.caused_by is not None:
        return
    kind = SPAN_KINDS[row.kind]
    name = kind.end if row.edge == "open" else kind.start
    yield {"type": name, row.key: event.get(row.key), **_FIELDS.get(name, {})}


def _missing_of_run(events: list[Event], found: ViolationView) -> Iterator[Event]:
    started = [it for it in events if it.get("type") == "RUN_STARTED"]
    if found.rule == "run.first_event":
        yield {"type": "RUN_STARTED", "threadId": "thread-1", "runId": "run-1"}
    if found.rule in {"run.nested", "stream.truncated"} and started:
        run = started[0 if found.rule == "run.nested" else -1]
        ids = {name: run.get(name) for name in ("threadId", "runId")}
        yield {"type": "RUN_FINISHED", **ids}


def _open_ends(events: list[Event], start: str, end: str) -> Iterator[Event]:
    """The end of each span that is open at the end of the events."""
    key = SPANS[start].key
    opened: dict[Any, None] = {}
    for event in events:
        if event.get("type") == start:
            opened[event.get(key)] = None
        elif event.get("type") == end:
            opened.pop(event.get(key), None)
    for name in reversed(opened):
        yield {"type": end, key: name}


def _insert(events: list[Event], at: int, event: Event) -> Candidate:
    return _ghost("insert", at, event), [*events[:at], event, *events[at:]]


def _move(events: list[Event], at: int, to: int) -> Candidate:
    event = events[at]
    moved = [*events[:to], event, *events[to:at], *events[at + 1 :]]
    return _ghost("move", to, event, source=at), moved


def _leave_out(events: list[Event], at: int) -> Candidate:
    return _ghost("leave-out", at, events[at]), [*events[:at], *events[at + 1 :]]


def _ghost(
    change: Any, at: int, event: Event, *, source: int | None = None
) -> GhostView:
    text = json.dumps(event, ensure_ascii=False, default=str)
    return GhostView(
        rule="",
        change=change,
        at=at,
        source=source,
        type=clean(str(event.get("type", "?"))[:120]),
        json_text=clean(text[:2000]),
    )
