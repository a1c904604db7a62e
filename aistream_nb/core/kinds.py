"""What kind of value an option must have, and the words for one that has another.

An option of the wrong kind must not become an error in the middle of a run, far from
where it was given. The tables are where the options are; here are the kinds, and the
one sentence that is said. A value that may be a secret is not shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from aistream_nb.core.values import is_mapping

__all__ = [
    "COUNT",
    "FLAG",
    "FUNCTION",
    "MAPPING",
    "NUMBER",
    "SECONDS",
    "TEXT",
    "TEXTS",
    "WAIT",
    "WHOLE",
    "Kind",
    "wrong_kind",
]

Kind: TypeAlias = tuple[Callable[[Any], bool], str]
"""How a value of the kind is known, and what it is called."""


def _is_number(value: object) -> bool:
    if isinstance(value, bool):  # for Python True is 1; for who writes it, it is not
        return False
    return isinstance(value, (int, float)) and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_texts(value: object) -> bool:
    members = (*value, *value.values()) if is_mapping(value) else (None,)
    return all(isinstance(member, str) for member in members)


TEXT: Final[Kind] = (lambda value: isinstance(value, str), "text")
TEXTS: Final[Kind] = (_are_texts, "a mapping of text to text")
MAPPING: Final[Kind] = (is_mapping, "a mapping")
FLAG: Final[Kind] = (lambda value: isinstance(value, bool), "True or False")
FUNCTION: Final[Kind] = (callable, "a function")
NUMBER: Final[Kind] = (_is_number, "a number")
WHOLE: Final[Kind] = (_is_whole, "a whole number from 0 up")
COUNT: Final[Kind] = (
    lambda value: _is_whole(value) and value > 0,
    "a whole number above 0",
)
SECONDS: Final[Kind] = (
    lambda value: _is_number(value) and value > 0,
    "a number of seconds above 0",
)
WAIT: Final[Kind] = (
    lambda value: _is_number(value) and value >= 0,
    "a number of seconds from 0 up",
)


def wrong_kind(
    options: Iterable[tuple[str, object]],
    kinds: Mapping[str, Kind],
    *,
    optional: Iterable[str] = (),
    secret: Iterable[str] = (),
) -> str | None:
    """What to say of the first option that is of another kind; ``None`` if none is.

    Args:
        options: Names and values. One without a kind is for others to judge.
        kinds: What each must be.
        optional: Those that may be ``None``.
        secret: Those whose values are not shown.

    >>> wrong_kind([("timeout", "2")], {"timeout": SECONDS})
    "timeout='2' is not a number of seconds above 0"
    """
    may_be_none, hidden = frozenset(optional), frozenset(secret)
    for name, value in options:
        is_of_kind, words = kinds.get(name, _ANYTHING)
        if (value is None and name in may_be_none) or is_of_kind(value):
            continue
        kind = f" of type {type(value).__name__!r}"
        return f"{name}{kind if name in hidden else f'={value!r}'} is not {words}"
    return None


_ANYTHING: Final[Kind] = (lambda _: True, "anything")
