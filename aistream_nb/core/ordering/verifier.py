"""The judge of AG-UI's order: every violation, with what came, what was due, and a fix.

:class:`OrderingVerifier` never stops at the first violation and never raises. It
recovers as a person would, so that one slip is one message: a forgotten START is told
once, not at every delta. The first ``fatal`` violation is exactly what the official
client would refuse, at the same event; what comes after it is ``secondary``.

The road of an event: older dialects are translated if that is asked for
(``core.normalise``), the event is read (``core.wire.reader``), its order is judged by
the tables (``core.ordering.machine``), and what is left is advice
(``core.ordering.advice``). What a rule means, how bad it is and how to mend it is in
``core.ordering.rulebook``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from aistream_nb.core.normalise.normaliser import Normaliser, Note, detect_dialect
from aistream_nb.core.ordering.advice import Adviser
from aistream_nb.core.ordering.facts import slip
from aistream_nb.core.ordering.input import check_input
from aistream_nb.core.ordering.machine import OrderMachine, Slip
from aistream_nb.core.ordering.rulebook import RULES
from aistream_nb.core.ordering.rules import PROFILES, Level, Profile, check_word
from aistream_nb.core.ordering.tables import RunState, diagram
from aistream_nb.core.spelling import nearest
from aistream_nb.core.values import Event
from aistream_nb.core.wire.events import as_event
from aistream_nb.core.wire.reader import RETIRED_TYPES, EventReader, Reading
from aistream_nb.core.wire.schema import EVENT_FIELDS
from aistream_nb.core.wire.shapes import Finding

__all__ = ["RULES", "DialectChoice", "OrderingVerifier", "Violation", "diagram"]

DialectChoice: TypeAlias = Literal["official", "tanstack"]

_COMMON_FIELDS: Final = ("/timestamp", "/rawEvent", "/metadata", "/subagentRunId")
_ITEM: Final = re.compile(r"/\d+(?=/|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One broken rule: where, what came, what was due, how to mend it."""

    rule: str
    """The stable id of the rule, such as ``tool.args_unopened``."""
    level: Level
    index: int
    """The event in the given stream, counted from 0; -1 for the stream as a whole."""
    event_type: str
    ids: tuple[str, ...]
    """The messages, calls, runs or other things that it is about."""
    message: str
    """What came, and where we were."""
    expected: str
    """What was due."""
    hint: str
    """What to change in the producer."""
    opened_at: int | None = None
    """The event that opened what it is about."""
    caused_by: int | None = None
    """The event that made this one wrong, such as the END that came too early."""
    synthesised: bool = False
    """Whether the offending event was made of a chunk, and never sent as such."""
    secondary: bool = False
    """Whether it comes after the first fatal violation, and may be its consequence."""

    def __str__(self) -> str:
        place = "stream" if self.index < 0 else f"event {self.index}"
        return (
            f"{place}: {self.level} {self.rule}: {self.message}. "
            f"Due: {self.expected}. Fix: {self.hint}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The same as a mapping, for JSON."""
        return asdict(self)


class OrderingVerifier:
    """What each event breaks, and what the stream as a whole breaks.

    ``profile`` says how much is shown: ``client`` what the official client refuses,
    ``spec`` what the specification forbids too, ``teach`` everything. ``run_input`` is
    the request that the stream answers and ``interrupts`` what waited for a person when
    it was sent; ``now`` (ISO 8601) tells which of those have expired. With ``dialect``
    ``tanstack`` a stream of TanStack AI 0.5 or 0.58 is translated first.

    >>> verifier = OrderingVerifier()
    >>> [
    ...     v.rule
    ...     for v in verifier.receive({"type": "TEXT_MESSAGE_END", "messageId": "m1"})
    ... ]
    ['run.first_event']
    """

    def __init__(  # each is independent, and keyword-only
        self,
        *,
        profile: Profile = "spec",
        run_input: Mapping[str, Any] | None = None,
        interrupts: Iterable[Mapping[str, Any]] = (),
        now: str | None = None,
        dialect: DialectChoice = "official",
        new_id: Callable[[], str] | None = None,
    ) -> None:
        check_word("profile", profile, PROFILES)
        check_word("dialect", dialect, get_args(DialectChoice))
        self.profile: Profile = profile
        self._reader = EventReader(new_id=new_id)
        self._machine = OrderMachine()
        self._adviser = Adviser(run_input=run_input, interrupts=interrupts)
        self._normaliser = Normaliser() if dialect == "tanstack" else None
        self._index = -1
        self._has_failed = False
        self._unknown: str | None = None  # the first type, while none is known
        self._is_known = False  # whether any event had a type of AG-UI
        self._told: set[Hashable] = set()
        self._violations: list[Violation] = []
        self._fresh: list[Violation] = []
        for found in check_input(self._adviser.facts, now=now):
            self.note(found, index=-1)
        self.opening: tuple[Violation, ...] = self._taken()
        """What is wrong with the request, before any event."""

    @property
    def violations(self) -> tuple[Violation, ...]:
        """All violations so far that the profile shows, in the order they came."""
        return tuple(self._violations)

    @property
    def ok(self) -> bool:
        """Whether nothing fatal and no error was found so far."""
        return not any(v.level in {"fatal", "error"} for v in self._violations)

    @property
    def run_state(self) -> RunState:
        """Where the run is: ``idle``, ``running``, ``finished`` or ``failed``."""
        return self._machine.run_state

    def what_is_open(self) -> dict[str, list[str]]:
        """The ids of what is open now, by kind."""
        return self._machine.what_is_open()

    def receive(
        self, event: object, *, index: int | None = None
    ) -> tuple[Violation, ...]:
        """The violations of one event: a mapping, JSON text or an object of an SDK.

        ``index`` is its position in the stream, if that is not the next one.
        """
        self._index = self._index + 1 if index is None else index
        wire = self._wire(event)
        if wire is None:
            return self._taken()
        if self._normaliser is None:
            self._judge(wire, self._index, wire)
        else:
            for one in self._normaliser.receive(wire):
                self._judge(one.event, one.origin, wire)
            for note in self._normaliser.notes:
                self._translated(note)
        return self._taken()

    def close(self) -> tuple[Violation, ...]:
        """The violations of the stream as a whole, now that it has ended."""
        if self._normaliser is not None:
            for one in self._normaliser.close():
                self._judge(one.event, one.origin, one.event)
        if self._index < 0 and not self._has_failed:
            self.note(_truncated("the stream ended without any event"), index=-1)
        elif self._unknown is not None and not self._is_known:
            words = f"none of its events, from {self._unknown!r} on, is one of AG-UI"
            self.note(_truncated(f"the stream ended, and {words}"), index=-1)
        elif self._machine.is_run_open:
            self.note(_truncated("the stream ended while a run is active"), index=-1)
        return self._taken()

    def note(
        self,
        found: Slip,
        *,
        index: int,
        event_type: str = "",
        synthesised: bool = False,
    ) -> None:
        """Add what somebody else found, such as a frame that is no JSON."""
        rule = RULES[found.rule]
        if rule.is_shown_in(self.profile):
            violation = Violation(
                rule=rule.id,
                level=rule.level,
                index=index,
                event_type=event_type,
                ids=found.ids,
                message=found.message,
                expected=found.expected,
                hint=rule.fix,
                opened_at=found.opened_at,
                caused_by=found.caused_by,
                synthesised=synthesised,
                secondary=self._has_failed,
            )
            self._violations.append(violation)
            self._fresh.append(violation)
        self._has_failed = self._has_failed or rule.level == "fatal"

    # ------------------------------------------------------------ one event

    def _taken(self) -> tuple[Violation, ...]:
        fresh, self._fresh = tuple(self._fresh), []
        return fresh

    def _wire(self, given: object) -> Event | None:
        """The event on the wire; None, and a violation, if it is none."""
        try:
            event = as_event(given)
        except ValueError:
            self.note(_NOT_JSON, index=self._index)
            return None
        except TypeError:
            self.note(_NOT_OBJECT, index=self._index)
            return None
        event_type = event.get("type")
        if not isinstance(event_type, str) or not event_type:
            self.note(_NO_TYPE, index=self._index)
            return None
        if event_type in EVENT_FIELDS or event_type in RETIRED_TYPES:
            self._is_known = True
        else:
            self._unknown = self._unknown or event_type
        return event

    def _judge(self, event: Event, index: int, given: Event) -> None:
        reading = self._reader.receive(event)
        event_type = event["type"]
        self._refuse(reading, event, index)
        refused = bool(reading.bad or reading.chunk_faults)
        from_chunk = event_type.endswith("_CHUNK")
        guessed = () if reading.guess is None else (reading.guess,)
        for explicit in (*reading.events, *guessed):
            found = self._machine.receive(explicit, index, doubtful=bool(reading.bad))
            made = explicit is not reading.event and explicit is not reading.guess
            for one in found:
                self.note(one, index=index, event_type=given["type"], synthesised=made)
            if self.profile == "client":
                continue
            advice = self._adviser.receive(
                explicit,
                index,
                refused=refused or bool(found),
                from_chunk=made and from_chunk,
            )
            for one in advice:
                self.note(one, index=index, event_type=given["type"], synthesised=made)
        self._remark(reading, event_type, index)

    def _refuse(self, reading: Reading, event: Event, index: int) -> None:
        """Tell for what the client refuses the event by itself."""
        found = [_malformed(event, bad) for bad in reading.bad if self._is_news(bad)]
        found += [
            slip(fault.rule, fault.message, fault.expected, *fault.ids)
            for fault in reading.chunk_faults
        ]
        for one in found:
            self.note(one, index=index, event_type=event["type"])

    def _remark(self, reading: Reading, event_type: str, index: int) -> None:
        """Tell what the client cuts out of the event, or translates."""
        found = [
            _removed(event_type, gone)
            for gone in reading.removed
            if self._first_time(event_type, _ITEM.sub("/*", gone.path))
        ]
        if reading.retired and self._first_time("retired"):
            found.append(
                slip(
                    "schema.retired",
                    f"{event_type}, as all of THINKING_*, is a name of earlier days",
                    "REASONING_* in place of THINKING_*",
                )
            )
        for one in found:
            self.note(one, index=index, event_type=event_type)

    def _is_news(self, bad: Finding) -> bool:
        """Whether it is worth telling: a bad clock is told once, not at every event."""
        common = bad.path.startswith(_COMMON_FIELDS)
        return not common or self._first_time(bad.path, bad.expected, bad.got)

    def _translated(self, note: Note) -> None:
        if self._first_time("dialect", note.event_type, note.message):
            self.note(
                slip(
                    "dialect.translated",
                    f"{note.event_type} {note.message}",
                    note.expected,
                ),
                index=note.index,
                event_type=note.event_type,
            )

    def _first_time(self, *what: Hashable) -> bool:
        first = what not in self._told
        self._told.add(what)
        return first


_NOT_JSON: Final = slip(
    "frame.bad_json", "a frame came whose data is no JSON", "one JSON object"
)
_NOT_OBJECT: Final = slip(
    "frame.not_object", "a frame came whose JSON is no object", "one JSON object"
)
_NO_TYPE: Final = slip(
    "frame.no_type", "an object came that has no type", "a type, such as RUN_STARTED"
)


def _truncated(message: str) -> Slip:
    return slip("stream.truncated", message, "RUN_FINISHED or RUN_ERROR")


def _malformed(event: Event, bad: Finding) -> Slip:
    dialect = detect_dialect(event)
    aside = (
        ""
        if dialect == "official"
        else "; this looks like the dialect of TanStack AI, which dialect='tanstack' "
        "reads"
    )
    return slip(
        "schema.malformed",
        f"{event['type']} holds {bad.got} at {bad.path}{aside}",
        f"{bad.expected} at {bad.path}",
        *(event.get(field) for field in ("messageId", "toolCallId")),
    )


def _removed(event_type: str, gone: Finding) -> Slip:
    if gone.path == "/type":
        meant = nearest(event_type, EVENT_FIELDS) or nearest(event_type, RETIRED_TYPES)
        if meant is not None:
            current = RETIRED_TYPES.get(meant, meant)
            return slip(
                "schema.misspelt_type",
                f"{event_type} is no event type of AG-UI 1.0, but nearly {meant}; the "
                "client drops the event",
                current,
            )
        return slip(
            "schema.unknown_type",
            f"{event_type} is no event type of AG-UI 1.0; the client drops the event",
            gone.expected,
        )
    return slip(
        "schema.unknown_member",
        f"{event_type} holds {gone.got} at {gone.path}, which AG-UI 1.0 does not "
        "describe; the client cuts it out",
        gone.expected,
    )
