"""What must hold before a run is sent: open interrupts are answered (AG-UI, 7e, 13)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from aistream_nb.core.ordering.facts import ThreadFacts, slip
from aistream_nb.core.ordering.machine import Slip

__all__ = ["check_input", "instant"]

_ISO: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?"
    r"([Zz]|([+-])(\d\d):?(\d\d))?"
)


def check_input(facts: ThreadFacts, *, now: str | None) -> list[Slip]:
    """The rules that a request breaks by how it answers the open interrupts."""
    slips: list[Slip] = []
    uncovered = facts.uncovered()
    if uncovered:
        names = ", ".join(repr(i) for i in uncovered)
        slips.append(
            slip(
                "input.interrupt_uncovered",
                f"the request leaves the open interrupt {names} unanswered",
                "one resume entry for each open interrupt",
                *uncovered,
            )
        )
    expired = [i for i in facts.resume if _is_expired(facts, i, now)]
    if expired:
        names = ", ".join(repr(i) for i in expired)
        slips.append(
            slip(
                "input.interrupt_expired",
                f"the request resolves the interrupt {names}, which has expired",
                "status 'cancelled' for it",
                *expired,
            )
        )
    return slips


def _is_expired(facts: ThreadFacts, interrupt_id: str, now: str | None) -> bool:
    entry: Mapping[str, Any] = facts.resume[interrupt_id]
    expires = facts.interrupts.get(interrupt_id, {}).get("expiresAt")
    if entry.get("status") != "resolved" or now is None:
        return False
    moment, end = instant(now), instant(expires)
    return moment is not None and end is not None and moment > end


def instant(text: object) -> float | None:
    """Seconds since 1970 of an ISO 8601 time; None if it is none. No offset is UTC.

    >>> instant("1970-01-02T01:00:00+01:00")
    86400.0
    """
    found = _ISO.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    year, month, day, hour, minute = (int(found[n]) for n in range(1, 6))
    offset = 0
    if found[8]:
        offset = (int(found[9]) * 60 + int(found[10])) * (
            -60 if found[8] == "-" else 60
        )
    clock = hour * 3600 + minute * 60 + float(found[6] or 0)
    return _days(year, month, day) * 86_400 + clock - offset


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar (no clock room in the core)."""
    # Years begin in March here, so that the leap day is the last of its year.
    year -= month <= 2  # noqa: PLR2004  # January and February
    era_days = 365 * year + year // 4 - year // 100 + year // 400
    return era_days + (153 * ((month + 9) % 12) + 2) // 5 + day - 719_469
