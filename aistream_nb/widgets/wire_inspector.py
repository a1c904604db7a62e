"""What an inspector shows beside the transcript: events, spans, violations.

A recording may hold 20,000 events, so the page never gets all of them: it asks for
the rows that it shows. Spans and violations are few and come as one story.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from aistream_nb.widgets.wire_views import InspectView, Wire

__all__ = [
    "EventDetail",
    "EventRow",
    "GhostView",
    "Level",
    "PutInspect",
    "Rows",
    "SpanView",
    "Story",
    "ViolationView",
]

Level: TypeAlias = Literal["fatal", "error", "warning", "info", "dialect"]
SpanKind: TypeAlias = Literal["run", "step", "message", "reasoning", "call"]


class EventRow(Wire):
    """One event in the list."""

    index: int
    time: float | None = None
    """Seconds since the first event."""
    type: str
    id: str = ""
    text: str = ""
    """The beginning of what it says."""
    level: Level | None = None
    """The worst violation at this event."""
    rule: str = ""


class SpanView(Wire):
    """Something that opened and closed."""

    kind: SpanKind
    id: str
    label: str
    start: int
    end: int | None = None
    """The event that closed it; ``None`` while it is open."""


class ViolationView(Wire):
    """One broken rule."""

    rule: str
    level: Level
    index: int
    """The event; -1 for the stream as a whole."""
    at: int
    """The position at which it is seen: behind its event, or at an end."""
    event_type: str
    message: str
    expected: str
    fix: str
    meaning: str = ""
    opened_at: int | None = None
    caused_by: int | None = None


class PutInspect(Wire):
    """Where the inspector stands now."""

    type: Literal["put-inspect"] = "put-inspect"
    inspect: InspectView


class Rows(Wire):
    """The rows that were asked for."""

    type: Literal["rows"] = "rows"
    filter: str
    start: int
    total: int
    """How many events pass the filter."""
    rows: tuple[EventRow, ...]


class Story(Wire):
    """All spans and violations so far."""

    type: Literal["story"] = "story"
    count: int
    spans: tuple[SpanView, ...]
    violations: tuple[ViolationView, ...]


class GhostView(Wire):
    """One change of the stream that would mend a violation."""

    rule: str
    """What it mends."""
    change: Literal["insert", "leave-out", "move"]
    at: int
    """The event before which it would stand; of one to leave out, its own place."""
    source: int | None = None
    """Where the event stands now, if it is to be moved."""
    type: str
    json_text: str


class EventDetail(Wire):
    """One event in full, and what there is to its violation: a test and the fix."""

    type: Literal["event-detail"] = "event-detail"
    index: int
    json_text: str
    snippet: str = ""
    ghost: GhostView | None = None
