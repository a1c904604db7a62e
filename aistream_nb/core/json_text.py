"""Strict JSON in, compact JSON out, with JavaScript's habits where the wire has them.

Two rules. Reading is strict: ``NaN``, ``Infinity`` and trailing text are errors, and
text that is nested too deeply is an error like any other. Writing follows
JavaScript's encoder (provider turns, section 4.12; stream processor, section 14): no
spaces, non-ASCII as it is, lone surrogates escaped, whole floats without a point,
numbers that are not finite as ``null``, dates as ISO text in UTC, absent members
left out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NoReturn

from aistream_nb.core.values import ABSENT, JSONValue, is_array, is_mapping

__all__ = [
    "JS_WHITESPACE",
    "UnencodableError",
    "encode_json",
    "is_blank",
    "join_surrogates",
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
    _write(value, pieces.append, set(), 0)
    return "".join(pieces)


def _write(value: object, out: Any, open_ids: set[int], depth: int) -> None:
    if isinstance(value, str):
        out(_quoted(str(value)))
    elif value is None or value is ABSENT:
        out("null")
    elif isinstance(value, bool):
        out("true" if value else "false")
    elif isinstance(value, int):
        out(_integer(value))
    elif isinstance(value, float):
        out(_number(value))
    else:
        _write_composite(value, out, open_ids, depth)


def _write_composite(value: object, out: Any, open_ids: set[int], depth: int) -> None:
    if depth >= _MAX_DEPTH:
        raise UnencodableError("the value is nested too deeply")
    if id(value) in open_ids:
        raise UnencodableError("the value contains itself")
    open_ids.add(id(value))
    if is_mapping(value):
        _write_object(value, out, open_ids, depth)
    elif is_array(value):
        _write_array(value, out, open_ids, depth)
    else:
        _write_foreign(value, out, open_ids, depth)
    open_ids.discard(id(value))


def _write_object(
    value: Mapping[Any, Any], out: Any, open_ids: set[int], depth: int
) -> None:
    separator = "{"
    for key, member in value.items():
        if member is ABSENT:
            continue
        out(separator)
        out(_quoted(_key(key)))
        out(":")
        _write(member, out, open_ids, depth + 1)
        separator = ","
    out("}" if separator == "," else "{}")


def _write_array(
    value: Sequence[Any], out: Any, open_ids: set[int], depth: int
) -> None:
    separator = "["
    for item in value:
        out(separator)
        _write(item, out, open_ids, depth + 1)
        separator = ","
    out("]" if separator == "," else "[]")


def _write_foreign(value: object, out: Any, open_ids: set[int], depth: int) -> None:
    """Objects that know how to become JSON: dates, and what pydantic can dump."""
    # Duck typing, because this room imports neither the clock nor a framework.
    isoformat = getattr(value, "isoformat", None)
    if callable(isoformat):
        out(_quoted(_iso_text(value)))
        return
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        _write(dump(mode="json"), out, open_ids, depth + 1)
        return
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
        return key
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
    if not exponent:
        return text.removesuffix(".0")
    sign = "-" if exponent.startswith("-") else "+"
    return f"{mantissa.removesuffix('.0')}e{sign}{exponent.lstrip('+-').lstrip('0')}"
