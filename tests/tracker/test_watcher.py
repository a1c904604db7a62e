"""The tracker as its host uses it: re-entrance, no loop, closing, the ledger."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tracker_session import Session, call, message

from aistream_nb.tracker import Diagnostic, ToolInvocationTracker


def shown(*parts: Any, running: bool = True) -> dict[str, Any]:
    return {"messages": [message(*parts)], "isRunning": running}


async def test_nothing_of_a_tool_runs_inside_a_method(session: Session) -> None:
    await session.live()
    session.tracker.set_state(shown(call("c", "{}")))
    assert (session.tool.opened, session.ran, session.results) == ([], [], [])
    await session.turn()
    assert len(session.results) == 1


async def test_the_host_may_feed_the_result_back_from_its_callback(
    session: Session,
) -> None:
    def on_result(result: dict[str, Any]) -> None:
        session.results.append(result)
        if len(session.results) == 1:
            answered = call("c", "{}", result=result["result"])
            session.tracker.set_state(shown(answered, call("d", "{}")))

    await session.live(on_result=on_result)
    await session.show(call("c", "{}"))
    assert session.told == [("c", {}), ("d", {})]


async def test_a_reset_from_a_callback_takes_effect(session: Session) -> None:
    await session.live(on_result=lambda _: session.tracker.reset())
    await session.show(call("c", "{}"))
    assert session.tracker.ledger.of("c")[0].outcome == "abandoned"


async def test_what_is_asked_for_while_a_snapshot_is_read_comes_after_it(
    session: Session,
) -> None:
    seen: list[str] = []

    def tools() -> Any:
        if not seen:
            seen.append("asked")
            session.tracker.reset()
            session.tracker.set_state(shown(call("e", "{}")))
        return {"work": session.tool}

    await session.live()
    session.tracker._outside._tools = tools
    await session.show(call("c", "{}"), call("d", "{}"))
    assert session.ran == []
    outcomes = {row.tool_call_id: row.outcome for row in session.tracker.ledger}
    assert outcomes == {"c": "abandoned", "d": "abandoned", "e": "restored"}


async def test_what_a_stream_call_sends_is_done_on_a_later_turn(
    session: Session,
) -> None:
    def stream_call(reader: Any, context: Any) -> None:
        session.tool.stream_call(reader, context)
        if context.tool_call_id == "c":
            session.tracker.set_state(shown(call("c", "{}"), call("d", "{}")))
            assert session.tool.opened == ["c"]

    session.tools["work"] = {
        "stream_call": stream_call,
        "execute": session.tool.execute,
    }
    await session.live()
    await session.show(call("c", "{}"))
    assert session.tool.opened == ["c", "d"]
    assert sorted(session.ran) == [("c", {}), ("d", {})]


# ---------------------------------------------------------------- without a loop


def test_without_a_loop_the_work_waits_without_an_error() -> None:
    codes: list[str] = []
    ran: list[Any] = []
    tracker = ToolInvocationTracker(
        {"work": {"execute": lambda args, _: ran.append(args)}},
        on_diagnostic=lambda d: codes.append(d.code),
    )
    tracker.set_state({"messages": [], "isRunning": True})
    for text in ('{"n":', '{"n":1}'):
        tracker.set_state(shown(call("c", text)))
    assert not tracker.resume("c")
    assert (ran, codes) == ([], ["no-running-loop"])

    async def go_on() -> None:
        tracker.resume("c")
        for _ in range(9):
            await asyncio.sleep(0)
        await tracker.aclose()

    asyncio.run(go_on())
    assert ran == [{"n": 1}]


def test_without_a_loop_reset_and_abort_work_too() -> None:
    tracker = ToolInvocationTracker()
    tracker.set_state({"messages": [], "isRunning": True})
    tracker.set_state(shown(call("c", "{}")))
    tracker.abort(discard_pending=True)
    assert tracker.ledger.of("c")[0].outcome == "discarded"
    tracker.reset()
    assert tracker.ledger.of("c")[0].outcome == "abandoned"


def test_a_loop_that_ended_leaves_nothing_stuck() -> None:
    told: list[Any] = []

    async def work(*_: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    tracker = ToolInvocationTracker({"work": {"execute": work}}, on_result=told.append)

    async def begin() -> None:
        tracker.set_state({"messages": [], "isRunning": True})
        tracker.set_state(shown(call("c", "{}")))
        for _ in range(9):
            await asyncio.sleep(0)

    async def end() -> None:
        await tracker.abort()
        await tracker.aclose()

    asyncio.run(begin())
    assert [result["isError"] for result in told] == [True]
    asyncio.run(end())
    assert dict(tracker.statuses) == {}


def test_an_abort_without_a_loop_settles_what_its_loop_left_behind() -> None:
    told: list[Any] = []
    tracker = ToolInvocationTracker(
        {"work": {"execute": lambda *_: asyncio.Event().wait()}}, on_result=told.append
    )
    loop = asyncio.new_event_loop()

    async def begin() -> None:
        tracker.set_state({"messages": [], "isRunning": True})
        tracker.set_state(shown(call("c", "{}")))
        for _ in range(9):
            await asyncio.sleep(0)

    loop.run_until_complete(begin())
    tracker.abort()
    assert [result["isError"] for result in told] == [True]
    loop.run_until_complete(tracker.aclose())
    loop.close()


# ---------------------------------------------------------------- closing


async def test_a_closed_tracker_ends_all_and_says_so_once(session: Session) -> None:
    session.tool.work = lambda *_: asyncio.Event().wait()
    await session.live()
    await session.show(call("c", "{}"))
    await session.tracker.aclose()
    await session.tracker.aclose()
    for _ in range(2):
        session.tracker.set_state(shown(call("d", "{}")))
    session.tracker.reset()
    await session.turn()
    assert session.told == []
    assert session.codes == ["closed"]
    assert len(session.ran) == 1


async def test_it_may_be_closed_from_a_stream_call(session: Session) -> None:
    closing: list[Any] = []

    def stream_call(*_: Any) -> None:
        closing.append(asyncio.get_running_loop().create_task(close()))

    async def close() -> None:
        await session.tracker.aclose()

    session.tools["work"] = {"stream_call": stream_call}
    await session.live()
    await session.show(call("c", "{}"), call("d", "{}"))
    assert len(closing) >= 1
    await asyncio.gather(*closing)


async def test_it_is_a_context_manager(session: Session) -> None:
    async with session.tracker as tracker:
        assert tracker is session.tracker
    session.tracker.set_state({"messages": [], "isRunning": True})
    assert session.codes == ["closed"]


async def test_a_stream_call_that_goes_on_after_a_reset_is_cancelled(
    session: Session,
) -> None:
    ends: list[str] = []

    async def stream_call(*_: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ends.append("cancelled")

    session.tools["work"] = {"stream_call": stream_call}
    await session.live()
    await session.show(call("c", "{}"))
    await session.tracker.abort()
    await session.turn()
    assert ends == []
    session.tracker.reset()
    await session.turn()
    assert ends == ["cancelled"]


# ---------------------------------------------------------------- what it shows


async def test_statuses_are_new_maps_that_cannot_be_written(session: Session) -> None:
    session.tool.work = lambda *_: asyncio.Event().wait()
    await session.live()
    before = session.tracker.statuses
    await session.show(call("c", "{}"))
    assert dict(before) == {}
    with pytest.raises(TypeError):
        session.tracker.statuses["c"] = {}  # pyright: ignore[reportIndexIssue] -- that is the point


async def test_the_ledger_says_what_was_decided_and_why_one_did_not_run(
    session: Session,
) -> None:
    await session.live()
    await session.show(call("c", '{"n":1}'), call("d", "{}", result=1))
    ledger = session.tracker.ledger
    assert repr(ledger) == (
        "Ledger: 2 calls\n"
        "  [1] c work: settled, ran once "
        "(receive > close > own > open > claim > invoke > settle)\n"
        "  [1] d work: answered, ran 0 times: the backend answered first "
        "(answer > receive > close > open)"
    )
    assert [row.runs for row in ledger] == [1, 0]


async def test_diagnostics_are_values(session: Session) -> None:
    session.tracker.set_state(7)
    assert session.diagnostics == [
        Diagnostic(
            "unreadable-snapshot",
            "a snapshot must be a mapping with a list of messages; got int, which "
            "changes nothing",
        )
    ]
