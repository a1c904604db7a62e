"""The one beat: the first at once, the rest together, urgent ones now."""

from __future__ import annotations

import asyncio

from aistream_nb.widgets.pulse import Pulse


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_follows_within_an_interval_waits_for_the_next_request_that_is_due() -> (
    None
):
    clock, sent = Clock(), list[float]()
    pulse = Pulse(interval=1.0, clock=clock)

    def flush() -> None:
        sent.append(clock.now)

    for now in (0.0, 0.2, 0.9, 1.0, 1.5):
        clock.now = now
        pulse.request(flush)
    assert sent == [0.0, 1.0]


def test_an_urgent_request_takes_everything_that_waits_along() -> None:
    clock, sent = Clock(), list[str]()
    pulse = Pulse(interval=1.0, clock=clock)

    def first() -> None:
        sent.append("first")

    def second() -> None:
        sent.append("second")

    pulse.request(first)
    pulse.request(first)
    pulse.request(second, urgent=True)
    assert sent == ["first", "first", "second"]


def test_what_is_forgotten_is_not_called() -> None:
    clock, sent = Clock(), list[str]()
    pulse = Pulse(interval=1.0, clock=clock)

    def flush() -> None:
        sent.append("x")

    pulse.request(flush)
    pulse.request(flush)
    pulse.forget(flush)
    clock.now = 5.0
    pulse.request(lambda: None)
    assert sent == ["x"]


def test_a_thousand_urgent_requests_at_once_are_few_beats() -> None:
    clock, sent = Clock(), list[float]()
    pulse = Pulse(interval=1.0, clock=clock)

    def flush() -> None:
        sent.append(clock.now)

    for _ in range(1000):
        pulse.request(flush, urgent=True)
    assert len(sent) == 5
    clock.now = 1.5
    pulse.request(flush, urgent=True)
    pulse.request(flush, urgent=True)
    assert len(sent) == 7


async def test_a_loop_ends_the_wait_and_one_timer_is_enough() -> None:
    sent: list[str] = []
    done = asyncio.Event()
    pulse = Pulse(interval=0.02)

    def flush() -> None:
        sent.append("x")
        if len(sent) == 2:
            done.set()

    for _ in range(5):
        pulse.request(flush)
    assert sent == ["x"]
    await asyncio.wait_for(done.wait(), 5)
    assert sent == ["x", "x"]


async def test_a_flush_that_is_urgent_stops_the_timer() -> None:
    sent: list[str] = []
    pulse = Pulse(interval=0.02)

    def flush() -> None:
        sent.append("x")

    pulse.request(flush)
    pulse.request(flush)
    pulse.request(flush, urgent=True)
    await asyncio.sleep(0.05)
    assert sent == ["x", "x"]


async def test_one_that_fails_does_not_keep_the_others_from_being_sent() -> None:
    sent: list[str] = []
    pulse = Pulse(interval=0.0)

    def broken() -> None:
        message = "the page is gone"
        raise OSError(message)

    pulse.request(lambda: sent.append("before"))
    pulse.request(broken, urgent=True)
    pulse.request(lambda: sent.append("after"), urgent=True)
    assert sent == ["before", "after"]
