from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core.ordering.facts import ThreadFacts
from aistream_nb.core.ordering.input import check_input, instant

WAITING = {"id": "i1", "reason": "x", "expiresAt": "2026-01-01T00:00:00Z"}


def rules(status: str, now: str | None, waiting: dict[str, Any] = WAITING) -> list[str]:
    entry = {"interruptId": "i1", "status": status}
    facts = ThreadFacts(run_input={"resume": [entry]}, interrupts=[waiting])
    return [found.rule for found in check_input(facts, now=now)]


@pytest.mark.parametrize(
    ("status", "now", "told"),
    [
        ("resolved", "2025-12-31T23:59:59Z", []),
        ("resolved", "2026-01-01T00:00:01Z", ["input.interrupt_expired"]),
        ("cancelled", "2026-01-01T00:00:01Z", []),
        ("resolved", None, []),
        ("resolved", "tomorrow", []),
    ],
)
def test_an_expired_interrupt_may_be_cancelled_and_not_resolved(
    status: str, now: str | None, told: list[str]
):
    assert rules(status, now) == told


def test_an_interrupt_without_an_end_never_expires():
    assert rules("resolved", "2999-01-01T00:00:00Z", {"id": "i1", "reason": "x"}) == []


def test_malformed_requests_and_interrupts_are_read_as_nothing():
    facts = ThreadFacts(
        run_input={"resume": "x", "tools": 3, "messages": 7}, interrupts=[{"id": 3}]
    )
    assert check_input(facts, now=None) == []
    assert facts.tools is None


@given(st.datetimes(min_value=datetime(1700, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001  # hypothesis wants it naive
def test_an_instant_is_what_the_calendar_says(moment: datetime):
    assert instant(moment.isoformat()) == pytest.approx(moment.timestamp())


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00", 0),
        ("1970-01-01 00:00:01.5Z", 1.5),
        ("1970-01-01T00:00:00-0130", 5400),
        ("x", None),
        (3, None),
    ],
)
def test_an_instant_may_be_written_in_several_ways(text: object, seconds: float | None):
    assert instant(text) == seconds
