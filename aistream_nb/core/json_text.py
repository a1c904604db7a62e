"""Strict JSON in, compact JSON out, with JavaScript's habits where the wire has them.

Two rules. Reading is strict: ``NaN``, ``Infinity`` and trailing text are errors, and
text that is nested too deeply is an error like any other. Writing follows
JavaScript's encoder (provider turns, section 4.12; stream processor, section 14): no
spaces, non-ASCII as it is, lone surrogates escaped, whole floats without a point,
numbers that are not finite as ``null``, dates as ISO text in UTC, absent members
left out. Writing does not recurse: how deep the caller's stack is never matters.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple, NoReturn

from aistream_nb.core.values import ABSENT, JSONValue, is_array, is_mapping

__all__ = [
    "JS_WHITESPACE",
    "UnencodableError",
    "encode_json",
    "encode_somehow",
    "encode_start",
    "is_blank",
    "join_surrogates",
    "join_texts",
    "parse_json",
]

JS_WHITESPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What ECMAScript calls white space; ``str.strip()`` of Python differs."""

_MAX_DEPTH: Final = 900
"""Deeper values are refused: they would exhaust the stack of whoever reads the text."""

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SURROGATE_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_JS_PLAIN_NOTATION_FROM: Final = 1e-6
_JS_EXPONENT_FROM: Final = 1e21


class UnencodableError(ValueError):
    """The value has no JSON text: a cycle, too deep, or of a type that JSON lacks."""


def is_blank(text: str) -> bool:
    """Whether ``text`` is empty or only ECMAScript white space."""
    return not text.strip(JS_WHITESPACE)


def join_surrogates(text: str) -> str:
    """``text`` with surrogate halves that met joined into the character they mean.

    A character above U+FFFF may arrive in two halves, in two deltas. A half that
    never gets its partner stays as it is.
    """
    if not _SURROGATE_PAIR.search(text):
        return text
    halves = text.encode("utf-16-le", "surrogatepass")
    return halves.decode("utf-16-le", "surrogatepass")


