"""What is fuzzed: six machines that read what strangers wrote, and the laws of each.

A target takes bytes and raises only where a law is broken, so that hypothesis (in
``tests/faults/test_fuzz.py``), atheris (``tests/support/fuzz.py``, by hand) and the
kept cases all hold the same. Bytes become events by :class:`Draw`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from browser_copy import Pair
from event_soups import FIELDS, RETIRED, Event, seen
from fault_kit import kept_text

import aistream_nb as ai
from aistream_nb.core.json_text import parse_json
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.partial_json.parsers import (
    ABSENT,
    ArgumentsParser,
    PartialJSONParser,
    parse_partial_json,
    read_partial_arguments,
)
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.wire.events import EVENT_TYPES
from aistream_nb.core.wire.frames import AGUIFrames
from aistream_nb.core.wire.proto import ProtoFrames
from aistream_nb.core.wire.sse import FrameTooLongError, SSEDecoder
from aistream_nb.errors import RecordingError
from aistream_nb.recording import Recording
from aistream_nb.widgets.wire import ACTIONS, DOWN, Batch

T = TypeVar("T")
LONGEST = 4000
WORDS = (
    *("", "a", "b", "c", "a", "b", "assistant", "user", "tool", "reasoning", "text"),
    *("{", '{"n": 1}', '"', "[1,", "\ud83d", "\ude00", " \n", "approval-requested"),
    *("aistream:asked", "aistream:decision", "aistream:executing", "proceed", "deny"),
    *("structured-output.start", "tool-input-available", "interrupt", "/n", "add"),
)
KEYS = (*FIELDS, "id", "type", "op", "path", "approval", "interrupts", "usage", "input")


class Draw:
    """Choices that are made by bytes; where these end, the first choice is made."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self, below: int) -> int:
        """A number from 0."""
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1] % below

    def of(self, things: Sequence[T]) -> T:
        return things[self.number(len(things))]

    def rest(self) -> bytes:
        return self._data[self._at :]

    @property
    def is_empty(self) -> bool:
        return self._at >= len(self._data)

    def text(self) -> str:
        if self.number(4):
            return self.of(WORDS)
        size = self.number(9)
        piece = self._data[self._at : self._at + size]
        self._at += size
        return piece.decode("utf-8", "surrogateescape")

    def value(self, depth: int = 0) -> Any:
        """Anything that JSON can say, and a little more."""
        kind = self.number(10 if depth < 4 else 7)  # leaves only, below
        if kind < 5:  # half of all are texts
            return self.text()
        if kind == 5:
            return self.of((None, True, False, 0, -1, 7, 10**40, 1e300, float("nan")))
        if kind < 8:
            return {self.of(KEYS): self.value(depth + 1) for _ in range(self.number(4))}
        return [self.value(depth + 1) for _ in range(self.number(4))]

    def events(self) -> list[Event]:
        """Events of any type with any fields, until the bytes end."""
        soup: list[Event] = []
        kinds = (*EVENT_TYPES, *RETIRED, "NOBODY_KNOWS")
        while not self.is_empty and len(soup) < 60:  # long enough
            fields = {self.of(FIELDS): self.value() for _ in range(self.number(7))}
            soup.append({**fields, "type": self.of(kinds)})
        return soup


def pieces_of(draw: Draw, body: T) -> list[T]:
    """A text or bytes in pieces, some of them empty."""
    sizes = [draw.number(16) for _ in range(4)] or [1]
    whole: Any = body
    cut: list[T] = []
    at = turn = 0
    while at < len(whole):
        size = sizes[turn % 4] or (turn % 3)
        cut.append(whole[at : at + size])
        at, turn = at + size, turn + 1
    return cut


# ---------------------------------------------------------------- the six


def sse(data: bytes) -> None:
    """Where the bytes are cut makes no difference, and no byte raises."""
    draw = Draw(data)
    body = draw.rest()[4 : 4 + LONGEST]
    pieces = pieces_of(draw, body)
    whole, cut = SSEDecoder(), SSEDecoder()
    at_once = [*whole.receive(body), *whole.close()]
    by_piece = [event for piece in pieces for event in cut.receive(piece)]
    assert [*by_piece, *cut.close()] == at_once
    assert whole.saw_carriage_returns == cut.saw_carriage_returns
    assert whole.ended_unterminated == cut.ended_unterminated
    narrow = SSEDecoder(max_frame_length=16)
    try:
        for piece in pieces:
            narrow.receive(piece)
    except FrameTooLongError:
        pass


