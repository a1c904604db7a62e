"""Checks of JSON values that leave good values, and name what was wrong (AG-UI, 4, 5).

A *check* takes a value and where it stands, and gives back the value without what it
must not hold. Two things can be the matter, and they climb differently:

- a **bad** value of a known field is a fault. It makes everything around it bad, up
  to a field of the event, which is then left out.
- an **unknown** member (of a tagged union, or a field nobody described) is cut out
  with a note. Where it cannot be missed, what holds it goes too, until something
  optional or a list item can go.

Not here: which fields there are (``core.wire.schema``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeAlias

from aistream_nb.core.values import is_array, is_mapping

__all__ = [
    "Check",
    "Fields",
    "Findings",
    "Verdict",
    "anything",
    "array",
    "boolean",
    "check_fields",
    "free_object",
    "integer",
    "kind_of",
    "nothing_null",
    "object_of",
    "one_of",
    "pattern",
    "text",
    "union",
]


class Verdict(Enum):
    """Why a check gives no value back."""

    BAD = "bad"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was wrong, and where."""

    path: str
    """A JSON Pointer into the event."""
    expected: str
    got: str


@dataclass(slots=True)
class Findings:
    """What the checks of one event came upon."""

    bad: list[Finding] = field(default_factory=list["Finding"])
    removed: list[Finding] = field(default_factory=list["Finding"])

    def refuse(self, path: str, expected: str, value: object) -> Verdict:
        """Note a bad value."""
        self.bad.append(Finding(path, expected, kind_of(value)))
        return Verdict.BAD

    def remove(self, path: str, expected: str, value: object) -> Verdict:
        """Note something unknown, which is cut out."""
        self.removed.append(Finding(path, expected, kind_of(value)))
        return Verdict.UNKNOWN


Check: TypeAlias = Callable[[Any, str, Findings], Any]

_SAFE: Final = 2**53 - 1
_MISSING: Final = object()


def kind_of(value: object) -> str:
    """What JSON calls the value, with a number's kind; never the value itself."""
    if value is _MISSING:
        return "nothing"
    if value is None:
        return "null"
    for types, name in _KINDS:
        if isinstance(value, types):
            return name
    return f"a {type(value).__name__}"


_KINDS: Final[tuple[tuple[Any, str], ...]] = (
    (bool, "a boolean"),
    (int, "a number"),
    (float, "a number"),
    (str, "a string"),
    (Mapping, "an object"),
    ((list, tuple), "an array"),
)


def anything(value: Any, path: str, findings: Findings) -> Any:  # noqa: ARG001  # a Check
    """Any JSON value, null too."""
    return value


def nothing_null(value: Any, path: str, findings: Findings) -> Any:
    """Any JSON value but null."""
    return findings.refuse(path, "any value but null", None) if value is None else value


def text(value: Any, path: str, findings: Findings) -> Any:
    """A string, the empty one too."""
    if isinstance(value, str):
        return value
    return findings.refuse(path, "a string", value)


def boolean(value: Any, path: str, findings: Findings) -> Any:
    """``true`` or ``false``."""
    if isinstance(value, bool):
        return value
    return findings.refuse(path, "a boolean", value)


def free_object(value: Any, path: str, findings: Findings) -> Any:
    """An object with any members."""
    if is_mapping(value):
        return value
    return findings.refuse(path, "an object", value)


def integer(*, minimum: int = -_SAFE) -> Check:
    """A whole number that JavaScript keeps exactly; ``1.0`` is one, ``true`` is not."""

    def check(value: Any, path: str, findings: Findings) -> Any:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if number and minimum <= value <= _SAFE and value == int(value):
            return value
        return findings.refuse(path, f"a whole number from {minimum}", value)

    return check


def one_of(*words: str) -> Check:
    """One of the given strings; any other is bad."""
    wanted = " or ".join(repr(word) for word in words)

    def check(value: Any, path: str, findings: Findings) -> Any:
        if isinstance(value, str) and value in words:
            return value
        return findings.refuse(path, wanted, value)

    return check


