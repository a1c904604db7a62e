"""Later, on the loop: one turn for many requests, and an end for every task."""

from __future__ import annotations

import asyncio

import pytest

from aistream_nb.tracker.turns import (
    Turns,
    end_task,
    end_tasks,
    running_loop,
    wait_for_ends,
    weakly,
)


async def test_many_requests_are_one_turn() -> None:
    turns: list[int] = []
    loop = Turns(lambda: turns.append(1))
    assert loop.request()
    assert loop.request()
    assert turns == []
    await asyncio.sleep(0)
    assert turns == [1]
    assert loop.request()
    await asyncio.sleep(0)
    assert turns == [1, 1]


def test_without_a_loop_a_request_waits_for_the_next_one() -> None:
    turns: list[int] = []
    loop = Turns(lambda: turns.append(1))
    assert running_loop() is None
    assert not loop.request()

    async def lost() -> None:
        loop.request()

    async def again() -> None:
        loop.request()
        await asyncio.sleep(0)

    fresh = asyncio.new_event_loop()
    task = fresh.create_task(lost())
    fresh.call_soon(fresh.stop)
    fresh.run_forever()
    fresh.close()
    assert task.done()
    turns.clear()
    asyncio.run(again())
    assert turns == [1]


async def test_later_counts_turns() -> None:
    done: list[int] = []
    turns = Turns(lambda: None)
    turns.later(3, lambda: done.append(1))
    for count in range(1, 5):
        await asyncio.sleep(0)
        assert done == ([] if count < 3 else [1])


def test_later_is_at_once_without_a_loop() -> None:
    done: list[int] = []
    Turns(lambda: None).later(3, lambda: done.append(1))
    assert done == [1]


async def test_close_ends_every_task_but_its_own() -> None:
    turns = Turns(lambda: None)
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("wait")

    async def close() -> None:
        assert await turns.close() == 0
        ended.append("close")

    turns.start(wait())
    await asyncio.sleep(0)
    await turns.start(close())
    assert ended == ["wait", "close"]


async def test_who_ignores_it_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aistream_nb.tracker.turns.PATIENCE", 0.01)
    go = asyncio.Event()

    async def stubborn() -> None:
        try:
            await go.wait()
        except asyncio.CancelledError:
            await go.wait()

    turns = Turns(lambda: None)
    task = turns.start(stubborn())
    await asyncio.sleep(0)
    assert await turns.close() == 1
    go.set()
    await task
    assert await wait_for_ends([task]) == 0


def test_a_task_of_a_closed_loop_is_left_alone() -> None:
    loop = asyncio.new_event_loop()

    async def nothing() -> None:
        return None

    task = loop.create_task(nothing())
    loop.run_until_complete(task)
    loop.close()
    end_task(task)
    assert not task.cancelled()


def test_tasks_of_a_closed_loop_are_left_alone_by_whoever_drops_them() -> None:
    loop = asyncio.new_event_loop()

    async def nothing() -> None:
        return None

    task = loop.create_task(nothing())
    loop.run_until_complete(task)
    loop.close()
    end_tasks({task})
    assert not task.cancelled()


async def test_tasks_that_are_dropped_are_cancelled_by_their_loop() -> None:
    turns = Turns(lambda: None)
    task = turns.start(asyncio.sleep(60))
    end_tasks(turns.tasks)
    await asyncio.wait([task])
    assert task.cancelled()
    assert turns.tasks == set()


def test_a_method_known_weakly_is_called_while_its_object_is_there() -> None:
    class Counter:
        count = 0

        def add(self, number: int) -> None:
            type(self).count += number

    counter = Counter()
    add = weakly(counter.add)
    add(2)
    del counter
    add(3)
    assert Counter.count == 2
