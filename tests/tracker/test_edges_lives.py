"""Edges E and F: bad snapshots, resets, failures."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tracker_session import Register, Session, call, message

from aistream_nb.core.invocation.events import Answered, Ended

EDGES = Register()


# ---------------------------------------------------------------- E: snapshots


@EDGES.edge("E.1 messages that are none are passed over")
async def _(s: Session) -> None:
    await s.live()
    bad = [None, 7, "text", [], {}, {"content": "plain"}, {"content": {"0": call("x")}}]
    await s.send([*bad, message(call("c", "{}"))])
    assert s.ran == [("c", {})]


@EDGES.edge("E.2 parts that are malformed hide no others, and are reported once")
async def _(s: Session) -> None:
    await s.live()
    bad = [
        None,
        0,
        {},
        call("i", toolCallId=7),
        call("t", argsText=7),
        call("n", toolName=None),
    ]
    for _ in range(3):
        await s.show(*bad, call("c", "{}"), call("d", None), call("e", messages=7))
    assert s.ran == [("c", {})]
    assert s.tool.opened == ["c", "d", "e"]
    assert s.codes == ["malformed-call"] * 3


@EDGES.edge("E.3 the same list is passed over, and another one is walked")
async def _(s: Session) -> None:
    await s.live()
    messages = [message(call("c", '{"n":'))]
    await s.send(messages)
    messages[0]["content"][0]["argsText"] = '{"n":1}'
    await s.send(messages)
    assert s.ran == []
    await s.send(messages, running=False)
    assert s.ran == [("c", {"n": 1})]


@EDGES.edge("E.3 an equal but new list asks for the tools again")
async def _(s: Session) -> None:
    tools, s.tools = s.tools, {}
    await s.live()
    await s.show(call("c", "{}"))
    s.tools = tools
    await s.show(call("c", "{}"))
    assert (s.tool.opened, s.ran) == ([], [("c", {})])


@EDGES.edge("E.4 an unreadable snapshot changes nothing, and history is still due")
async def _(s: Session) -> None:
    for bad in (None, 7, [], {}, {"messages": "m"}):
        s.tracker.set_state(bad)
    await s.show(call("c", "{}"))
    assert s.ran == []
    assert s.codes == ["unreadable-snapshot"] * 5


# ---------------------------------------------------------------- F: lives and deaths


@EDGES.edge("E.4 a list that raises when it is walked loses nothing and is reported")
async def _(s: Session) -> None:
    class Odd(list[Any]):
        def __getitem__(self, index: Any) -> Any:
            raise RuntimeError(index)

    await s.live()
    s.tracker.set_state({"messages": Odd([1]), "isRunning": True})
    await s.show(call("c", "{}"))
    assert s.ran == [("c", {})]
    assert s.codes == ["snapshot-failed"]


@EDGES.edge("F.1 a reset while a call runs takes its status, and it reports nothing")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    s.tool.work = lambda *_: asyncio.Event().wait()
    await s.show(call("c", "{}"))
    s.tracker.reset()
    assert dict(s.tracker.statuses) == {}
    await s.turn()
    assert s.told == []
    assert s.statuses[-1] == {}
    events = await s.events("c")
    assert isinstance(events[-2], Answered)
    assert events[-1] == Ended("reset")
    assert (await s.tool.readers["c"].response()).is_error


@EDGES.edge("F.2 a reset in the tick of observation: nothing runs, and history is due")
async def _(s: Session) -> None:
    await s.live()
    s.tracker.set_state({"messages": [message(call("c", "{}"))], "isRunning": True})
    s.tracker.reset()
    await s.turn()
    await s.show(call("c", "{}"))
    assert (s.tool.opened, s.ran) == ([], [])
    first, second = s.tracker.ledger.of("c")
    assert (first.epoch, first.why_not_run) == (1, "a reset came first")
    assert (second.epoch, second.outcome) == (2, "restored")


@EDGES.edge("F.3 resume without an open question is false and does nothing")
async def _(s: Session) -> None:
    await s.live()
    s.tool.work = lambda _, context: context.human("sure?")
    assert not s.tracker.resume("c", 1)
    await s.show(call("c", "{}"))
    assert s.tracker.statuses["c"]["payload"] == {"type": "human", "payload": "sure?"}
    assert s.tracker.resume("c", "yes")
    assert not s.tracker.resume("c", "yes")
    await s.turn()
    assert s.told == [("c", "yes")]


@EDGES.edge("F.4 a stream_call that raises concerns its own call, which may still run")
async def _(s: Session) -> None:
    async def later(reader: Any, context: Any) -> None:
        raise RuntimeError("kaboom")

    def at_once(reader: Any, context: Any) -> None:
        raise RuntimeError("kaboom")

    s.tools["late"] = {"stream_call": later}
    s.tools["bomb"] = {"stream_call": at_once, "execute": lambda *_: "ran"}
    await s.live()
    parts = [call("b", "{}", toolName="bomb"), call("l", "{}", toolName="late")]
    await s.show(*parts)
    await s.show(*parts, call("c", "{}"))
    assert s.told == [("b", "ran"), ("c", {})]
    assert s.codes == ["stream-call", "stream-call"]
    assert [str(d.error) for d in s.diagnostics] == ["kaboom", "kaboom"]
    assert all("kaboom" not in d.message for d in s.diagnostics)


@EDGES.edge("F.4 tools that cannot be read are none, for as long as that lasts (D10)")
async def _(s: Session) -> None:
    broken = ["for now"]

    def tools() -> Any:
        if broken:
            raise RuntimeError("no tools")
        return s.tools

    s.start()
    s.tracker._outside._tools = tools
    await s.show()
    for _ in range(3):
        await s.show(call("c", "{}"))
    assert s.codes == ["tools"]
    broken.clear()
    await s.show(call("c", "{}"), call("d", "{}"))
    assert s.ran == [("c", {}), ("d", {})]
    assert s.tool.opened == ["d"]


@EDGES.edge("F.5 the same id after a reset is another call, also within one tick (L1)")
async def _(s: Session) -> None:
    await s.live()
    for text, reset in (('{"old":', True), ('{"new":1}', False)):
        s.tracker.set_state({"messages": [message(call("c", text))], "isRunning": True})
        if reset:
            s.tracker.reset()
            s.tracker.set_state({"messages": [], "isRunning": True})
    await s.turn()
    assert s.ran == [("c", {"new": 1})]
    assert s.tool.readers["c"].text == '{"new":1}'
    assert [row.runs for row in s.tracker.ledger.of("c")] == [0, 1]


@EDGES.edge("F.5 an old life that still ends says nothing about the new one")
async def _(s: Session) -> None:
    await s.live()
    gates = [asyncio.get_running_loop().create_future() for _ in range(2)]
    old, new = gates
    s.tool.work = lambda *_: gates.pop(0)
    await s.show(call("c", "{}"))
    s.tracker.reset()
    s.tracker.set_state({"messages": [], "isRunning": True})
    s.tracker.set_state({"messages": [message(call("c", "{}"))], "isRunning": True})
    old.set_result("old")
    await s.turn()
    assert s.tracker.statuses["c"] == {"type": "executing"}
    assert s.told == []
    new.set_result("new")
    await s.turn()
    assert s.told == [("c", "new")]


@pytest.mark.parametrize("sentence", EDGES)
async def test_edge(sentence: str, session: Session) -> None:
    await EDGES[sentence](session)


def test_every_edge_of_this_part_has_a_test() -> None:
    numbers = {sentence.split()[0] for sentence in EDGES}
    assert numbers == {"E.1", "E.2", "E.3", "E.4", "F.1", "F.2", "F.3", "F.4", "F.5"}
