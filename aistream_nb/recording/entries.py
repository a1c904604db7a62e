"""The lines of a recording, as values.

An entry is one line: a time, a kind and a value. Two kinds matter here, ``event`` (an
AG-UI event) and ``wire`` (what passed between us and a provider); ``header`` adds to
the first line what was learned later. Kinds that we do not know are kept, because a
newer version may have written them.

A request on a line tells only what it adds to the one before it: see
:mod:`aistream_nb.recording.request_bodies`. Whoever reads an entry sees it whole.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.values import Event, is_mapping
from aistream_nb.recording.request_bodies import AS_BEFORE, difference, plain_body

__all__ = [
    "FORMAT",
    "KIND",
    "Entry",
    "Lines",
    "WireRound",
    "count_rounds",
    "ending_of",
    "header_line",
    "text_of",
    "wire_rounds",
]

FORMAT: Final = 1
"""The format that is written, and the newest that can be read."""

KIND: Final = "aistream_nb recording"
"""What the first line calls the file."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a recording after the first."""

    t: float
    """Seconds since the recording began."""
    kind: str
    kept: Any
    """The value as it is in memory: a request shares lists with the one before it."""

    @property
    def value(self) -> Any:
        """What happened, as plain JSON."""
        wire = self._kept_wire
        return self.kept if wire is None else _with_whole_body(wire)

    @property
    def event(self) -> Event | None:
        """The AG-UI event, if the entry is one."""
        return self.kept if self.kind == "event" and is_mapping(self.kept) else None

    @property
    def wire(self) -> Mapping[str, Any] | None:
        """What passed on the wire, if the entry tells that."""
        wire = self._kept_wire
        return None if wire is None else _with_whole_body(wire)

    @property
    def _kept_wire(self) -> Mapping[str, Any] | None:
        return self.kept if self.kind == "wire" and is_mapping(self.kept) else None

    def to_line(self) -> str:
        """The entry as a line of JSON, without the line's end.

        >>> Entry(0.5, "event", {"type": "RUN_STARTED"}).to_line()
        '{"t":0.5,"event":{"type":"RUN_STARTED"}}'
        """
        return encode_json({"t": self.t, self.kind: self.value})


def header_line(header: Mapping[str, Any]) -> str:
    """The first line of a recording.

    >>> header_line({"provider": "anthropic"})
    '{"kind":"aistream_nb recording","format":1,"provider":"anthropic"}'
    """
    return encode_json({"kind": KIND, "format": FORMAT, **header})


def _with_whole_body(wire: Mapping[str, Any]) -> Mapping[str, Any]:
    request = wire.get("request")
    body = request.get("body") if is_mapping(request) else None
    if not is_mapping(request) or not is_mapping(body):
        return wire
    return {**wire, "request": {**request, "body": plain_body(body)}}


class Lines:
    """The lines of a file, of which a request tells only what it adds.

    >>> lines = Lines()
    >>> for n, talk in ((1, ["a"]), (2, ["a", "b"])):
    ...     body = {"messages": talk}
    ...     print(lines.line(Entry(0, "wire", {"round": n, "request": {"body": body}})))
    {"t":0,"wire":{"round":1,"request":{"body":{"messages":["a"]}}}}
    {"t":0,"wire":{"round":2,"request":{"body":{"messages":["b"]}},"as_before":{"round":1,"body":{"messages":1}}}}
    """

    def __init__(self) -> None:
        self._round: Any = None
        self._body: Mapping[str, Any] = {}

    def line(self, entry: Entry) -> str:
        """The next entry as a line of JSON, without the line's end."""
        if entry.kind != "wire" or not is_mapping(entry.kept):
            return entry.to_line()
        return encode_json({"t": entry.t, "wire": self._told(entry.kept)})

    def _told(self, wire: Mapping[str, Any]) -> Mapping[str, Any]:
        request, number = wire.get("request"), wire.get("round")
        body = request.get("body") if is_mapping(request) else None
        if not is_mapping(request) or not is_mapping(body):
            return wire
        told, new = difference(self._body, body)
        before, self._round, self._body = self._round, number, body
        # What a reader looks for is a round with a number.
        if not told or type(before) is not int:
            return _with_whole_body(wire)
        return {
            **wire,
            "request": {**request, "body": new},
            AS_BEFORE: {"round": before, "body": told},
        }


def text_of(
    header: Mapping[str, Any], entries: Iterable[Entry], *, lines: Lines | None = None
) -> str:
    """A recording as the text of a file; ``lines`` may go on after that."""
    lines = lines or Lines()
    told = [header_line(header), *(lines.line(entry) for entry in entries)]
    return "".join(f"{line}\n" for line in told)


def ending_of(events: Iterable[Event]) -> str:
    """Where events end: ``finished``, ``failed``, or where they were cut off.

    >>> ending_of([{"type": "RUN_STARTED"}])
    'cut off after event 1 (RUN_STARTED)'
    """
    kinds = [str(event.get("type")) for event in events]
    runs = [kind for kind in kinds if kind.startswith("RUN_")]
    if not runs:
        return "no run"
    if runs[-1] == "RUN_STARTED":
        return f"cut off after event {len(kinds)} ({kinds[-1]})"
    return "failed" if runs[-1] == "RUN_ERROR" else "finished"


@dataclass(slots=True)
class WireRound:
    """One exchange with a provider: what was asked and the bytes that came."""

    round: int
    request: Mapping[str, Any] | None = None
    """Method, address and body; never headers."""
    response: Mapping[str, Any] | None = None
    """Status and content type."""
    chunks: list[tuple[float, bytes]] = field(default_factory=list[tuple[float, bytes]])
    """The body as it arrived: a time and a piece."""

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(piece for _, piece in self.chunks)


def count_rounds(entries: Iterable[Entry]) -> int:
    """How many exchanges :func:`wire_rounds` would find."""
    # No body is put together for a number.
    wires = (one.kept for one in entries if one.kind == "wire" and is_mapping(one.kept))
    numbers = (wire.get("round") for wire in wires)
    return len({number for number in numbers if isinstance(number, int)})


def wire_rounds(entries: Iterable[Entry]) -> tuple[WireRound, ...]:
    """The exchanges that ``entries`` tell of, in the order in which they began."""
    rounds: dict[Any, WireRound] = {}
    for entry in entries:
        wire = entry.wire
        number = wire.get("round") if wire is not None else None
        if wire is None or not isinstance(number, int):
            continue
        one = rounds.setdefault(number, WireRound(number))
        one.request = _object(wire, "request") or one.request
        one.response = _object(wire, "response") or one.response
        piece = _piece(wire)
        if piece:
            one.chunks.append((entry.t, piece))
    return tuple(rounds.values())


def _object(wire: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    value = wire.get(name)
    return value if is_mapping(value) else None


def _piece(wire: Mapping[str, Any]) -> bytes:
    text, coded = wire.get("text"), wire.get("base64")
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(coded, str):
        try:
            return base64.b64decode(coded, validate=True)
        except (binascii.Error, ValueError):
            return b""
    return b""
