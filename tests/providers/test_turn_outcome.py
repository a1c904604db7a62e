"""An outcome that is decided once."""

from __future__ import annotations

import asyncio

import pytest

from aistream_nb.errors import TurnError
from aistream_nb.providers.turn_outcome import NextTurn, Settlement, TurnOutcome

OUTCOME = TurnOutcome(continuation=None, truncated=False, full_text="x")


async def test_the_first_decision_stands():
    settlement = Settlement()
    settlement.succeed(OUTCOME)
    settlement.fail(TurnError("too late"))
    assert await settlement.wait() is OUTCOME


async def test_a_failure_is_raised_as_often_as_it_is_asked_for():
    settlement = Settlement()
    settlement.fail(TurnError("first"))
    settlement.fail(TurnError("second"))
    for _ in range(2):
        with pytest.raises(TurnError, match="first"):
            await settlement.wait()


async def test_many_may_wait():
    settlement = Settlement()
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(settlement.wait()) for _ in range(3)]
        settlement.succeed(OUTCOME)
    assert [task.result() for task in waiting] == [OUTCOME] * 3
    assert await asyncio.wait_for(NextTurn(settlement.wait), 1) is OUTCOME
