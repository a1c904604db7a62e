"""Protocol Buffers as bytes: the fields of a message, read and written.

What the fields mean, nobody knows here. Nothing of a message is copied to look at it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "ProtoError",
    "RawField",
    "WireValue",
    "as_bytes",
    "fields",
    "framed",
    "raw_fields",
    "write_field",
]

WireValue: TypeAlias = int | memoryview
"""What a field holds: a whole number, or bytes of the message."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10


class ProtoError(ValueError):
    """Bytes are no AG-UI event in Protocol Buffers."""


@dataclass(frozen=True, slots=True)
class RawField:
    """One field of a message, and how it stood there."""

    number: int
    value: WireValue
    raw: memoryview
    """All of it: number, kind and value."""
    has_length: bool
    """Whether its value is bytes of any length, such as a text or a message."""


def fields(data: memoryview) -> Iterator[tuple[int, WireValue]]:
    """The numbers and values of a message's fields.

    Raises:
        ProtoError: The bytes are no message.
    """
    return ((field.number, field.value) for field in raw_fields(data))


def raw_fields(data: memoryview) -> Iterator[RawField]:
    """The fields of a message.

    Raises:
        ProtoError: The bytes are no message.
    """
    place = 0
    while place < len(data):
        start = place
        tag, place = _varint(data, place)
        number, kind = tag >> 3, tag & 7
        if number == 0:
            raise ProtoError("a field has the number 0")
        value, place = _value(kind, data, place)
        yield RawField(number, value, data[start:place], kind == _BYTES)


def _value(kind: int, data: memoryview, place: int) -> tuple[WireValue, int]:
    """A field's value, and where it ends."""
    if kind == _VARINT:
        return _varint(data, place)
    length = {_FIXED64: 8, _FIXED32: 4}.get(kind, 0)
    if kind == _BYTES:
        length, place = _varint(data, place)
    elif not length:
        raise ProtoError("a field is of a kind that is not known")
    if place + length > len(data):
        raise ProtoError("a field is longer than its message")
    return data[place : place + length], place + length


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    value = 0
    for count in range(_LONGEST_VARINT):
        if place + count >= len(data):
            break
        byte = data[place + count]
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:  # noqa: PLR2004  # the highest bit says that more follows
            return value, place + count + 1
    raise ProtoError("a number has no end")


def as_bytes(value: WireValue) -> memoryview:
    """The bytes of a field.

    Raises:
        ProtoError: It holds a number.
    """
    if isinstance(value, int):
        raise ProtoError("a number stands where a message is due")
    return value


def write_field(number: int, data: bytes) -> bytes:
    r"""A field that holds bytes.

    >>> write_field(3, b"no")
    b'\x1a\x02no'
    """
    return _write_varint(number << 3 | _BYTES) + _write_varint(len(data)) + data


def framed(data: bytes) -> bytes:
    r"""A message with its length before it, as it stands in a stream.

    >>> framed(b"no")
    b'\x00\x00\x00\x02no'
    """
    return struct.pack(">I", len(data)) + data


def _write_varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:  # noqa: PLR2004  # seven bits fit into a byte
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
