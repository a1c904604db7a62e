"""Edges A.5 to A.12: results, approvals, owners."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tracker_session import Register, Session, call, message

from aistream_nb.core.invocation.events import (
    AnswerCleared,
    Answered,
    AnswerReplaced,
    ToolResponse,
)

EDGES = Register()


@EDGES.edge("A.5 a result that comes with the last delta mutes the call (D1)")
async def _(s: Session) -> None:
    await s.live()
    await s.show(call("c", '{"n":'))
    await s.show(call("c", '{"n":1}', result="theirs"))
    assert s.ran == []
    assert await s.tool.readers["c"].result() == "theirs"
    assert s.told == []


@EDGES.edge("A.5 a result in the tick of the last delta mutes the call (D1)")
async def _(s: Session) -> None:
    await s.live()
    for fields in ({}, {"result": None}):
        s.tracker.set_state(
            {"messages": [message(call("c", "{}", **fields))], "isRunning": True}
        )
    await s.turn()
    assert s.ran == []
    assert await s.tool.readers["c"].result() is None


@EDGES.edge("A.5 a result while execute runs stops nothing, and its value goes nowhere")
async def _(s: Session) -> None:
    await s.live()
    go = asyncio.Event()

    async def slow(args: Any, context: Any) -> str:
        await go.wait()
        return "ours"

    s.tool.work = slow
    await s.show(call("c", "{}"))
    await s.show(call("c", "{}", result="theirs", isError=True))
    assert s.tracker.statuses["c"] == {"type": "executing"}
    go.set()
    await s.turn()
    assert dict(s.tracker.statuses) == {}
    assert s.told == []
    assert await s.tool.readers["c"].response() == ToolResponse("theirs", is_error=True)
    assert s.tracker.ledger.of("c")[0].outcome == "answered"


@EDGES.edge("A.5 a result in the very tick in which execute settles wins")
async def _(s: Session) -> None:
    await s.live()
    go: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    s.tool.work = lambda *_: go
    await s.show(call("c", "{}"))
    go.set_result("ours")
    await s.show(call("c", "{}", result="theirs"))
    assert await s.tool.readers["c"].result() == "theirs"
    assert s.told == []


@EDGES.edge("A.5 our own result that comes back changes nothing")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    await s.show(call("c", "{}"))
    await s.show(call("c", "{}", result={}))
    assert s.told == [("c", {})]
    events = await s.events("c")
    assert events.count(Answered(ToolResponse({}))) == 1


@EDGES.edge("A.5 a result for unfinished arguments closes them, and empty ones are {}")
async def _(s: Session) -> None:
    await s.live()
    await s.show(call("c", ""), call("d", '{"n":'))
    assert s.tool.opened == ["c", "d"]
    await s.show(call("c", "", result=1), call("d", '{"n":', result=2))
    assert s.tool.readers["c"].text == "{}"
    assert s.tool.readers["d"].text == '{"n":'
    assert await s.tool.readers["d"].args.get("n") is not None
    assert s.ran == []


@EDGES.edge("A.6 a result that is replaced is told, and the response stays")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    for value in ("one", "one", "two"):
        await s.show(call("c", "{}", result=value))
    events = await s.events("c")
    assert events[-1] == AnswerReplaced(ToolResponse("two"))
    assert await s.tool.readers["c"].result() == "one"


@EDGES.edge("A.6 a result that cannot be compared counts as the same only if it is")
async def _(s: Session) -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = object.__hash__

    s.watch()
    await s.live()
    await s.show(call("c", "{}", result=Odd()))
    await s.show(call("c", "{}", result=Odd()))
    assert isinstance((await s.events("c"))[-1], AnswerReplaced)


@EDGES.edge("A.7 a result that is cleared is told, and the call does not run")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    await s.show(call("c", "{}", result="one"))
    await s.show(call("c", "{}"))
    assert (await s.events("c"))[-1] == AnswerCleared()
    assert s.ran == []


@EDGES.edge("A.8 an approval of the provider keeps the call from running")
async def _(s: Session) -> None:
    await s.live()
    await s.show(call("c", "{}", approval={"id": "1", "approved": True}))
    assert s.ran == []
    assert "provider" in s.tracker.ledger.of("c")[0].why_not_run


@EDGES.edge("A.8 an approval that lands while the call runs drops its value")
async def _(s: Session) -> None:
    await s.live()
    go: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    s.tool.work = lambda *_: go
    await s.show(call("c", "{}"))
    await s.show(call("c", "{}", approval={"id": "1"}))
    go.set_result("ours")
    await s.turn()
    assert s.told == []
    assert await s.tool.readers["c"].result() == "ours"


@EDGES.edge("A.9 a call that is not the client's never runs, whatever is said later")
async def _(s: Session) -> None:
    answers = [False, True]
    await s.live(is_client_tool_call=lambda _: answers.pop(0))
    await s.show(call("c", "{}"))
    await s.show(call("c", "{}"), running=False)
    assert (s.ran, answers) == ([], [True])
    assert s.codes == ["provider-owned"]


@EDGES.edge("A.9 on a settled run a no is only a not yet")
async def _(s: Session) -> None:
    answers = [False, None]
    await s.live(is_client_tool_call=lambda _: answers.pop(0))
    await s.show(call("c", "{}"), running=False)
    assert s.ran == []
    await s.show(call("c", "{}"), running=False)
    assert s.ran == [("c", {})]


@EDGES.edge("A.9 an owner that raises, or answers nonsense, is unknown")
async def _(s: Session) -> None:
    def nonsense(part: Any) -> Any:
        if part["toolCallId"] == "c":
            raise RuntimeError("no idea")
        return "maybe"

    await s.live(is_client_tool_call=nonsense, execute_when="run_settled")
    await s.show(call("c", "{}"), call("d", "{}"))
    assert s.ran == []
    await s.show(call("c", "{}"), call("d", "{}"), running=False)
    assert s.ran == [("c", {}), ("d", {})]
    assert s.codes == ["ownership"]


@EDGES.edge("A.10 execute_when='run_settled' waits for the end of the run")
async def _(s: Session) -> None:
    await s.live(execute_when="run_settled")
    await s.show(call("c", "{}"), call("d", "{}"))
    assert s.ran == []
    assert "waits until" in s.tracker.ledger.of("c")[0].why_not_run
    await s.show(call("c", "{}"), call("d", "{}", result=1))
    await s.show(call("c", "{}"), call("d", "{}", result=1), running=False)
    assert s.ran == [("c", {})]


@EDGES.edge("A.11 with discard_pending what has not begun never runs, nor opens")
async def _(s: Session) -> None:
    await s.live(execute_when="run_settled")
    await s.show(call("c", "{}"), call("d", '{"n":'))
    s.tracker.set_state({"messages": [message(call("e", "{}"))], "isRunning": True})
    await s.tracker.abort(discard_pending=True)
    for _ in range(2):
        await s.show(
            call("c", "{}"), call("d", '{"n":1}'), call("e", "{}"), running=False
        )
    assert s.ran == []
    assert s.tool.opened == ["c", "d"]
    assert s.tracker.ledger.of("e")[0].why_not_run == "it was discarded"


@EDGES.edge("A.12 an interim result mutes the call and leaves its response pending")
async def _(s: Session) -> None:
    await s.live()
    await s.show(call("c", "{}", result="10%", isPreliminary=True))
    await s.show(call("c", "{}"))
    assert s.ran == []
    await s.show(call("c", "{}", result="all"))
    assert await s.tool.readers["c"].result() == "all"


@EDGES.edge("A.12 an interim result while execute runs keeps its value to itself")
async def _(s: Session) -> None:
    await s.live()
    go: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    s.tool.work = lambda *_: go
    await s.show(call("c", "{}"))
    await s.show(call("c", "{}", result="10%", isPreliminary=True))
    go.set_result("ours")
    await s.turn()
    assert (s.told, dict(s.tracker.statuses)) == ([], {})
    await s.show(call("c", "{}", result="all"))
    assert await s.tool.readers["c"].result() == "all"


@pytest.mark.parametrize("sentence", EDGES)
async def test_edge(sentence: str, session: Session) -> None:
    await EDGES[sentence](session)


def test_every_edge_of_this_part_has_a_test() -> None:
    numbers = {sentence.split()[0] for sentence in EDGES}
    assert numbers == {"A.5", "A.6", "A.7", "A.8", "A.9", "A.10", "A.11", "A.12"}
