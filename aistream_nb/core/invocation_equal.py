"""Whether two JSON texts say the same, as the tracker means it (section 5.3).

Key order is nothing and array order is something; numbers are compared as IEEE
doubles, and one that overflows is equal to nothing; kinds never mix; values nested
deeper than 100 are not equal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import is_array, is_mapping

__all__ = ["equivalent_json"]

_MAX_DEPTH: Final = 100


def equivalent_json(one: str, other: str) -> bool:
    """Whether both texts are whole JSON and their values are equal.

    >>> equivalent_json('{"a": 1, "b": [true]}', '{"b":[true],"a":1.0}')
    True
    >>> equivalent_json("1", "true"), equivalent_json("[1, 2]", "[2, 1]")
    (False, False)
    """
    try:
        return _equal(parse_json(one), parse_json(other), 0)
    except ValueError:
        return False


def _equal(one: Any, other: Any, depth: int) -> bool:
    if depth > _MAX_DEPTH:
        return False
    if is_mapping(one):
        return is_mapping(other) and _equal_objects(one, other, depth)
    if is_array(one):
        return is_array(other) and _equal_arrays(one, other, depth)
    if _is_number(one) and _is_number(other):
        double = _double(one)
        return math.isfinite(double) and double == _double(other)
    return type(one) is type(other) and one == other


def _equal_objects(
    one: Mapping[str, Any], other: Mapping[str, Any], depth: int
) -> bool:
    return one.keys() == other.keys() and all(
        _equal(value, other[key], depth + 1) for key, value in one.items()
    )


def _equal_arrays(one: Sequence[Any], other: Sequence[Any], depth: int) -> bool:
    return len(one) == len(other) and all(
        _equal(a, b, depth + 1) for a, b in zip(one, other, strict=True)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
