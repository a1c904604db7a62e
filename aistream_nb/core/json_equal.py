"""Whether two JSON texts mean the same (tracker, section 5.3).

The rules are JavaScript's, because that is who wrote the other text: numbers are
doubles, the last of two equal keys wins, the order of keys says nothing.
"""

from __future__ import annotations

import math
from typing import Any, Final

from aistream_nb.core.json_text import parse_json

__all__ = ["equivalent_json"]

_MAX_DEPTH: Final = 100


def equivalent_json(a: str, b: str) -> bool:
    """Whether both texts are strict JSON and mean the same value.

    A number too large for a double equals nothing, nor does a value that is nested
    deeper than 100.

    >>> equivalent_json('{"a": 1, "b": 2}', '{"b":2.0,"a":1e0}')
    True
    >>> equivalent_json("true", "1")
    False
    """
    try:
        left, right = parse_json(a), parse_json(b)
    except ValueError:
        return False
    return _same(left, right, _MAX_DEPTH)


def _same(a: Any, b: Any, depth: int) -> bool:
    if isinstance(a, (dict, list)):
        return depth > 0 and type(a) is type(b) and _same_members(a, b, depth - 1)
    if _is_number(a) and _is_number(b):
        left, right = _double(a), _double(b)
        return math.isfinite(left) and left == right
    return type(a) is type(b) and a == b


def _same_members(a: Any, b: Any, depth: int) -> bool:
    if len(a) != len(b):
        return False
    if isinstance(a, list):
        return all(_same(x, y, depth) for x, y in zip(a, b, strict=True))
    return all(key in b and _same(item, b[key], depth) for key, item in a.items())


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
