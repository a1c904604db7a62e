"""Texts within an AG-UI message in Protocol Buffers, put into other words.

A recording keeps a server's bytes without the secrets in them. In the binary form a
text has its length before it, and so has everything that it stands in; so a text is
changed where it is, and the lengths around it follow. What is no text, and what nobody
here knows, stays as it is: fields of the future hold bytes, and count as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from aistream_nb.core.wire.proto_bytes import (
    ProtoError,
    as_bytes,
    fields,
    raw_fields,
    write_field,
)
from aistream_nb.core.wire.proto_shapes import ENVELOPE, SHAPES

__all__ = ["Rewriting", "rewrite_proto"]

_MAX_DEPTH: Final = 100
_KindOf: TypeAlias = Callable[[int], str | None]
"""Says what the field of a number holds, if that is known."""
_PLAIN: Final = frozenset({"text", "count", "flag"})


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What is changed."""

    text: Callable[[bytes], bytes]
    """A text in other words."""
    hides: Callable[[str], bool]
    """Whether texts that stand under this name in an object are not told at all."""
    hidden: bytes
    """What stands in their place."""


def rewrite_proto(data: bytes, rewriting: Rewriting) -> bytes:
    """The message of one frame with its texts in other words.

    Raises:
        ProtoError: The bytes are no message.
    """
    return _Rewriter(rewriting).fields_of(memoryview(data), ENVELOPE.get)


class _Rewriter:
    """Goes through one message."""

    def __init__(self, rewriting: Rewriting) -> None:
        self._rewriting = rewriting

    def fields_of(self, data: memoryview, kind_of: _KindOf, depth: int = 0) -> bytes:
        """A message, of whose fields ``kind_of`` says what they hold."""
        if depth > _MAX_DEPTH:
            raise ProtoError("a value is nested too deeply")
        out: list[bytes | memoryview] = []
        for field in raw_fields(data):
            if field.has_length:
                kind, value = kind_of(field.number), as_bytes(field.value)
                made = self._value(kind or "text", value, depth + 1)
                out.append(write_field(field.number, made))
            else:
                out.append(field.raw)
        return b"".join(out)

    def _value(self, kind: str, data: memoryview, depth: int) -> bytes:
        if kind in _PLAIN:
            return self._rewriting.text(bytes(data))
        if kind == "hidden":
            return self._rewriting.hidden if data else b""
        if kind == "entry":
            return self._entry(data, depth)
        return self.fields_of(data, _KINDS.get(kind) or _kinds_of(kind), depth)

    def _entry(self, data: memoryview, depth: int) -> bytes:
        """A member of an object: its name says whether it is told."""
        name = dict(fields(data)).get(1, memoryview(b""))
        said = bytes(as_bytes(name)).decode("utf-8", "replace")
        value = "hidden value" if self._rewriting.hides(said) else "value"
        return self.fields_of(data, {1: "text", 2: value}.get, depth)


def _kinds_of(shape: str) -> _KindOf:
    """What the fields of a row hold; field 1 of an event is what all events have."""
    row = SHAPES[shape]

    def kind_of(number: int) -> str | None:
        field = row.get(number)
        if field is not None:
            return field.kind
        return "base" if number == 1 and shape.isupper() else None

    return kind_of


_KINDS: Final[Mapping[str, _KindOf]] = {
    "value": {3: "text", 5: "object", 6: "list"}.get,
    "list": {1: "value"}.get,
    "object": {1: "entry"}.get,
    "hidden value": {3: "hidden", 5: "object", 6: "hidden list"}.get,
    "hidden list": {1: "hidden value"}.get,
}
"""What the fields of JSON hold."""
