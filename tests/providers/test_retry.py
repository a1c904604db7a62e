"""What is tried again, when, and how often."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.errors import (
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderStreamError,
)
from aistream_nb.http import BrokenStreamError
from aistream_nb.providers.retry import NO_RETRY, RetryableStreamError, RetryPolicy

LOST = ProviderConnectionError("lost", provider="x")


def status(code: int, retry_after: float | None = None) -> ProviderStatusError:
    return ProviderStatusError(
        "no", provider="x", status_code=code, retry_after=retry_after
    )


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (LOST, True),
        (status(429), True),
        (status(500), True),
        (status(529), True),
        (status(400), False),
        (status(401), False),
        (RetryableStreamError("busy", provider="x"), True),
        (BrokenStreamError("broke off", provider="x"), True),
        (ProviderStreamError("no event of its own", provider="x"), False),
        (ProviderError("odd", provider="x"), False),
    ],
)
def test_only_what_may_pass_is_tried_again(error, passing):
    assert (RetryPolicy().delay(error, 1) is not None) is passing
    assert NO_RETRY.delay(error, 1) is None


def advised(code: int, *, again: bool) -> ProviderStatusError:
    return ProviderStatusError("no", provider="x", status_code=code, should_retry=again)


@pytest.mark.parametrize("code", [400, 409, 429, 500])
def test_a_server_that_says_whether_to_try_again_is_believed(code: int):
    policy = RetryPolicy(attempts=2)
    assert policy.delay(advised(code, again=True), 1) is not None
    assert policy.delay(advised(code, again=True), 2) is None
    assert policy.delay(advised(code, again=False), 1) is None


def test_delays_grow_to_a_limit_and_half_of_each_is_chance():
    policy = RetryPolicy(attempts=9, chance=lambda: 0.0)
    assert [policy.delay(LOST, attempt) for attempt in (1, 2, 3, 8)] == [
        0.25,
        0.5,
        1.0,
        4.0,
    ]


def test_a_server_that_names_a_time_is_obeyed_within_reason():
    policy = RetryPolicy(chance=lambda: 1.0)
    assert policy.delay(status(429, 7.5), 1) == 7.5
    assert policy.delay(status(429, 600), 1) is None


def test_a_default_delay_is_between_its_bounds():
    delays = [RetryPolicy().delay(LOST, 1) for _ in range(20)]
    assert all(delay is not None and 0.25 <= delay <= 0.5 for delay in delays)


@pytest.mark.parametrize(
    "wrong",
    [
        {"attempts": 0},
        {"attempts": "3"},
        {"first_delay": -1},
        {"longest_delay": "8"},
        {"longest_wait": float("nan")},
        {"chance": 0.5},
        {"sleep": 1},
    ],
)
def test_a_policy_that_cannot_be_is_refused(wrong: dict[str, Any]):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))}="):
        RetryPolicy(**wrong)
