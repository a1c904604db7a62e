"""A value that comes once, and values that come one by one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aistream_nb.core.values import ABSENT
from aistream_nb.tracker.waiting import Latch, Stream


@pytest.mark.parametrize("value", [None, ABSENT, False, 0, "x"])
async def test_everyone_who_waits_gets_the_value_whatever_it_is(value: Any) -> None:
    latch: Latch[Any] = Latch()
    waiting = asyncio.gather(latch.wait(), latch.wait())
    await asyncio.sleep(0)
    assert latch.set(value)
    assert await waiting == [value, value]
    assert await latch is value


async def test_only_the_first_value_or_failure_counts() -> None:
    latch: Latch[int] = Latch()
    assert latch.set(1)
    assert not latch.set(2)
    assert not latch.fail(ValueError())
    assert await latch == 1


async def test_a_failure_is_raised_for_everyone_and_nobody_has_to_look() -> None:
    latch: Latch[int] = Latch()
    assert latch.fail(ValueError("no"))
    assert not latch.set(1)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            await latch
    Latch[int]().fail(ValueError("never seen"))


async def test_a_waiter_that_is_cancelled_harms_no_other() -> None:
    latch: Latch[int] = Latch()
    gone = asyncio.get_running_loop().create_task(latch.wait())
    stays = asyncio.get_running_loop().create_task(latch.wait())
    await asyncio.sleep(0)
    gone.cancel()
    latch.set(1)
    assert await stays == 1
    with pytest.raises(asyncio.CancelledError):
        await gone


async def test_a_stream_gives_what_came_and_then_ends() -> None:
    stream: Stream[int] = Stream()
    assert stream.empty
    stream.put(1)

    async def later() -> None:
        stream.put(2)
        await asyncio.sleep(0)
        stream.close()
        stream.put(3)

    task = asyncio.get_running_loop().create_task(later())
    assert [item async for item in stream] == [1, 2]
    await task


def test_values_can_be_set_without_a_loop_and_after_one_was_closed() -> None:
    latch: Latch[int] = Latch()
    loop = asyncio.new_event_loop()
    latch._waiters._futures.append(loop.create_future())
    loop.close()
    assert latch.set(1)
    assert asyncio.run(latch.wait()) == 1
