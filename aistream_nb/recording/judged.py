"""Streams to look at: every item is a row, and what is wrong with it is known.

What somebody has may be events, a recording, a file, or the bytes of a server's
answer. Bytes are judged as they came, frame by frame, so that a frame that is no event
is a row like the others and every index is that of ``check_ordering``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final, cast

from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.ordering.verifier import OrderingVerifier, Violation
from aistream_nb.core.values import Event, is_mapping
from aistream_nb.core.wire.events import as_event
from aistream_nb.core.wire.frame_readers import frames_of_body, is_binary
from aistream_nb.core.wire.frames import MAX_FRAME, Frame, check_answer
from aistream_nb.errors import RecordingError
from aistream_nb.recording.recorder import Recording

__all__ = [
    "NO_EVENT",
    "Answer",
    "Judged",
    "Row",
    "answer_rows",
    "item_rows",
    "source_of",
]

NO_EVENT: Final = "(no event)"
"""The type of a row that holds something else."""
_FRAME_STARTS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
_TOLD: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One item of a stream."""

    event: Event
    """The event, or what stands in its place."""
    given: object = None
    """What is judged, if that is something else."""
    is_judged: bool = True
    """Whether more is wrong with it than its frame says."""
    faults: tuple[Slip, ...] = ()
    """What is wrong with the frame that it came in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came around the bytes of an answer."""

    status: int = 200
    content_type: str | None = None
    max_frame: int = MAX_FRAME


class Judged:
    """A stream, and what its items break. Take what there is; a live one has more.

    >>> judged = Judged([{"type": "RUN_STARTED"}, "{"], verifier=OrderingVerifier())
    >>> [event["type"] for event, _ in judged.take()]
    ['RUN_STARTED', '(no event)']
    >>> [(at, found.rule) for at, found in judged.found][-2:]
    [(2, 'frame.bad_json'), (2, 'stream.truncated')]
    """

    def __init__(
        self,
        source: Any,
        *,
        verifier: OrderingVerifier,
        answer: Answer | None = None,
        live: bool = False,
    ) -> None:
        self._verifier = verifier
        self._live = live
        self.found: list[tuple[int, Violation]] = []
        """Each violation, and how many items had come when it could be seen."""
        self._told = 0
        self._count = 0
        self._cursor = 0
        self._rows: list[Row] = []
        self._whole: list[Slip] = []
        opened = source_of(source)
        if isinstance(opened, Recording):
            self._recording = opened
        else:
            self._recording = self._read(opened, answer or Answer())
        self._note_new()

    def _read(self, source: bytes | list[object], answer: Answer) -> Recording:
        if isinstance(source, bytes):
            before = check_answer(
                status=answer.status, content_type=answer.content_type
            )
            for found in before:
                self._verifier.note(found, index=-1)
            self._rows, self._whole = answer_rows(source, answer)
        else:
            self._rows = list(item_rows(source))
        # Through a recording, so that no secret is kept here that is not kept there.
        return Recording.of(row.event for row in self._rows)

    def take(self) -> list[tuple[Event, float]]:
        """The events that came since this was last asked, with their times."""
        entries = self._recording.entries_from(self._cursor)
        self._cursor += len(entries)
        events = [
            (event, entry.t) for entry in entries if (event := entry.event) is not None
        ]
        for event, _ in events:
            self._judge(event)
        if not self._live:
            self._close()
        return events

    def _judge(self, event: Event) -> None:
        index = self._count
        self._count += 1
        row = self._rows[index] if index < len(self._rows) else Row(event=event)
        for fault in row.faults:
            self._verifier.note(fault, index=index)
        if row.is_judged:
            given = event if row.given is None else row.given
            self._verifier.receive(given, index=index)
        self._note_new()

    def _close(self) -> None:
        for fault in self._whole:
            self._verifier.note(fault, index=-1)
        self._verifier.close()
        self._note_new()

    def _note_new(self) -> None:
        violations = self._verifier.violations
        self.found += [(self._count, found) for found in violations[self._told :]]
        self._told = len(violations)


def source_of(source: Any) -> Recording | bytes | list[object]:
    """What somebody means: a recording, an answer's bytes, or items one by one.

    Raises:
        RecordingError: The file cannot be read.
        TypeError: It is nothing that holds events.
    """
    recording = getattr(source, "recording", source)
    if isinstance(recording, Recording):
        return recording
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(cast("bytes", source))
    if isinstance(source, str) and _is_text(source):
        return _read(source.encode("utf-8", "surrogatepass"), path="the text")
    if isinstance(source, (str, PathLike)):
        path = cast("str | PathLike[str]", source)
        return _read(_content(path), path=str(path))
    held: object = getattr(source, "events", source)
    if is_mapping(held) or not isinstance(held, Iterable):
        raise TypeError(
            f"a stream is a list of events, a recording, a path, bytes or a chat, not "
            f"{type(source).__name__}"
        )
    return list(cast("Iterable[object]", held))


def _is_text(source: str) -> bool:
    start = source.lstrip()
    return start.startswith(("{", "[", "data:")) or "\n" in source


def _read(content: bytes, *, path: str) -> Recording | bytes:
    """A server's own bytes stay bytes, so that their frames are judged too."""
    is_dump = is_binary(content) or content.lstrip().startswith(_FRAME_STARTS)
    return content if is_dump else Recording.read(content, path=path)


def _content(path: str | PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise RecordingError(
            f"{path} cannot be read: {error.strerror}", path=str(path)
        ) from error


def item_rows(items: Iterable[object]) -> Iterator[Row]:
    """The rows of items that somebody has: mappings, JSON texts, objects of an SDK."""
    for item in items:
        try:
            yield Row(event=as_event(item))
        except (TypeError, ValueError):
            event = {"type": NO_EVENT, "content": str(item)[:_TOLD]}
            yield Row(event=event, given=item)


def answer_rows(body: bytes, answer: Answer) -> tuple[list[Row], list[Slip]]:
    """The rows of an answer, and what is wrong with it as a whole, at its end."""
    is_read = 200 <= answer.status < 300  # noqa: PLR2004 - HTTP's success
    content = body if is_read else b""
    frames = frames_of_body(content, answer.content_type, max_frame=answer.max_frame)
    rows: list[Row] = []
    whole: list[Slip] = []
    waiting: tuple[Slip, ...] = ()
    for frame in (*frames.receive(content), *frames.close()):
        if frame.index < 0:
            whole += frame.faults
        elif frame.event is None and not frame.text:
            waiting += frame.faults  # it is not counted: told at the next that is
        else:
            rows.append(_frame_row(frame, waiting))
            waiting = ()
    return rows, [*waiting, *whole]


def _frame_row(frame: Frame, before: tuple[Slip, ...]) -> Row:
    faults = (*before, *frame.faults)
    if frame.event is not None:
        return Row(event=frame.event, faults=faults)
    event = {"type": NO_EVENT, "content": frame.text}
    return Row(event=event, is_judged=False, faults=faults)