def partial_json(data: bytes) -> None:
    """Read as it grows is read at once; what JSON itself accepts, both accept."""
    draw = Draw(data)
    text = draw.rest()[4 : 4 + 400].decode("utf-8", "surrogateescape")
    preview, arguments, so_far = PartialJSONParser(), ArgumentsParser(), ""
    for piece in pieces_of(draw, text):
        so_far += piece
        preview.receive(piece)
        arguments.receive(piece)
        assert said(preview.value) == said(parse_partial_json(so_far))
        whole = read_partial_arguments(so_far)
        assert (whole.value is not ABSENT) == arguments.readable
        assert (whole.path, whole.state) == (arguments.path, arguments.state)
        if arguments.readable:
            assert said(arguments.value) == said(whole.value)
    try:
        strict = parse_json(text)
    except ValueError:
        assert not arguments.complete
        return
    assert arguments.complete
    if isinstance(strict, (dict, list)):
        assert said(arguments.value) == said(strict)
        assert said(preview.value) == said(strict)


def said(value: Any) -> str:
    """Text that tells apart 1, 1.0 and true, and joins halves of one character."""
    if value is ABSENT:
        return "absent"
    units = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "surrogatepass")


def processor(data: bytes) -> None:
    """No soup raises, a replay equals the run, and what was handed in stays."""
    draw = Draw(data)
    options: Mapping[str, Any] = draw.of(
        ({}, {"message_per_id": True, "final_states": True})
    )
    soup = draw.events()
    before = repr(soup)
    one, two = StreamProcessor(**options), StreamProcessor(**options)
    for event in soup:
        one.receive(event)
        look_at(one)
    for event in soup:
        two.receive(event)
    assert repr(soup) == before
    assert repr(seen(one)) == repr(seen(two))
    one.finalize()
    one.finalize()
    assert one.state.content == one.result.content
    assert one.to_model_messages(faithful=bool(options)) is not None


def look_at(processor: StreamProcessor) -> None:
    ids = [message.id for message in processor.messages]
    assert len(ids) == len(set(ids))
    for message_id in processor.take_changes():
        processor.message(message_id)


def verifier(data: bytes) -> None:
    """Every stream has one report, whoever asks and however often."""
    draw = Draw(data)
    dialect: Any = draw.of(("official", "tanstack"))
    profile: Any = draw.of(("teach", "client", "spec"))
    soup = draw.events()
    before = repr(soup)
    reports = [check_ordering(soup, profile=profile, dialect=dialect) for _ in range(2)]
    assert repr(soup) == before
    assert repr(reports[0]) == repr(reports[1])
    assert str(reports[0]) == str(reports[1])
    assert reports[0]._repr_html_()
    client = check_ordering(soup, profile="client", dialect=dialect).violations
    teach = check_ordering(soup, profile="teach", dialect=dialect).violations
    fatal = [(it.rule, it.index) for it in teach if it.level == "fatal"]
    assert [(it.rule, it.index) for it in client] == fatal


def wire(data: bytes) -> None:
    """Frames are read whatever they hold; a page that follows equals a snapshot."""
    draw = Draw(data)
    kind = draw.number(3)
    if kind == 0:
        frames_of_a_server(draw)
    elif kind == 1:
        words_of_a_page(draw)
    else:
        frames_for_a_page(draw)


def frames_of_a_server(draw: Draw) -> None:
    make: Callable[[], AGUIFrames | ProtoFrames]
    make = draw.of((ProtoFrames, AGUIFrames))
    body = draw.rest()[4 : 4 + LONGEST]
    whole, cut = make(), make()
    at_once = [*whole.receive(body), *whole.close()]
    by_piece = [it for piece in pieces_of(draw, body) for it in cut.receive(piece)]
    by_piece += cut.close()
    assert repr(by_piece) == repr(at_once)


def words_of_a_page(draw: Draw) -> None:
    content = draw.value()
    if isinstance(content, dict):
        kinds = ("decide", "send", "stop", "ready", "rows", "seek", "play", "edit")
        content = {**content, "type": draw.of(kinds), "id": draw.text()}
    try:
        action = ACTIONS.validate_python(content)
    except ValueError:
        return
    assert ACTIONS.validate_json(action.model_dump_json()) == action


def frames_for_a_page(draw: Draw) -> None:
    pair = Pair()
    for number, event in enumerate(draw.events()):
        pair.conversation.receive(event)
        if number % 3 == 0:
            batch = Batch(seq=number + 1, frames=pair.encoder.take())
            assert DOWN.validate_json(batch.model_dump_json()) == batch
            pair.copy.apply(batch.frames)
    pair.take()
    snapshot = pair.encoder.snapshot().model_dump(mode="json")
    assert pair.copy.view["messages"] == snapshot["messages"]
    assert pair.copy.view["run"] == snapshot["run"]


def recording(data: bytes) -> None:
    """A recording is read or refused; what was read can be kept and looked at."""
    try:
        found = Recording.read(data)
    except RecordingError:
        return
    again = Recording.read(kept_text(found).encode())
    assert again.events == found.events
    assert len(again.entries) == len(found.entries)
    player = ai.Player(found)
    player.seek(len(found))
    player.seek(0)
    assert found.compact().events is not None
    assert found._repr_html_()
    assert found.rounds is not None
    assert not found.diff(again)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "sse": sse,
    "partial_json": partial_json,
    "processor": processor,
    "verifier": verifier,
    "wire": wire,
    "recording": recording,
}
