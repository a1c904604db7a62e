"""AG-UI events out of Protocol Buffers (AG-UI, section 11).

Servers may answer with ``application/vnd.ag-ui.event+proto``: four bytes of length,
big-endian, then one message. Few do; the official client reads it and never asks for
it, and so do we. There is no writer here.

The reader is strict where bytes are broken and lenient where they are new: fields and
events that nobody here knows are skipped. :class:`ProtoFrames` raises nothing.

A frame costs its length: nothing is copied for each level of what is nested in it, and
behind a frame that is too long nothing is kept.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from aistream_nb.core.ordering.facts import slip
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.values import Event
from aistream_nb.core.wire.frames import MAX_FRAME, Frame
from aistream_nb.core.wire.proto_bytes import (
    ProtoError,
    WireValue,
    as_bytes,
    fields,
)
from aistream_nb.core.wire.proto_shapes import (
    ENVELOPE,
    OPERATIONS,
    SHAPES,
    ProtoField,
)

__all__ = ["ProtoError", "ProtoFrames", "read_proto"]

_HEAD: Final = 4
_MAX_DEPTH: Final = 100
_LONG_NUMBER: Final = 1e21
"""From here on JavaScript writes whole numbers with an exponent, as Python floats."""


class ProtoFrames:
    r"""Frames of an AG-UI stream in Protocol Buffers, out of bytes in any pieces.

    >>> frames = ProtoFrames()
    >>> frames.receive(b"\0\0\0\x06r")
    ()
    >>> [frame.event for frame in frames.receive(b"\x04\x1a\x02no")]
    [{'type': 'RUN_ERROR', 'message': 'no'}]
    """

    def __init__(self, *, max_frame: int = MAX_FRAME) -> None:
        self._max_frame = max_frame
        self._rest = bytearray()
        self._count = 0
        self._gave_up = False

    def receive(self, data: bytes) -> tuple[Frame, ...]:
        """The frames that ``data`` completes."""
        if self._gave_up:
            return ()
        self._rest += data
        return tuple(self._frames())

    def close(self) -> tuple[Frame, ...]:
        """What is wrong if the stream ends inside a frame."""
        if not self._rest:
            return ()
        self._rest.clear()
        return (self._counted(None, _TRUNCATED),)

    def _frames(self) -> Iterator[Frame]:
        while len(self._rest) >= _HEAD:
            length = int.from_bytes(self._rest[:_HEAD], "big")
            if length > self._max_frame:
                self._gave_up = True
                self._rest.clear()
                yield self._counted(None, _too_big(self._max_frame))
                return
            if len(self._rest) < _HEAD + length:
                return
            data = bytes(self._rest[_HEAD : _HEAD + length])
            del self._rest[: _HEAD + length]
            yield self._frame(data)

    def _frame(self, data: bytes) -> Frame:
        try:
            event = read_proto(data)
        except ProtoError:
            return self._counted(None, _BAD)
        return self._counted(event) if event else self._counted(None, _UNKNOWN)

    def _counted(self, event: Event | None, *faults: Slip) -> Frame:
        self._count += 1
        text = "" if event else "bytes that are no event"
        return Frame(index=self._count - 1, event=event, faults=faults, text=text)


def read_proto(data: bytes) -> dict[str, Any] | None:
    """The event that a message holds; None if it is of a type that is not known here.

    Raises:
        ProtoError: The bytes are no message, or hold more than one event.
    """
    found = [
        (number, body)
        for number, body in fields(memoryview(data))
        if number in ENVELOPE
    ]
    if len(found) > 1 or (not found and not data):
        raise ProtoError("a frame holds one event")
    if not found:
        return None
    event_type = ENVELOPE[found[0][0]]
    body = as_bytes(found[0][1])
    base = [value for number, value in fields(body) if number == 1]
    event = {"type": event_type, **_message(event_type, body)}
    for one in base:
        event.update(_message("base", as_bytes(one)))
    mend = _MENDED.get(event_type)
    return event if mend is None else mend(event)


# ---------------------------------------------------------------- messages


def _message(shape: str, data: memoryview) -> dict[str, Any]:
    """The fields of a message that its row knows."""
    row = SHAPES[shape]
    made: dict[str, Any] = {}
    for number, value in fields(data):
        field = row.get(number)
        if field is None:
            continue
        read = _field_value(field, value)
        if field.is_list:
            made.setdefault(field.name, []).append(read)
        else:
            made[field.name] = read
    for field in row.values():
        if field.is_implicit and field.name not in made:
            made[field.name] = [] if field.is_list else _EMPTY.get(field.kind, "")
    mend = _MENDED.get(shape) if shape.islower() else None
    return made if mend is None else mend(made)


_NOTHING: Final = memoryview(b"")
_EMPTY: Final[Mapping[str, Any]] = {"operation": [], "count": 0}


def _field_value(field: ProtoField, value: WireValue) -> Any:
    if field.kind == "text":
        return _text(value)
    if field.kind == "count":
        return _integer(value)
    if field.kind == "flag":
        return _integer(value) != 0
    if field.kind == "value":
        return _json_value(as_bytes(value), 0)
    if field.kind == "object":
        return _json_object(as_bytes(value), 0)
    return _message(field.kind, as_bytes(value))


def _json_value(data: memoryview, depth: int) -> Any:
    """Any JSON: one field says of which kind, and holds it."""
    if depth > _MAX_DEPTH:
        raise ProtoError("a value is nested too deeply")
    made: Any = None
    for number, value in fields(data):
        read = _JSON_KINDS.get(number)
        if read is not None:
            made = read(value, depth + 1)
    return made


def _json_object(data: memoryview, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for number, entry in fields(data):
        if number == 1:
            parts = dict(fields(as_bytes(entry)))
            made[_text(parts.get(1, _NOTHING))] = _json_value(
                as_bytes(parts.get(2, _NOTHING)), depth + 1
            )
    return made


def _json_list(data: memoryview, depth: int) -> list[Any]:
    return [
        _json_value(as_bytes(item), depth + 1)
        for number, item in fields(data)
        if number == 1
    ]


_JSON_KINDS: Final[Mapping[int, Callable[[WireValue, int], Any]]] = {
    1: lambda _value, _depth: None,
    2: lambda value, _depth: _number(value),
    3: lambda value, _depth: _text(value),
    4: lambda value, _depth: _integer(value) != 0,
    5: lambda value, depth: _json_object(as_bytes(value), depth),
    6: lambda value, depth: _json_list(as_bytes(value), depth),
}

# ---------------------------------------------------------------- mending


def _mend_message(made: dict[str, Any]) -> dict[str, Any]:
    """Content has three fields on the wire, by what it is made of."""
    parts = made.pop("contentParts", [])
    if parts:
        made["content"] = parts
    shown = made.pop("activityContent", None)
    if shown is not None or made.get("role") == "activity":
        made["content"] = shown or {}
    return made


def _mend_union(made: dict[str, Any]) -> dict[str, Any]:
    """One field holds the member of a union; its name is the member's type."""
    for name, member in made.items():
        return {"type": name, **member}
    return {"type": ""}


