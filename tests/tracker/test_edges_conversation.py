"""Edges B, C and D: coming and going, history, nesting."""

from __future__ import annotations

import asyncio

import pytest
from tracker_session import Register, Session, call, message

from aistream_nb.core.invocation.events import ArgsDelta, Ended, Left, Returned

EDGES = Register()


# ---------------------------------------------------------------- B: coming and going


@EDGES.edge("B.1 an answered call that leaves and returns stays answered")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    await s.show(call("c", "{}", result=1))
    await s.show()
    await s.show()
    await s.show(call("c", "{}"))
    assert s.ran == []
    events = await s.events("c")
    assert events[-2:] == [Left(), Returned()]


@EDGES.edge("B.1 an unfinished call that leaves goes on where it was when it returns")
async def _(s: Session) -> None:
    await s.live()
    await s.show(call("c", '{"n":'))
    await s.show()
    await s.show(call("c", '{"n":1}'))
    assert (s.tool.opened, s.ran) == (["c"], [("c", {"n": 1})])


@EDGES.edge("B.1 a call that leaves while it runs still reports")
async def _(s: Session) -> None:
    await s.live()
    go: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    s.tool.work = lambda *_: go
    await s.show(call("c", "{}"))
    await s.show()
    go.set_result("ours")
    await s.turn()
    assert s.told == [("c", "ours")]
    await s.show(call("c", '{"other":1}'))
    assert len(s.ran) == 1


@EDGES.edge("B.1 the memory of calls that left is bounded, and the id is enough")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    for number in range(300):
        await s.show(call(f"c{number}", '{"n":'))
    kept = [c for c in s.tracker._book._calls.values() if c.args.tracked]
    assert len(kept) <= 257
    assert s.codes.count("vanished") == 299 - 256
    assert Ended("forgotten") in await s.events("c0")
    await s.show(call("c0", '{"n":1}'))
    assert s.ran == []
    assert s.tracker.ledger.of("c0")[0].why_not_run == "it was discarded"
    assert s.tool.opened.count("c0") == 1


@EDGES.edge("B.1 calls that were answered and left keep neither text nor reader")
async def _(s: Session) -> None:
    await s.live()
    for number in range(30):
        await s.show(call(f"c{number}", '{"n":1}', result="x" * 100))
    await s.show()
    calls = s.tracker._book._calls.values()
    assert [c.args.tracked for c in calls] == [""] * 30
    assert all(c.answer is None for c in calls)
    assert s.tracker._readers == {}


# ---------------------------------------------------------------- C: history


@EDGES.edge("C.1 the first snapshot is history, also while running")
async def _(s: Session) -> None:
    await s.show(call("c", "{}"), call("d", "{}", result=1))
    await s.show(call("c", "{}"), call("d", "{}", result=1), running=False)
    assert (s.tool.opened, s.ran) == ([], [])


@EDGES.edge("C.2 a complete, unanswered restored call that never changes never runs")
async def _(s: Session) -> None:
    for running in (True, True, False):
        await s.show(call("c", '{"n":1}'), running=running)
    await s.show(call("c", '{ "n": 1.0 }'), running=False)
    assert (s.tool.opened, s.ran) == ([], [])
    assert "nothing about it changed" in s.tracker.ledger.of("c")[0].why_not_run


@EDGES.edge("C.2 a call inside a restored one may be live")
async def _(s: Session) -> None:
    await s.show(call("c", "{}"))
    await s.show(call("c", "{}", messages=[message(call("d", "{}"))]))
    assert s.ran == [("d", {})]


@EDGES.edge("C.3 a restored call whose text changes is live, from its first character")
async def _(s: Session) -> None:
    s.watch()
    await s.show(call("c", '{"n":'))
    await s.show(call("c", '{"n":1}'))
    assert s.ran == [("c", {"n": 1})]
    assert (await s.events("c"))[0] == ArgsDelta('{"n":1}')


@EDGES.edge("C.3 a restored call that gets a result opens, and does not run")
async def _(s: Session) -> None:
    await s.show(call("c", "{}"))
    await s.show(call("c", "{}", result=1))
    assert (s.tool.opened, s.ran) == (["c"], [])
    assert await s.tool.readers["c"].result() == 1


@EDGES.edge("C.3 a restored answer that goes, or changes, is history for good")
async def _(s: Session) -> None:
    await s.show(call("c", '{"n":1}', result=1))
    await s.show(call("c", '{"n":2}'))
    await s.show(call("c", '{"n":3}', result=2), running=False)
    assert (s.tool.opened, s.ran) == ([], [])
    assert s.tracker.ledger.of("c")[0].why_not_run == "it was answered in history"


@EDGES.edge("C.4 every snapshot that is loading is history, and refreshes it")
async def _(s: Session) -> None:
    await s.show(loading=True)
    await s.show(call("c", '{"n":'), call("d", "{}"), loading=True)
    await s.show(call("c", "{}"), call("d", "{}", result=1), loading=True)
    await s.show(call("c", "{}"), call("d", "{}"), loading=True)
    await s.show(call("c", "{}"), call("d", "{}"))
    assert (s.tool.opened, s.ran) == ([], [])


@EDGES.edge("C.5 going back to loading does not touch what is live")
async def _(s: Session) -> None:
    await s.live()
    await s.show(call("c", '{"n":'))
    await s.show(call("c", '{"n":1}', result=7), call("d", "{}"), loading=True)
    assert s.ran == []
    await s.show(call("c", '{"n":1}'), call("d", "{}"))
    assert s.ran == [("c", {"n": 1})]


# ---------------------------------------------------------------- D: nesting


@EDGES.edge("D.1 nested calls run by the same rules, at any depth")
async def _(s: Session) -> None:
    await s.live()
    nested = call("leaf", "{}")
    for number in range(2000):
        nested = call(f"n{number}", "", messages=[message(nested)])
    await s.show(nested)
    assert s.ran == [("leaf", {})]
    assert len(s.tool.opened) == 2001


@EDGES.edge("D.1 nested calls of history are history")
async def _(s: Session) -> None:
    nested = [message(call("d", "{}"))]
    await s.show(call("c", "{}", messages=nested))
    await s.show(call("c", "{}", messages=nested), running=False)
    assert s.ran == []


@EDGES.edge("D.2 an answered parent does not hide a live child")
async def _(s: Session) -> None:
    await s.live()
    await s.show(call("c", "{}", result=1))
    nested = [message(call("d", "{}"))]
    await s.show(call("c", "{}", result=1, messages=nested))
    assert s.ran == [("d", {})]


@EDGES.edge("D.3 identity is the id and not the place")
async def _(s: Session) -> None:
    await s.live()
    await s.show(call("c", "", messages=[message(call("x", '{"v":'))]))
    await s.show(
        call("c", "", messages=[message(call("y", '{"v":1}'))]), call("x", '{"v":2}')
    )
    assert sorted(s.ran) == [("x", {"v": 2}), ("y", {"v": 1})]


@pytest.mark.parametrize("sentence", EDGES)
async def test_edge(sentence: str, session: Session) -> None:
    await EDGES[sentence](session)


def test_every_edge_of_this_part_has_a_test() -> None:
    numbers = {sentence.split()[0] for sentence in EDGES}
    assert numbers == {"B.1", "C.1", "C.2", "C.3", "C.4", "C.5", "D.1", "D.2", "D.3"}