def pattern(matches: Callable[[str], object], what: str) -> Check:
    """A string that ``matches`` accepts."""

    def check(value: Any, path: str, findings: Findings) -> Any:
        if isinstance(value, str) and matches(value):
            return value
        return findings.refuse(path, what, value)

    return check


def array(item: Check, *, minimum: int = 0) -> Check:
    """A list of at least ``minimum`` items; unknown ones are cut out."""

    def check(value: Any, path: str, findings: Findings) -> Any:
        if not is_array(value):
            return findings.refuse(path, "an array", value)
        if len(value) < minimum:
            expected = f"an array of at least {minimum}"
            return findings.refuse(path, expected, value)
        items = [item(v, f"{path}/{n}", findings) for n, v in enumerate(value)]
        if Verdict.BAD in items:
            return Verdict.BAD
        return [v for v in items if v is not Verdict.UNKNOWN]

    return check


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The fields of an object."""

    required: Mapping[str, Check] = field(default_factory=dict[str, Check])
    optional: Mapping[str, Check] = field(default_factory=dict[str, Check])
    null_is_absent: frozenset[str] = frozenset()
    open: bool = False
    """Whether fields that nobody described are kept."""

    def with_fields(
        self,
        *,
        required: Mapping[str, Check] | None = None,
        optional: Mapping[str, Check] | None = None,
        null_is_absent: tuple[str, ...] = (),
    ) -> Fields:
        """The same, and more."""
        return Fields(
            required={**self.required, **(required or {})},
            optional={**self.optional, **(optional or {})},
            null_is_absent=self.null_is_absent | {*null_is_absent},
            open=self.open,
        )


def object_of(fields: Fields) -> Check:
    """An object with these fields."""

    def check(value: Any, path: str, findings: Findings) -> Any:
        if not is_mapping(value):
            return findings.refuse(path, "an object", value)
        kept, verdict = check_fields(fields, value, path, findings)
        return kept if verdict is None else verdict

    return check


def check_fields(
    fields: Fields, value: Mapping[str, Any], path: str, findings: Findings
) -> tuple[dict[str, Any], Verdict | None]:
    """The good fields of an object, and what becomes of the object if not all are."""
    kept: dict[str, Any] = {}
    verdicts: set[Verdict] = set()
    for name, given in value.items():
        if given is None and name in fields.null_is_absent:
            continue
        cleaned = _check_field(fields, name, given, f"{path}/{name}", findings)
        if not isinstance(cleaned, Verdict):
            kept[name] = cleaned
        elif cleaned is Verdict.BAD or name in fields.required:
            verdicts.add(cleaned)
    for name in fields.required:
        if name not in value:
            verdicts.add(findings.refuse(f"{path}/{name}", "a value", _MISSING))
    if Verdict.BAD in verdicts:
        return kept, Verdict.BAD
    return kept, Verdict.UNKNOWN if verdicts else None


def _check_field(
    fields: Fields, name: str, value: object, path: str, findings: Findings
) -> Any:
    check = fields.required.get(name) or fields.optional.get(name)
    if check is not None:
        return check(value, path, findings)
    if fields.open:
        return value
    return findings.remove(path, "no such field", value)


def union(tag: str, members: Mapping[str, Check]) -> Check:
    """An object whose ``tag`` says which check it must pass.

    With another tag, or without one, it is unknown.
    """
    known = " or ".join(repr(name) for name in members)

    def check(value: Any, path: str, findings: Findings) -> Any:
        if not is_mapping(value):
            return findings.refuse(path, "an object", value)
        name = value.get(tag, _MISSING)
        if not isinstance(name, str) or name not in members:
            return findings.remove(f"{path}/{tag}", known, name)
        return members[name](value, path, findings)

    return check
