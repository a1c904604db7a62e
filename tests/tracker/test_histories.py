"""Random histories: whatever comes, each call once, everything settles, nothing raises.

``AISTREAM_HISTORIES`` sets how many are tried; CI's long run asks for 10,000.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st

from aistream_nb.core.invocation.machines import Outcome
from aistream_nb.core.tool_spec import Deny, Gate, GateRequest, Proceed
from aistream_nb.errors import ToolExecutionError
from aistream_nb.tracker import ToolInvocationTracker, ToolResponse

HISTORIES = int(os.environ.get("AISTREAM_HISTORIES", "300"))
TURNS = 30

IDS = st.sampled_from("abc")
TEXTS = st.sampled_from(
    ["", '{"n"', '{"n":1', '{"n":1}', '{ "n":1.0}', '{"n":12}', '{"m":', "[", "7", "x"]
)
PARTS = st.builds(
    lambda name, tool, text, extra, inner: {
        "type": "tool-call",
        "toolCallId": name,
        "toolName": tool,
        "argsText": text,
        **extra,
        **({"messages": [{"content": inner}]} if inner else {}),
    },
    IDS,
    st.sampled_from(["value", "slow", "ask", "raise", "deaf", "stream", "passive"]),
    TEXTS,
    st.sampled_from(
        [
            {},
            {},
            {},
            {"result": None},
            {"result": 1},
            {"result": 2, "isPreliminary": True},
            {"approval": {"id": "p"}},
            {"toolCallId": None},
        ]
    ),
    st.just([]) | st.lists(st.just({"type": "tool-call", "toolCallId": "a"})),
)
MESSAGES = st.lists(
    st.builds(lambda parts: {"content": parts}, st.lists(PARTS, max_size=3)), max_size=3
)
SNAPSHOTS = st.builds(
    lambda messages, running, loading: {
        "messages": messages,
        "isRunning": running,
        "isLoading": loading,
    },
    MESSAGES,
    st.booleans(),
    st.sampled_from([False, False, False, True]),
)
STEPS = st.one_of(
    st.tuples(st.just("set_state"), SNAPSHOTS),
    st.tuples(st.just("set_state"), SNAPSHOTS),
    st.tuples(st.just("set_state"), st.sampled_from([None, 7, {}, {"messages": 1}])),
    st.tuples(st.sampled_from(["turn", "turn", "reset", "release"]), st.none()),
    st.tuples(st.just("abort"), st.booleans()),
    st.tuples(st.just("resume"), IDS),
    st.tuples(st.just("tools"), st.sampled_from(["raise", "none", "some"])),
)
OPTIONS = st.fixed_dictionaries(
    {
        "execute_when": st.sampled_from(["args_complete", "run_settled"]),
        "on_divergence": st.sampled_from([None, "execute_latest"]),
        "ownership": st.sampled_from([None, True, False, "raise"]),
        "gate": st.sampled_from(
            [None, None, "proceed", "edit", "deny", "raise", "odd"]
        ),
        "callbacks": st.sampled_from(["quiet", "raise", "again"]),
    }
)


class World:
    """A tracker, tools of every temper, and what they saw."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.epoch = 0
        self.opened: Counter[tuple[int, str]] = Counter()
        self.ran: Counter[tuple[int, str]] = Counter()
        self.reported: Counter[tuple[int, str]] = Counter()
        self.readers: list[Any] = []
        self.released = asyncio.Event()
        self.aborts: list[Any] = []
        self.mode = "some"
        self.again = 3
        owner = options["ownership"]
        gate = options["gate"]
        self.tracker = ToolInvocationTracker(
            self.tools,
            on_result=self.on_result,
            on_statuses_change=self.on_statuses,
            execute_when=options["execute_when"],
            on_divergence=options["on_divergence"],
            is_client_tool_call=None if owner is None else self.owns,
            gate=None if gate is None else self.gate(gate),
            on_diagnostic=self.on_diagnostic,
        )

    # ------------------------------------------------------------ the host

    def owns(self, _: Any) -> bool | None:
        answer = self.options["ownership"]
        if answer == "raise":
            raise RuntimeError("no idea")
        return answer

    def gate(self, kind: str) -> Gate:
        async def ask(request: GateRequest) -> Any:
            await asyncio.sleep(0)
            if kind == "raise":
                raise RuntimeError("broken gate")
            answers: dict[str, Any] = {
                "proceed": Proceed(),
                "edit": Proceed(arguments={"edited": True}),
                "deny": Deny(reason="no"),
                "odd": True,
            }
            return answers[kind]

        return ask

    def on_diagnostic(self, _: Any) -> None:
        if self.options["callbacks"] == "raise":
            raise RuntimeError("on_diagnostic")

    def on_result(self, command: dict[str, Any]) -> None:
        self.reported[self.epoch, command["toolCallId"]] += 1
        self.stir()

    def on_statuses(self, _: Any) -> None:
        self.stir()

    def stir(self) -> None:
        """A callback that raises, or that calls back into the tracker."""
        if self.options["callbacks"] == "raise":
            raise RuntimeError("callback")
        if self.options["callbacks"] == "again" and self.again:
            self.again -= 1
            call = {"type": "tool-call", "toolCallId": "c", "toolName": "value"}
            content = [call | {"argsText": "{}"}]
            self.tracker.set_state(
                {"messages": [{"content": content}], "isRunning": True}
            )
            if self.again == 1:
                self.reset()

    # ------------------------------------------------------------ the tools

    def tools(self) -> Any:
        if self.mode == "raise":
            raise RuntimeError("no tools")
        if self.mode == "none":
            return None
        names = ("value", "slow", "ask", "raise", "deaf")
        tools: dict[str, Any] = {
            name: {"stream_call": self.stream_call, "execute": getattr(self, name)}
            for name in names
        }
        return tools | {"stream": {"stream_call": self.stream_badly}, "passive": {}}

    def note(self, context: Any) -> None:
        self.ran[self.epoch, context.tool_call_id] += 1

    def stream_call(self, reader: Any, context: Any) -> Any:
        self.opened[self.epoch, context.tool_call_id] += 1
        self.readers.append(reader)
        return self.read(reader)

    async def read(self, reader: Any) -> None:
        await reader.args.get("n")
        async for _ in reader.events():
            pass
        await reader.response()

    def stream_badly(self, _: Any, context: Any) -> None:
        self.opened[self.epoch, context.tool_call_id] += 1
        raise RuntimeError("stream_call")

    def value(self, args: Any, context: Any) -> Any:
        self.note(context)
        return ToolResponse(args, artifact=1)

    async def slow(self, args: Any, context: Any) -> Any:
        self.note(context)
        await self.released.wait()
        return args

    async def ask(self, _: Any, context: Any) -> Any:
        self.note(context)
        try:
            return await context.human("sure?")
        except ToolExecutionError as error:
            return str(error)

    def raise_(self, _: Any, context: Any) -> Any:
        self.note(context)
        raise ValueError("tool")

    async def deaf(self, _: Any, context: Any) -> Any:
        self.note(context)
        await asyncio.Event().wait()

    def __getattr__(self, name: str) -> Any:
        if name == "raise":
            return self.raise_
        raise AttributeError(name)

    # ------------------------------------------------------------ the history

    def reset(self) -> None:
        self.tracker.reset()
        self.epoch += 1

    async def step(self, name: str, subject: Any) -> None:
        if name == "set_state":
            self.tracker.set_state(subject)
        elif name == "abort":
            self.aborts.append(self.tracker.abort(discard_pending=subject))
        elif name == "resume":
            self.tracker.resume(subject, "yes")
        elif name == "tools":
            self.mode = subject
        elif name == "reset":
            self.reset()
        elif name == "release":
            self.released.set()
        else:
            await self.turn()

    async def turn(self) -> None:
        for _ in range(TURNS):
            await asyncio.sleep(0)


