"""Recording: what happened in a conversation, kept line by line.

Rules that a change must keep:

1. Secrets are taken out on the way in: nothing that could leak is ever in memory here.
2. Recording never ends a run. What cannot be written is told in ``notices``; what JSON
   cannot say is replaced by words.
3. What is shown holds no times, so that a notebook shows the same text every day.

The formats are told in :mod:`aistream_nb.recording.reading`, the lines in
:mod:`aistream_nb.recording.entries`. Playing a recording is the player's work.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aistream_nb.core.values import Event
from aistream_nb.errors import RecordingError
from aistream_nb.recording.compaction import compact_entries
from aistream_nb.recording.difference import RecordingDiff, compare_events
from aistream_nb.recording.entries import (
    Entry,
    Lines,
    WireRound,
    count_rounds,
    ending_of,
    text_of,
    wire_rounds,
)
from aistream_nb.recording.intake import Intake
from aistream_nb.recording.journal import Journal, write_whole
from aistream_nb.recording.reading import Loaded, bytes_of, read_recording
from aistream_nb.recording.rows import counted, event_rows
from aistream_nb.recording.timing_chart import TimingChart

__all__ = ["Recording"]


class Recording:
    """Events and wire bytes of a conversation, in the order in which they happened.

    Args:
        clock: Seconds that only grow; times are counted from the first look at it.
        header: What the first line says beside kind and format: provider, model,
            threadId, created, whatever the driver knows.
        secrets: Values that must never be kept, such as API keys.

    >>> recording = Recording(clock=lambda: 0.0)
    >>> recording.append({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})
    >>> recording
    <Recording of 1 event>
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        header: Mapping[str, Any] | None = None,
        secrets: Iterable[str] = (),
    ) -> None:
        self._intake = Intake(secrets)
        self._clock: Callable[[], float] = clock
        self._start: float = clock()
        self._entries: list[Entry] = []
        self._events: list[Event] = []
        self._journal: Journal | None = None
        self._lines: Lines = Lines()
        self._header: dict[str, Any] = self._intake.mapping(header or {})
        self.name: str = "recording"
        """What comparisons call it: the file's name, where there is one."""
        self.notices: list[str] = []
        """What was repaired or lost, in words."""

    # ------------------------------------------------------------ writing

    def learn_secret(self, secret: str) -> None:
        """Never keep this value, wherever it turns up from now on."""
        self._intake.learn_secret(secret)

    def describe(self, **header: Any) -> None:
        """Add to the header what was learned later.

        >>> recording = Recording(clock=lambda: 0.0)
        >>> recording.describe(model="claude-sonnet-5")
        >>> recording.header
        {'model': 'claude-sonnet-5'}
        """
        added = self._intake.mapping(header)
        self._header.update(added)
        if self._journal is not None:
            self._write(Entry(self._now(), "header", added))

    def append(self, event: object) -> None:
        """Keep one event: a mapping, or an object of the AG-UI SDK."""
        self._keep(self._intake.event(event))

    def append_wire(
        self,
        number: int,
        *,
        request: Mapping[str, Any] | None = None,
        response: Mapping[str, Any] | None = None,
        content: bytes | None = None,
    ) -> None:
        """Keep what passed between us and a provider in round ``number``.

        Args:
            number: The round, counted from 1.
            request: Method, address (``url``) and body. Headers are left out.
            response: Status and content type. Headers are left out.
            content: One piece of the body, as it arrived.
        """
        take = self._intake.wire
        self._keep(take(number, request=request, response=response, content=content))

    def append_note(self, kind: str, value: object) -> None:
        """Keep something of another kind, which readers may ignore."""
        self._add(Entry(self._now(), kind, self._intake.value(value)))

    def _keep(self, kept: Iterable[tuple[str, dict[str, Any]]]) -> None:
        for kind, value in kept:
            self._add(Entry(self._now(), kind, value))

    def _add(self, entry: Entry) -> None:
        self._entries.append(entry)
        if entry.event is not None:
            self._events.append(entry.event)
        if self._journal is not None:
            self._write(entry)

    def _write(self, entry: Entry) -> None:
        assert self._journal is not None  # noqa: S101 both callers looked
        try:
            self._journal.write(self._lines.line(entry))
        except RecordingError as error:
            # Rule 2: the run goes on, and so does the recording in memory.
            self.notices.append(f"{error}; the file ends here")
            self._journal = None

    def _now(self) -> float:
        passed = self._clock() - self._start
        last = self._entries[-1].t if self._entries else 0.0
        # A clock may go back, or say what is no time; times in a recording do neither.
        return max(round(passed, 6), last) if math.isfinite(passed) else last

    def _with_pending(self) -> list[Entry]:
        """All entries, and what is kept back while more may come."""
        pending = self._intake.pending
        if not pending:
            return self._entries
        now = self._now()
        return [*self._entries, *(Entry(now, kind, value) for kind, value in pending)]

    # ------------------------------------------------------------ looking

    @property
    def header(self) -> Mapping[str, Any]:
        """What the first line says beside kind and format."""
        return dict(self._header)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything, in order, with times."""
        return tuple(self._with_pending())

    def entries_from(self, start: int) -> tuple[Entry, ...]:
        """The entries from one on, for who follows a recording that grows."""
        return tuple(self._entries[start:])

    @property
    def events(self) -> tuple[Event, ...]:
        """The AG-UI events, in order."""
        pending = self._with_pending()[len(self._entries) :]
        return (*self._events, *(one.event for one in pending if one.event is not None))

    @property
    def rounds(self) -> tuple[WireRound, ...]:
        """The exchanges with a provider, ready to be played again."""
        return wire_rounds(self._with_pending())

    @property
    def ending(self) -> str:
        """Where it ended: ``finished``, ``failed``, or where it was cut off.

        >>> recording = Recording(clock=lambda: 0.0)
        >>> recording.append({"type": "RUN_STARTED"})
        >>> recording.ending
        'cut off after event 1 (RUN_STARTED)'
        """
        return ending_of(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        told = [counted(len(self), "event")]
        rounds = count_rounds(self._with_pending())
        told += [counted(rounds, "provider round")] if rounds else []
        said = [
            str(self._header[k]) for k in ("provider", "model") if k in self._header
        ]
        told += [" ".join(said)] if said else []
        return f"<Recording of {', '.join(told)}>"

    def _repr_html_(self) -> str:
        return event_rows(self.events, title=repr(self).strip("<>"))

    def timing_chart(self) -> TimingChart:
        """When the first token came, where the gaps are, how long the tools took."""
        return TimingChart(self._with_pending())

    # ------------------------------------------------------------ comparing

    def compact(self) -> Recording:
        """The same story with neighbouring deltas joined."""
        return self._copy(compact_entries(self._with_pending()), self._clock)

    def diff(self, other: Recording) -> RecordingDiff:
        """What ``other`` has that this one has not, and the other way round."""
        names = (self.name, other.name)
        if names[0] == names[1]:
            names = (f"{names[0]} (this)", f"{names[1]} (other)")
        return compare_events(
            self.compact().events, other.compact().events, names=names
        )

    def _take(self, loaded: Loaded) -> None:
        """Keep what a file held, without secrets like everything that comes in."""
        self._header.update(self._intake.mapping(loaded.header))
        self.notices.extend(loaded.notices)
        taken = [
            Entry(one.t, kind, value)
            for one in loaded.entries
            for kind, value in self._intake.loaded(one.kind, one.kept)
        ]
        self.notices.extend(self._intake.requests.notices)
        last = taken[-1].t if taken else 0.0
        rest = [Entry(last, kind, value) for kind, value in self._intake.close()]
        self._hold([*taken, *rest])

    def _hold(self, entries: Iterable[Entry]) -> None:
        """Begin with these entries, which are kept as they are."""
        self._entries.extend(entries)
        self._events.extend(e.event for e in self._entries if e.event is not None)
        if self._entries:
            # What is appended from now on happens after what was loaded.
            self._start = self._clock() - self._entries[-1].t

    def continued(self, *, clock: Callable[[], float] | None = None) -> Recording:
        """A recording that begins with all of this one and goes on by itself.

        What is appended to it happens after what is here, and is not written to the
        file of this one.
        """
        copy = self._copy(self._with_pending(), clock or self._clock)
        copy.notices.extend(self.notices)
        return copy

    def _copy(self, entries: Iterable[Entry], clock: Callable[[], float]) -> Recording:
        copy = Recording(clock=clock, header=self._header)
        copy.name = self.name
        copy._hold(entries)
        copy._intake.go_on_after(copy._entries)
        return copy

    # ------------------------------------------------------------ files

    @classmethod
    def of(cls, events: Iterable[object], **header: Any) -> Recording:
        """A recording of events that are at hand, without times.

        >>> Recording.of([{"type": "RUN_STARTED"}, {"type": "RUN_FINISHED"}])
        <Recording of 2 events>
        """
        recording = cls(clock=lambda: 0.0, header=header)
        for event in events:
            recording.append(event)
        return recording

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        *,
        clock: Callable[[], float] = time.monotonic,
        secrets: Iterable[str] = (),
    ) -> Recording:
        """The recording in a file, whatever format it has.

        Raises:
            RecordingError: It cannot be read, is no recording, or is a newer one.
        """
        place = Path(path)
        content = bytes_of(place)
        recording = cls.read(content, path=str(place), clock=clock, secrets=secrets)
        recording.name = place.name
        return recording

    @classmethod
    def read(
        cls,
        content: bytes,
        *,
        path: str = "the recording",
        clock: Callable[[], float] = time.monotonic,
        secrets: Iterable[str] = (),
    ) -> Recording:
        """The recording in ``content``; ``path`` is what errors call it.

        Raises:
            RecordingError: It is no recording, or a newer one.
        """
        recording = cls(clock=clock, secrets=secrets)
        recording._take(read_recording(content, path=path))
        return recording

    def save(self, path: str | PathLike[str]) -> Path:
        """Write everything to a file (``.gz`` compresses); returns where.

        Raises:
            RecordingError: The file cannot be written.
        """
        place = Path(path)
        write_whole(place, text_of(self._header, self._with_pending()))
        return place

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        clock: Callable[[], float] = time.monotonic,
        header: Mapping[str, Any] | None = None,
        secrets: Iterable[str] = (),
    ) -> Recording:
        """A recording that is written to a file while it grows.

        What the file holds already is kept and continued; a torn last line is repaired
        and told in ``notices``.

        Raises:
            RecordingError: The file cannot be read or written.
        """
        place = Path(path)
        if os.path.exists(place) and place.stat().st_size:  # noqa: PTH110 Path's raises for a name that cannot be
            recording = cls.load(place, clock=clock, secrets=secrets)
        else:
            recording = cls(clock=clock, secrets=secrets)
        recording._header.update(recording._intake.mapping(header or {}))
        recording.record_to(place)
        return recording

    def record_to(self, path: str | PathLike[str]) -> None:
        """Write everything to a file, and all that comes as it comes.

        Raises:
            RecordingError: The file cannot be written.
        """
        self.close()
        place = Path(path)
        # What is kept back is written when more is known, and not twice.
        self._lines = Lines()
        write_whole(place, text_of(self._header, self._entries, lines=self._lines))
        self._journal = Journal(place)
        self.name = place.name

    def close(self) -> None:
        """Finish the file that grows, if there is one.

        Raises:
            RecordingError: The last bytes cannot be written.
        """
        for entry in self._with_pending()[len(self._entries) :]:
            if self._journal is not None:
                self._write(entry)
        journal, self._journal = self._journal, None
        if journal is not None:
            journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
