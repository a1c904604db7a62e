"""JSON values as Python sees them, and the one value that JSON lacks: absence.

``None`` is JSON's null, which is a value (a tool may well return it). A field that
is not there at all is :data:`ABSENT`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from types import NoneType
from typing import Any, Final, TypeAlias, TypeGuard

__all__ = [
    "ABSENT",
    "Absent",
    "Event",
    "JSONValue",
    "copy_json",
    "is_array",
    "is_mapping",
    "present",
]

JSONValue: TypeAlias = (
    bool | int | float | str | list["JSONValue"] | dict[str, "JSONValue"] | None
)
"""What strict JSON text can say."""

Event: TypeAlias = Mapping[str, Any]
"""An AG-UI event as it is on the wire: a mapping with the protocol's own names.

Unknown types and unknown fields are legal and survive everything that we do.
"""


class Absent(Enum):
    """The type of :data:`ABSENT`; an enum, so that type checkers narrow on ``is``."""

    ABSENT = "absent"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
"""No value at all, as opposed to null."""


def is_array(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether ``value`` is a JSON array; tuples count, text does not."""
    return isinstance(value, (list, tuple))


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether ``value`` is a JSON object; keys are trusted to be strings."""
    return isinstance(value, Mapping)


def present(**fields: object) -> dict[str, Any]:
    """The given fields without those that are :data:`ABSENT`.

    >>> present(a=1, b=ABSENT, c=None)
    {'a': 1, 'c': None}
    """
    return {name: value for name, value in fields.items() if value is not ABSENT}


_SCALARS: Final = frozenset({str, int, float, bool, NoneType})


def copy_json(value: Any) -> Any:
    """A copy of a JSON value that shares no list and no object with it.

    Without recursion, so that depth does not matter. What is in the value twice, or
    in itself, is so in the copy, so that no value takes longer than its size.

    >>> inner = [1]
    >>> copy = copy_json({"a": inner})
    >>> inner.append(2)
    >>> copy
    {'a': [1]}
    """
    box: list[Any] = [value]
    copies = _Copies()
    todo: list[Any] = [box]
    while todo:
        target = todo.pop()
        for slot in _slots(target):
            member = target[slot]
            if type(member) not in _SCALARS:
                target[slot], is_new = copies.of(member)
                if is_new:
                    todo.append(target[slot])
    return box[0]


def _slots(container: Any) -> Iterable[Any]:
    return container if is_mapping(container) else range(len(container))


class _Copies:
    """Shallow copies of lists and objects, one of each."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[object, Any]] = {}  # an original keeps its id

    def of(self, value: object) -> tuple[Any, bool]:
        """The copy, and whether it is new; what has no members is its own copy."""
        known = self._made.get(id(value))
        if known is not None:
            return known[1], False
        if is_mapping(value):
            copy: Any = dict(value)
        elif is_array(value):
            copy = list(value)
        else:
            return value, False
        self._made[id(value)] = value, copy
        return copy, True
