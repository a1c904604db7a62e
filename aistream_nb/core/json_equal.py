"""Whether two JSON texts mean the same (tracker, section 5.3).

The rules are JavaScript's, because that is who wrote the other text: numbers are
doubles, the last of two equal keys wins, the order of keys says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import is_array, is_mapping

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


def _same(a: object, b: object, depth: int) -> bool:
    if is_mapping(a):
        return depth > 0 and is_mapping(b) and _same_members(a, b, depth - 1)
    if is_array(a):
        return depth > 0 and is_array(b) and _same_items(a, b, depth - 1)
    left, right = _double(a), _double(b)
    if left is None or right is None:
        return type(a) is type(b) and a == b
    return math.isfinite(left) and left == right


def _same_members(a: Mapping[str, Any], b: Mapping[str, Any], depth: int) -> bool:
    if a.keys() != b.keys():
        return False
    return all(_same(item, b[key], depth) for key, item in a.items())


def _same_items(a: Sequence[Any], b: Sequence[Any], depth: int) -> bool:
    if len(a) != len(b):
        return False
    return all(_same(x, y, depth) for x, y in zip(a, b, strict=True))


def _double(value: object) -> float | None:
    """JavaScript's number; ``None`` for what is no number, true and false included."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