def _mend_operation(made: dict[str, Any]) -> dict[str, Any]:
    number = made["op"]
    known = 0 <= number < len(OPERATIONS)
    made["op"] = OPERATIONS[number] if known else str(number)
    return made


def _mend_finish(made: dict[str, Any]) -> dict[str, Any]:
    """The outcome's name and its lists stand apart on the wire."""
    lists = {
        name: made.pop(name)
        for name in ("interrupts", "pendingToolCallIds", "interruptIds")
        if name in made
    }
    outcome = made.pop("outcome", "")
    if outcome:
        made["outcome"] = {"type": outcome, **lists}
    return made


_MENDED: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "message": _mend_message,
    "part": _mend_union,
    "source": _mend_union,
    "operation": _mend_operation,
    "TOOL_CALL_RESULT": _mend_message,
    "RUN_FINISHED": _mend_finish,
    "SUBAGENT_FINISHED": _mend_finish,
}

# ---------------------------------------------------------------- bytes


def _integer(value: WireValue) -> int:
    if not isinstance(value, int):
        raise ProtoError("bytes stand where a number is due")
    return value - 2**64 if value >= 2**63 else value


def _number(value: WireValue) -> int | float:
    data = as_bytes(value)
    if len(data) != 8:  # noqa: PLR2004  # a double
        raise ProtoError("a number is not eight bytes long")
    number: float = struct.unpack("<d", data)[0]
    is_whole = number.is_integer() and abs(number) < _LONG_NUMBER
    return int(number) if is_whole else number


def _text(value: WireValue) -> str:
    try:
        return str(as_bytes(value), "utf-8")
    except UnicodeDecodeError:
        raise ProtoError("a text is not UTF-8") from None


def _too_big(limit: int) -> Slip:
    return slip(
        "frame.too_big",
        f"a frame is longer than {limit} bytes",
        "large values in pieces",
    )


_BAD: Final = slip(
    "frame.bad_proto", "a frame came that is no AG-UI event", "one event per frame"
)
_TRUNCATED: Final = slip(
    "frame.truncated_proto", "the stream ended inside a frame", "the rest of the frame"
)
_UNKNOWN: Final = slip(
    "schema.unknown_type",
    "a frame holds an event of a type that AG-UI 1.0 does not have",
    "an event type of AG-UI 1.0",
)
