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

from aistream_nb.core.redaction import Redactor
from aistream_nb.core.values import Event, is_mapping
from aistream_nb.errors import RecordingError
from aistream_nb.recording.compaction import compact_entries
from aistream_nb.recording.difference import RecordingDiff, compare_events
from aistream_nb.recording.entries import (
    Entry,
    WireRound,
    header_line,
    wire_rounds,
)
from aistream_nb.recording.intake import (
    event_on_the_wire,
    message_without_headers,
    piece_on_a_line,
)
from aistream_nb.recording.journal import Journal, write_whole
from aistream_nb.recording.reading import Loaded, read_recording
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
        self._redactor = Redactor(secrets)
        self._clock: Callable[[], float] = clock
        self._start: float = clock()
        self._entries: list[Entry] = []
        self._events: list[Event] = []
        self._journal: Journal | None = None
        self._header: dict[str, Any] = {}
        self.name: str = "recording"
        """What comparisons call it: the file's name, where there is one."""
        self.notices: list[str] = []
        """What was repaired or lost, in words."""
        self._header.update(self._plain(header or {}))

    # ------------------------------------------------------------ writing

    def learn_secret(self, secret: str) -> None:
        """Never keep this value, wherever it turns up from now on."""
        self._redactor.learn(secret)

    def describe(self, **header: Any) -> None:
        """Add to the header what was learned later.

        >>> recording = Recording(clock=lambda: 0.0)
        >>> recording.describe(model="claude-sonnet-5")
        >>> recording.header
        {'model': 'claude-sonnet-5'}
        """
        added = self._plain(header)
        self._header.update(added)
        if self._journal is not None:
            self._write(Entry(self._now(), "header", added).to_line())

    def append(self, event: object) -> None:
        """Keep one event: a mapping, or an object of the AG-UI SDK."""
        plain = self._plain(event_on_the_wire(event))
        self._events.append(plain)
        self._add(Entry(self._now(), "event", plain))

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
        wire: dict[str, Any] = {"round": number}
        if request is not None:
            wire["request"] = self._plain(message_without_headers(request))
        if response is not None:
            wire["response"] = self._plain(message_without_headers(response))
        if content is not None:
            wire.update(piece_on_a_line(self._redactor.redact_bytes(content)))
        self._add(Entry(self._now(), "wire", wire))

    def append_note(self, kind: str, value: object) -> None:
        """Keep something of another kind, which readers may ignore."""
        self._add(Entry(self._now(), kind, self._redactor.redact(value)))

    def _add(self, entry: Entry) -> None:
        self._entries.append(entry)
        if self._journal is not None:
            self._write(entry.to_line())

    def _write(self, line: str) -> None:
        assert self._journal is not None  # noqa: S101 both callers looked
        try:
            self._journal.write(line)
        except RecordingError as error:
            # Rule 2: the run goes on, and so does the recording in memory.
            self.notices.append(f"{error}; the file ends here")
            self._journal = None

    def _now(self) -> float:
        passed = self._clock() - self._start
        last = self._entries[-1].t if self._entries else 0.0
        # A clock may go back, or say what is no time; times in a recording do neither.
        return max(round(passed, 6), last) if math.isfinite(passed) else last

    def _plain(self, value: Mapping[str, Any]) -> dict[str, Any]:
        plain = self._redactor.redact(value)
        return plain if isinstance(plain, dict) else {}

    # ------------------------------------------------------------ looking

    @property
    def header(self) -> Mapping[str, Any]:
        """What the first line says beside kind and format."""
        return dict(self._header)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything, in order, with times."""
        return tuple(self._entries)

    @property
    def events(self) -> tuple[Event, ...]:
        """The AG-UI events, in order."""
        return tuple(self._events)

    @property
    def rounds(self) -> tuple[WireRound, ...]:
        """The exchanges with a provider, ready to be played again."""
        return wire_rounds(self._entries)

    @property
    def ending(self) -> str:
        """Where it ended: ``finished``, ``failed``, or where it was cut off.

        >>> recording = Recording(clock=lambda: 0.0)
        >>> recording.append({"type": "RUN_STARTED"})
        >>> recording.ending
        'cut off after event 1 (RUN_STARTED)'
        """
        kinds = [str(event.get("type")) for event in self._events]
        runs = [kind for kind in kinds if kind.startswith("RUN_")]
        if not runs:
            return "no run"
        if runs[-1] == "RUN_STARTED":
            return f"cut off after event {len(kinds)} ({kinds[-1]})"
        return "failed" if runs[-1] == "RUN_ERROR" else "finished"

    def __len__(self) -> int:
        return len(self._events)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        told = [counted(len(self._events), "event")]
        rounds = len(self.rounds)
        told += [counted(rounds, "provider round")] if rounds else []
        said = [
            str(self._header[k]) for k in ("provider", "model") if k in self._header
        ]
        told += [" ".join(said)] if said else []
        return f"<Recording of {', '.join(told)}>"

    def _repr_html_(self) -> str:
        return event_rows(self._events, title=repr(self).strip("<>"))

    def timing_chart(self) -> TimingChart:
        """When the first token came, where the gaps are, how long the tools took."""
        return TimingChart(self._entries)

    # ------------------------------------------------------------ comparing

    def compact(self) -> Recording:
        """The same story with neighbouring deltas joined."""
        compacted = Recording(clock=self._clock, header=self._header)
        compacted.name = self.name
        compacted._take(Loaded(entries=compact_entries(self._entries)))
        return compacted

    def diff(self, other: Recording) -> RecordingDiff:
        """What ``other`` has that this one has not, and the other way round."""
        names = (self.name, other.name)
        if names[0] == names[1]:
            names = (f"{names[0]} (this)", f"{names[1]} (other)")
        return compare_events(
            self.compact().events, other.compact().events, names=names
        )

    def _take(self, loaded: Loaded) -> None:
        """Keep what a file held, redacted like everything that comes in."""
        self._header.update(self._plain(loaded.header))
        for entry in loaded.entries:
            value = self._redactor.redact(entry.value)
            self._entries.append(Entry(entry.t, entry.kind, value))
            if entry.kind == "event" and is_mapping(value):
                self._events.append(value)
        self.notices.extend(loaded.notices)
        if self._entries:
            # What is appended from now on happens after what was loaded.
            self._start = self._clock() - self._entries[-1].t

    def continued(self, *, clock: Callable[[], float] | None = None) -> Recording:
        """A recording that begins with all of this one and goes on by itself.

        What is appended to it happens after what is here, and is not written to the
        file of this one.
        """
        copy = Recording(clock=clock or self._clock, header=self._header)
        copy.name = self.name
        copy._take(Loaded(entries=list(self._entries), notices=list(self.notices)))
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
        try:
            content = place.read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise RecordingError(
                f"{place} cannot be read: {reason}", path=str(place)
            ) from error
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
        write_whole(place, self._text())
        return place

    def _text(self) -> str:
        lines = [header_line(self._header), *(one.to_line() for one in self._entries)]
        return "".join(f"{line}\n" for line in lines)

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
        recording._header.update(recording._plain(header or {}))
        recording.record_to(place)
        return recording

    def record_to(self, path: str | PathLike[str]) -> None:
        """Write everything to a file, and all that comes as it comes.

        Raises:
            RecordingError: The file cannot be written.
        """
        self.close()
        place = self.save(path)
        self._journal = Journal(place)
        self.name = place.name

    def close(self) -> None:
        """Finish the file that grows, if there is one.

        Raises:
            RecordingError: The last bytes cannot be written.
        """
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
