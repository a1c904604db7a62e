from __future__ import annotations

import asyncio

import pytest

from aistream_nb.chat.work import Work


async def test_a_stop_before_the_first_step_lets_the_run_say_what_it_is():
    said: list[str] = []

    async def run() -> None:
        said.append("asked")
        try:
            await asyncio.Event().wait()
        finally:
            said.append("stopped")

    work = Work()
    work.stop()
    await work.perform(run)

    assert said == ["asked", "stopped"]


async def test_a_stop_ends_the_run_and_not_who_awaits_it():
    begun = asyncio.Event()
    work = Work()

    async def run() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(work.perform(run))
        await begun.wait()
        work.stop()
        work.stop()

    assert not waiting.cancelled()


async def test_what_a_run_raises_is_raised_as_it_is():
    async def run() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        await Work().perform(run)
