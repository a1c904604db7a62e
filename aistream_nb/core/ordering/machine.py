"""What the official client refuses, and how to go on after it (AG-UI, 7a to 7d).

Rules that a change must keep:

1. The tables of ``core.ordering.tables`` say what is allowed; here they are read.
2. After a slip the machine assumes what the producer most likely meant, so that one
   slip is one message: what was used without a START, or opened by a START that was
   refused, counts as open (a *phantom*: nobody misses its END), a START too many is
   owed an END, an event outside a run begins one (and nobody minds its RUN_STARTED).
3. The machine sees explicit, cleaned events (``core.wire.reader``) and knows nothing
   of levels, profiles or wording for people beyond what came and what was due.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from aistream_nb.core.ordering.owners import Owners
from aistream_nb.core.ordering.tables import (
    OTHER,
    RUN_EVENTS,
    RUN_REFUSALS,
    RUN_TRANSITIONS,
    SPAN_KINDS,
    SPANS,
    RunState,
    SpanRow,
)
from aistream_nb.core.values import Event

__all__ = ["OrderMachine", "Slip"]

_OWNER: Final = "subagentRunId"
_Key: TypeAlias = tuple[str, str | None]
"""The id of a span and, for a step, its owner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One broken rule."""

    rule: str
    message: str
    """What came, and where we were."""
    expected: str
    """What was due."""
    ids: tuple[str, ...] = ()
    opened_at: int | None = None
    caused_by: int | None = None


@dataclass(slots=True)
class _Span:
    opened_at: int
    phantom: bool = False
    extra_starts: int = 0


class OrderMachine:
    """The state of a stream, and what each event breaks in it."""

    def __init__(self) -> None:
        self.run_state: RunState = "idle"
        self._run_moved_at: int | None = None
        self._run_id: object = None
        self._run_is_guessed = False
        self._open: dict[str, dict[_Key, _Span]] = {kind: {} for kind in SPAN_KINDS}
        self._closed_at: dict[tuple[str, _Key], int] = {}
        self._owed_ends: Counter[tuple[str, _Key]] = Counter()
        self._ended_subagents: set[str] = set()
        self._owners = Owners()
        self._told: set[Hashable] = set()

    def receive(
        self, event: Event, index: int, *, doubtful: bool = False
    ) -> list[Slip]:
        """The rules that ``event`` breaks, in the order in which they are checked.

        ``doubtful`` says that the event was refused already: what it opens is not
        missed later.
        """
        slips = self._move_run(event, index)
        if event["type"] not in RUN_EVENTS:
            inside = self._check_inside(event, index, doubtful=doubtful or bool(slips))
            slips = slips or inside  # outside a run, that is all there is to say
        self._owners.settle(event)
        return slips

    @property
    def is_run_open(self) -> bool:
        """Whether a run is active that was begun as it should be."""
        return self.run_state == "running" and not self._run_is_guessed

    def what_is_open(self) -> dict[str, list[str]]:
        """The ids of everything that is open, by kind."""
        return {
            kind: [key[0] for key, span in spans.items() if not span.phantom]
            for kind, spans in self._open.items()
            if any(not span.phantom for span in spans.values())
        }

    # ------------------------------------------------------------ the run

    def _move_run(self, event: Event, index: int) -> list[Slip]:
        event_type = event["type"]
        column = event_type if event_type in RUN_EVENTS else OTHER
        after = RUN_TRANSITIONS[self.run_state].get(column)
        slips: list[Slip] = []
        if after is None and self._run_is_guessed:
            after = "running"  # the RUN_STARTED of a run that began without it
        elif after is None:
            slips.append(self._refused(event))
            after = "finished" if event_type == "RUN_FINISHED" else "running"
            self._bridge(event)
        elif event_type == "RUN_STARTED":
            self._begin()
        elif event_type == "RUN_FINISHED":
            slips = self._left_open()
            self._make_phantoms()
        self._note_run(event, index, refused=bool(slips) and column == OTHER)
        self.run_state = after
        return slips

    def _note_run(self, event: Event, index: int, *, refused: bool) -> None:
        event_type = event["type"]
        if event_type in RUN_EVENTS or refused:
            self._run_moved_at = index
            self._run_is_guessed = refused
        if event_type == "RUN_STARTED":
            self._run_id = event["runId"]

    def _refused(self, event: Event) -> Slip:
        state = self.run_state
        due = [e for e in RUN_TRANSITIONS[state] if e != OTHER]
        return Slip(
            rule=RUN_REFUSALS[state],
            message=f"{event['type']} came {_RUN_PLACES[state]}"
            + _since(self._run_moved_at),
            expected=" or ".join(due),
            caused_by=self._run_moved_at,
            ids=tuple(_ids(event)),
        )

    def _bridge(self, event: Event) -> None:
        """Go on after a refusal: nothing that was open is missed later."""
        self._make_phantoms()
        if event["type"] == "RUN_STARTED" and event["runId"] != self._run_id:
            self._ended_subagents.clear()
            self._owners = Owners()

    def _begin(self) -> None:
        for spans in self._open.values():
            spans.clear()
        self._closed_at.clear()
        self._owed_ends.clear()
        self._ended_subagents.clear()
        self._told.clear()
        self._owners = Owners()

    def _left_open(self) -> list[Slip]:
        slips: list[Slip] = []
        for kind, ids in self.what_is_open().items():
            span = SPAN_KINDS[kind]
            opened = [s.opened_at for s in self._open[kind].values() if not s.phantom]
            names = ", ".join(repr(i) for i in ids)
            slips.append(
                Slip(
                    rule=span.end_rule,
                    message=f"RUN_FINISHED came while {_plural(span.what, ids)} "
                    f"{names} {'is' if len(ids) == 1 else 'are'} open",
                    expected=f"{span.end} for each, before RUN_FINISHED",
                    ids=tuple(ids),
                    opened_at=min(opened),
                )
            )
        return slips

    def _make_phantoms(self) -> None:
        for spans in self._open.values():
            for span in spans.values():
                span.phantom = True

    # ------------------------------------------------------------ inside a run

    def _check_inside(self, event: Event, index: int, *, doubtful: bool) -> list[Slip]:
        row = SPANS.get(event["type"])
        slips = [] if row is None else self._check_span(row, event, index)
        if not slips:
            slips = self._check_owner(event)
        if row is not None and row.edge == "open" and (slips or doubtful):
            span = self._open[row.kind][_key(row, event)]
            span.phantom = span.phantom or span.opened_at == index
        return slips

    def _check_span(self, row: SpanRow, event: Event, index: int) -> list[Slip]:
        key = _key(row, event)
        if row.edge == "open":
            return self._open_span(row, key, event, index)
        if key in self._open[row.kind]:
            return self._use_span(row, key, index)
        return self._miss_span(row, key, event, index)

    def _open_span(
        self, row: SpanRow, key: _Key, event: Event, index: int
    ) -> list[Slip]:
        span = self._open[row.kind].get(key)
        if span is not None and not span.phantom:
            span.extra_starts += 1
            return [self._twice(row, key, event, span)]
        self._open[row.kind][key] = _Span(index)
        return self._check_subagent(event) if row.kind == "subagent" else []

    def _use_span(self, row: SpanRow, key: _Key, index: int) -> list[Slip]:
        if row.edge == "close":
            span = self._open[row.kind].pop(key)
            self._closed_at[row.kind, key] = index
            self._owed_ends[row.kind, key] += span.extra_starts
            if row.kind == "subagent":
                self._ended_subagents.add(key[0])
        return []

    def _miss_span(
        self, row: SpanRow, key: _Key, event: Event, index: int
    ) -> list[Slip]:
        """An event for something that is not open."""
        if row.edge == "use":
            self._open[row.kind][key] = _Span(index, phantom=True)
        elif self._owed_ends[row.kind, key] > 0:
            self._owed_ends[row.kind, key] -= 1
            return []
        elif row.kind == "step":
            for other in self._open["step"]:
                if other[0] == key[0]:
                    return [self._another_s_step(key, other)]
        return [self._unopened(row, key, event)]

    def _twice(self, row: SpanRow, key: _Key, event: Event, span: _Span) -> Slip:
        kind = SPAN_KINDS[row.kind]
        return Slip(
            rule=row.rule,
            message=f"{event['type']} came for {kind.what} {key[0]!r}, which is open "
            f"since event {span.opened_at}",
            expected=f"{kind.end} for it first, or another id",
            ids=(key[0],),
            opened_at=span.opened_at,
        )

    def _unopened(self, row: SpanRow, key: _Key, event: Event) -> Slip:
        kind = SPAN_KINDS[row.kind]
        closed_at = self._closed_at.get((row.kind, key))
        place = (
            "was never started"
            if closed_at is None
            else f"was closed at event {closed_at}"
        )
        return Slip(
            rule=row.rule,
            message=f"{event['type']} came for {kind.what} {key[0]!r}, which {place}",
            expected=f"{kind.start} for it first",
            ids=(key[0],),
            caused_by=closed_at,
        )

    def _another_s_step(self, key: _Key, other: _Key) -> Slip:
        span = self._open["step"][other]
        span.phantom = True
        return Slip(
            rule="step.finish_owner",
            message=f"STEP_FINISHED came for step {key[0]!r} of {_owner(key[1])}, and "
            f"the step is open under {_owner(other[1])}",
            expected=f"STEP_FINISHED from {_owner(other[1])}",
            ids=(key[0],),
            opened_at=span.opened_at,
        )

    def _check_subagent(self, event: Event) -> list[Slip]:
        """What a SUBAGENT_STARTED must hold beyond not being active."""
        agent, parent = event[_OWNER], event.get("parentSubagentRunId")
        if agent in self._ended_subagents:
            self._ended_subagents.discard(agent)
            ended_at = self._closed_at.get(("subagent", (agent, None)))
            return [
                Slip(
                    rule="subagent.start_reused",
                    message=f"SUBAGENT_STARTED came for {agent!r}, which has ended in "
                    "this run",
                    expected="a new subagentRunId for every invocation",
                    ids=(agent,),
                    caused_by=ended_at,
                )
            ]
        known = parent is None or (
            parent in self._ended_subagents
            or (parent != agent and (parent, None) in self._open["subagent"])
        )
        if known or not self._first_time("subagent.parent_unknown", parent):
            return []
        return [
            Slip(
                rule="subagent.parent_unknown",
                message=f"SUBAGENT_STARTED of {agent!r} names the parent {parent!r}, "
                "which was not started in this run",
                expected=f"SUBAGENT_STARTED for {parent!r} first",
                ids=(agent, str(parent)),
            )
        ]

    def _check_owner(self, event: Event) -> list[Slip]:
        conflict = self._owners.conflict(event)
        if conflict is None or not self._first_time(*conflict, event.get(_OWNER)):
            return []
        rule, item_id, owner = conflict
        tag = event.get(_OWNER)
        claim = "without a tag" if tag is None else f"tagged {tag!r}"
        return [
            Slip(
                rule=rule,
                message=f"{event['type']} came {claim}, and {item_id!r} belongs to "
                f"{_owner(owner)}",
                expected=f"the tag of {_owner(owner)}, or none",
                ids=(item_id,),
            )
        ]

    def _first_time(self, *what: Hashable) -> bool:
        first = what not in self._told
        self._told.add(what)
        return first


_RUN_PLACES: Final = {
    "idle": "before any run began",
    "running": "while a run is active",
    "finished": "after the run had finished",
    "failed": "after the run had failed",
}


def _key(row: SpanRow, event: Event) -> _Key:
    return event[row.key], event.get(_OWNER) if row.kind == "step" else None


def _since(index: int | None) -> str:
    return "" if index is None else f" (event {index})"


def _plural(what: str, ids: list[str]) -> str:
    return what if len(ids) == 1 else f"{what}s"


def _owner(owner: str | None) -> str:
    return "the parent agent" if owner is None else f"subagent {owner!r}"


def _ids(event: Event) -> list[str]:
    fields: tuple[Any, ...] = ("messageId", "toolCallId", "runId", "stepName")
    return [event[field] for field in fields if field in event]
