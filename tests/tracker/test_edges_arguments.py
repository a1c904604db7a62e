"""Edges A.1 to A.4: the arguments of a call, as they grow and change."""

from __future__ import annotations

import pytest
from tracker_session import Register, Session, call, message

from aistream_nb.core.invocation.events import (
    Answered,
    ArgsChanged,
    ArgsDelta,
    ArgsDone,
    ArgsRegressed,
    ArgsReplaced,
    ToolResponse,
)

EDGES = Register()


# ---------------------------------------------------------------- A: one call


@EDGES.edge("A.1 arguments that grow stream as deltas, and the call runs once")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    for text in ('{"n"', '{"n":', '{"n":1}'):
        await s.show(call("c", text))
    await s.show(call("c", '{"n":1}'), running=False)
    deltas = [e.text for e in await s.events("c") if isinstance(e, ArgsDelta)]
    assert deltas == ['{"n"', ":", "1}"]
    assert (s.tool.opened, s.ran) == (["c"], [("c", {"n": 1})])
    assert s.told == [("c", {"n": 1})]


@EDGES.edge("A.1 several snapshots in one tick are several deltas")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    for text in ('{"n"', '{"n":1', '{"n":12}'):
        s.tracker.set_state({"messages": [message(call("c", text))], "isRunning": True})
    assert s.tool.opened == []
    await s.turn()
    deltas = [e.text for e in await s.events("c") if isinstance(e, ArgsDelta)]
    assert deltas == ['{"n"', ":1", "2}"]
    assert s.ran == [("c", {"n": 12})]


@EDGES.edge("A.2 a text that shrinks is told, and one that extends the old goes on")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    for text in ('{"n":1', '{"n"', '{"n"', '{"n":1}'):
        await s.show(call("c", text))
    assert await s.events("c") == [
        ArgsDelta('{"n":1'),
        ArgsRegressed('{"n":1', '{"n"'),
        ArgsDelta("}"),
        ArgsDone(),
        Answered(ToolResponse({"n": 1})),
    ]
    assert s.ran == [("c", {"n": 1})]
    assert s.codes == ["args-regressed"]


@EDGES.edge("A.2 a whole but other text never runs, and the host is told why")
async def _(s: Session) -> None:
    await s.live()
    await s.show(call("c", '{"lat":0'))
    await s.show(call("c", '{"lat":-0.5}'))
    await s.show(call("c", '{"lat":-0.5}'), running=False)
    await s.show(call("c", '{"lat":-0.5}'), running=False)
    assert s.ran == []
    assert s.codes == ["args-regressed", "not-executed"]
    (row,) = s.tracker.ledger.of("c")
    assert (row.runs, row.outcome) == (0, "pending")
    assert "rewritten" in row.why_not_run


@EDGES.edge(
    "A.2 on_divergence='execute_latest' runs the latest text when the run has settled"
)
async def _(s: Session) -> None:
    s.watch()
    await s.live(on_divergence="execute_latest")
    await s.show(call("c", '{"lat":0'))
    await s.show(call("c", '{"lat":-0.5}'))
    assert s.ran == []
    for _ in range(2):
        await s.show(call("c", '{"lat":-0.5}'), running=False)
    assert s.ran == [("c", {"lat": -0.5})]
    assert ArgsReplaced({"lat": -0.5}) in await s.events("c")
    assert s.tool.readers["c"].text == '{"lat":0'


@EDGES.edge("A.2 on_divergence='execute_latest' leaves an unfinished text alone")
async def _(s: Session) -> None:
    await s.live(on_divergence="execute_latest")
    await s.show(call("c", '{"lat":0'))
    await s.show(call("c", '{"lat":-'), running=False)
    assert s.ran == []
    assert s.codes == ["args-regressed", "not-executed"]


@EDGES.edge("A.2 a result that comes with a regressed text reaches the reader")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    await s.show(call("c", '{"n":1'))
    await s.show(call("c", '{"m"', result="theirs"))
    events = await s.events("c")
    assert events[-2:] == [ArgsDone(), Answered(ToolResponse("theirs"))]
    assert await s.tool.readers["c"].result() == "theirs"
    assert s.ran == []


@EDGES.edge("A.3 the same value written in another way after completion is no change")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    await s.show(call("c", '{"a":1,"b":2}'))
    await s.show(call("c", '{"b":2.0, "a":1}'))
    assert s.ran == [("c", {"a": 1, "b": 2})]
    assert s.codes == []
    assert not any(isinstance(e, ArgsChanged) for e in await s.events("c"))


@EDGES.edge("A.3 the same value in another way before completion is only tracked")
async def _(s: Session) -> None:
    s.tools["work"] = {}
    await s.live()
    await s.show(call("c", '{"a":1,"b":2}'))
    await s.show(call("c", '{"b":2,"a":1}'))
    await s.show(call("c", '{"b":2,"a":1}'), running=False)
    assert s.codes == []
    (row,) = s.tracker.ledger
    assert "no tool of that name" in row.why_not_run


@EDGES.edge("A.4 arguments that change after completion are told once for each change")
async def _(s: Session) -> None:
    s.watch()
    await s.live()
    await s.show(call("c", '{"n":1}'))
    for text in ('{"n":2}', '{"n":2}', '{"n":3}'):
        await s.show(call("c", text))
    assert s.ran == [("c", {"n": 1})]
    assert s.codes == ["args-changed", "args-changed"]
    changed = [e for e in await s.events("c") if isinstance(e, ArgsChanged)]
    assert changed == [
        ArgsChanged('{"n":1}', '{"n":2}'),
        ArgsChanged('{"n":2}', '{"n":3}'),
    ]


@pytest.mark.parametrize("sentence", EDGES)
async def test_edge(sentence: str, session: Session) -> None:
    await EDGES[sentence](session)


def test_every_edge_of_this_part_has_a_test() -> None:
    numbers = {sentence.split()[0] for sentence in EDGES}
    assert numbers == {"A.1", "A.2", "A.3", "A.4"}