def join_texts(texts: Sequence[str]) -> str:
    """The texts as one; halves of a character that two of them hold meet.

    One text alone is given as it is, without a look at it.
    """
    if len(texts) == 1:
        return texts[0]
    whole = "".join(texts)
    return whole if whole.isascii() else join_surrogates(whole)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def parse_json(text: str | bytes) -> JSONValue:
    """The value of strict JSON text.

    Raises:
        ValueError: The text is not JSON, or nested too deeply to be read.

    >>> parse_json('{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("the JSON text is nested too deeply") from None


def encode_json(value: object) -> str:
    """The JSON text of ``value``, as JavaScript would write it.

    Raises:
        UnencodableError: The value holds itself, is nested too deeply, or holds
            something that JSON cannot say.

    >>> encode_json({"n": 1.0, "s": "č", "x": [float("nan"), None]})
    '{"n":1,"s":"č","x":[null,null]}'
    """
    pieces: list[str] = []
    _write(value, pieces.append)
    return "".join(pieces)


def encode_somehow(value: object) -> str:
    """The JSON text of ``value``; if it has none, what Python says of it.

    >>> encode_somehow([1]), encode_somehow(1j)
    ('[1]', '1j')
    """
    try:
        return encode_json(value)
    except UnencodableError:
        pass
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - too deep to be said, or it cannot say itself
        return f"<{type(value).__name__}>"


def encode_start(value: object, *, most: int) -> tuple[str, bool]:
    """The first ``most`` characters of a value's JSON text, and whether that is all.

    What comes after them is neither looked at nor written, so the work is bounded by
    ``most`` and not by the value.

    Raises:
        UnencodableError: As :func:`encode_json`, as far as the text is written.

    >>> encode_start([1, 2, 3], most=7), encode_start([1, 2, 3], most=6)
    (('[1,2,3]', True), ('[1,2,3', False))
    """
    pieces: list[str] = []
    left = most

    def keep(piece: str) -> None:
        nonlocal left
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            raise _EnoughError

    try:
        _write(value, keep, longest=most)
    except _EnoughError:
        return "".join(pieces)[:most], False
    return "".join(pieces), True


class _EnoughError(Exception):
    """As much is written as was asked for."""


def _write(
    value: object, out: Callable[[str], None], *, longest: int | None = None
) -> None:
    """Write piece by piece; of a text at least the first ``longest`` characters."""
    stack = [_Open("", iter([("", value)]), "", 0)]
    open_ids = {0}
    while stack:
        for lead, member in stack[-1].members:
            out(lead)
            text = _scalar(member, longest)
            if text is None:
                stack.append(_opened(member, open_ids))
                out(stack[-1].opener)
                break
            out(text)
        else:
            out(stack[-1].closer)
            open_ids.discard(stack.pop().identity)


class _Open(NamedTuple):
    """A value whose members are being written."""

    opener: str
    members: Iterator[tuple[str, object]]
    """Each with the text that goes before it."""
    closer: str
    identity: int


def _scalar(value: object, longest: int | None) -> str | None:
    """The text of a value that has no members; ``None`` for all others."""
    if isinstance(value, str):
        return _quoted(str.__str__(value)[:longest])
    if value is None or value is ABSENT:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _number(value)
    return None


def _opened(value: object, open_ids: set[int]) -> _Open:
    identity = id(value)
    if len(open_ids) > _MAX_DEPTH:
        raise UnencodableError("the value is nested too deeply")
    if identity in open_ids:
        raise UnencodableError("the value contains itself")
    open_ids.add(identity)
    if is_mapping(value):
        return _Open("{", _members(value), "}", identity)
    if is_array(value):
        return _Open("[", _items(value), "]", identity)
    return _Open("", iter([("", _dumped(value))]), "", identity)


def _members(value: Mapping[Any, object]) -> Iterator[tuple[str, object]]:
    separator = ""
    for key, member in value.items():
        if member is not ABSENT:
            yield f"{separator}{_quoted(_key(key))}:", member
            separator = ","


def _items(value: Sequence[object]) -> Iterator[tuple[str, object]]:
    separator = ""
    for item in value:
        yield separator, item
        separator = ","


def _dumped(value: object) -> object:
    """Objects that know how to become JSON: dates, and what pydantic can dump."""
    # Duck typing, because this room imports neither the clock nor a framework.
    if not isinstance(value, type):
        if callable(getattr(value, "isoformat", None)):
            return _iso_text(value)
        dump = getattr(value, "model_dump", None)
        if callable(dump):
            return dump(mode="json")
    raise UnencodableError(f"a value of type {type(value).__name__!r} has no JSON text")


def _iso_text(moment: Any) -> str:
    """Date-times in UTC with milliseconds and ``Z``; dates and times as they are."""
    if not hasattr(moment, "timestamp"):
        return str(moment.isoformat())
    offset = moment.utcoffset()
    if offset is not None:
        moment = moment.replace(tzinfo=None) - offset
    return f"{moment.isoformat(timespec='milliseconds')}Z"


def _key(key: object) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, (bool, int, float)) or key is None:
        return encode_json(key)
    raise UnencodableError(f"a key of type {type(key).__name__!r} has no JSON text")


def _quoted(text: str) -> str:
    quoted = json.dumps(join_surrogates(text), ensure_ascii=False)
    return _LONE_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", quoted)


def _integer(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:
        raise UnencodableError("the integer has too many digits") from None


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    return _js_digits(float(value))


def _js_digits(value: float) -> str:
    """Shortest digits; an exponent from 1e21 up and from 1e-7 down."""
    text = repr(value)
    if _JS_PLAIN_NOTATION_FROM <= abs(value) < _JS_EXPONENT_FROM:
        return format(Decimal(text), "f").removesuffix(".0")
    mantissa, _, exponent = text.partition("e")
    sign = "-" if exponent.startswith("-") else "+"
    return f"{mantissa.removesuffix('.0')}e{sign}{exponent.lstrip('+-').lstrip('0')}"
