"""An abort: in the tool's own way if it hurries, else cancelled; no task is left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tracker_session import Session, call

from aistream_nb.tracker.execution import CANCELLED

# ---------------------------------------------------------------- abort


async def test_an_abort_takes_the_tools_own_ending_if_it_hurries(
    session: Session,
) -> None:
    async def polite(_: Any, context: Any) -> str:
        await context.abort_signal.wait()
        return "stopped in time"

    session.tool.work = polite
    await session.live()
    await session.show(call("c", "{}"))
    await session.tracker.abort()
    assert session.told == [("c", "stopped in time")]


async def test_an_abort_cancels_what_does_not_listen_and_waits_for_its_cleanup(
    session: Session,
) -> None:
    cleaned: list[bool] = []

    async def deaf(*_: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    session.tool.work = deaf
    await session.live()
    await session.show(call("c", "{}"))
    await session.tracker.abort()
    assert session.told == [("c", CANCELLED.result)]
    assert cleaned == [True]


async def test_an_abort_does_not_wait_for_ever_for_who_ignores_it(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aistream_nb.tracker.turns.PATIENCE", 0.01)
    stubborn = asyncio.Event()

    async def deaf(*_: Any) -> None:
        while not stubborn.is_set():
            try:
                await stubborn.wait()
            except asyncio.CancelledError:
                continue

    session.tool.work = deaf
    await session.live()
    await session.show(call("c", "{}"))
    await session.tracker.abort()
    assert session.told == [("c", CANCELLED.result)]
    assert session.codes == ["cancel-ignored"]
    await session.tracker.aclose()
    assert session.codes == ["cancel-ignored", "cancel-ignored"]
    stubborn.set()
    await session.turn()


async def test_an_abort_covers_only_what_is_in_flight_then(session: Session) -> None:
    session.tool.work = lambda *_: asyncio.Event().wait()
    await session.live()
    await session.show(call("c", "{}"))
    done = session.tracker.abort()
    await session.show(call("c", "{}"), call("d", "{}"))
    await done
    assert session.told == [("c", CANCELLED.result)]
    assert dict(session.tracker.statuses) == {"d": {"type": "executing"}}


async def test_an_abort_that_is_never_awaited_works_and_one_of_nothing_is_done(
    session: Session,
) -> None:
    session.tool.work = lambda *_: asyncio.Event().wait()
    await session.live()
    await session.tracker.abort()
    await session.show(call("c", "{}"))
    session.tracker.abort()
    await session.turn()
    assert session.told == [("c", CANCELLED.result)]


async def test_a_tool_may_abort_its_own_tracker(session: Session) -> None:
    async def abort(*_: Any) -> str:
        await session.tracker.abort()
        return "ours"

    session.tool.work = abort
    await session.live()
    await session.show(call("c", "{}"))
    assert session.told == [("c", CANCELLED.result)]


async def test_what_still_streams_goes_on_after_an_abort_with_a_fresh_signal(
    session: Session,
) -> None:
    await session.live()
    await session.show(call("c", '{"n":'))
    await session.tracker.abort()
    await session.show(call("c", '{"n":1}'))
    assert session.told == [("c", {"n": 1})]
    assert not session.tool.contexts["c"].abort_signal.aborted


async def test_a_flight_that_is_cancelled_before_it_began_settles_all_the_same(
    session: Session,
) -> None:
    await session.live()
    session.tracker.set_state(
        {"messages": [{"content": [call("c", "{}")]}], "isRunning": True}
    )
    await asyncio.sleep(0)
    (flight,) = session.tracker._executions._flights
    flight.task.cancel()
    await session.turn()
    assert session.ran == []
    assert session.told == [("c", CANCELLED.result)]