async def live(options: dict[str, Any], steps: list[tuple[str, Any]]) -> None:
    before = asyncio.all_tasks()
    world = World(options)
    for name, subject in steps:
        await world.step(name, subject)
    await world.turn()
    for done in world.aborts:
        await asyncio.wait_for(done, 5)
    await world.tracker.abort()
    await world.turn()
    flying = [r for r in world.tracker.ledger if r.outcome in {"claimed", "executing"}]
    assert flying == []
    assert not [s for s in world.tracker.statuses.values() if s["type"] == "executing"]
    await world.tracker.aclose()
    await world.turn()
    assert asyncio.all_tasks() == before
    for reader in world.readers:
        assert reader.args.done
    assert max(world.opened.values(), default=0) <= 1
    assert max(world.ran.values(), default=0) <= 1
    assert max(world.reported.values(), default=0) <= 1
    assert all(row.runs <= 1 for row in world.tracker.ledger)
    ended = {Outcome.ABANDONED.value, Outcome.RESTORED.value, Outcome.RECORDED.value}
    assert {row.outcome for row in world.tracker.ledger} <= ended


@settings(
    max_examples=HISTORIES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(options=OPTIONS, steps=st.lists(STEPS, max_size=14))
def test_no_history_runs_a_call_twice_or_leaves_anything_waiting(
    options: dict[str, Any], steps: list[tuple[str, Any]]
) -> None:
    asyncio.run(live(options, steps))
