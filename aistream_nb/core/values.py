"""JSON values as Python sees them, and the one value that JSON lacks: absence.

``None`` is JSON's null, which is a value (a tool may well return it). A field that
is not there at all is :data:`ABSENT`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final, TypeAlias, TypeGuard

__all__ = [
    "ABSENT",
    "Absent",
    "Event",
    "JSONValue",
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
