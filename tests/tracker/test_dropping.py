"""A tracker that is dropped, not closed: it goes, and nothing is left or printed."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from weakref import ref

import pytest
from tracker_session import call, message

from aistream_nb.core.tool_spec import Gate, GateRequest, Proceed
from aistream_nb.tracker import StreamingTool, ToolInvocationTracker


class Stage:
    """Tools that wait, and what became of them. It does not know the tracker."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def wait(self, what: Awaitable[Any]) -> Any:
        """Wait, and clean up in a way that takes turns of the loop itself."""
        self.heard.append("waits")
        try:
            return await what
        except asyncio.CancelledError:
            self.heard.append("cancelled")
            raise
        finally:
            await asyncio.sleep(0)
            self.heard.append("cleaned up")

    def asking(self) -> StreamingTool:
        return StreamingTool(execute=lambda _, context: self.wait(context.human("?")))

    def stopping(self) -> StreamingTool:
        return StreamingTool(
            execute=lambda _, context: self.wait(context.abort_signal.wait())
        )

    def stuck(self) -> StreamingTool:
        return StreamingTool(execute=lambda *_: self.wait(asyncio.Event().wait()))

    def reading(self) -> StreamingTool:
        async def read(reader: Any) -> None:
            async for _ in reader.events():
                pass

        return StreamingTool(stream_call=lambda reader, _: self.wait(read(reader)))

    async def gate(self, _: GateRequest) -> Proceed:
        await self.wait(asyncio.Event().wait())
        return Proceed()


@pytest.fixture
async def printed() -> AsyncIterator[list[Any]]:
    """What asyncio would print. It must stay empty, and no task may be left."""
    loop = asyncio.get_running_loop()
    told: list[Any] = []
    loop.set_exception_handler(lambda _, context: told.append(context["message"]))
    yield told
    gc.collect()
    assert told == []
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def turn() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def begin(tool: Any, **options: Any) -> ToolInvocationTracker:
    """A tracker with one live call of the tool."""
    tracker = ToolInvocationTracker({"work": tool}, **options)
    tracker.set_state({"messages": [], "isRunning": True})
    tracker.set_state({"messages": [message(call("c", "{}"))], "isRunning": True})
    return tracker


WAITS: dict[str, Callable[[Stage], tuple[Any, dict[str, Any]]]] = {
    "a tool that waits for a person": lambda stage: (stage.asking(), {}),
    "a tool that waits for an abort": lambda stage: (stage.stopping(), {}),
    "a tool that waits for ever": lambda stage: (stage.stuck(), {}),
    "a reader of events": lambda stage: (stage.reading(), {}),
    "a gate": lambda stage: (
        StreamingTool(execute=lambda *_: None),
        {"gate": stage.gate},
    ),
}


@pytest.mark.parametrize("name", WAITS)
@pytest.mark.usefixtures("printed")
async def test_dropped_it_ends(name: str) -> None:
    stage = Stage()
    tool, options = WAITS[name](stage)
    tracker = begin(tool, on_result=stage.heard.append, **options)
    gone = ref(tracker)
    await turn()
    assert stage.heard == ["waits"]
    del tracker
    assert gone() is None  # at once: it is in no cycle
    await turn()
    assert stage.heard == ["waits", "cancelled", "cleaned up"]


@pytest.mark.usefixtures("printed")
async def test_one_that_is_in_a_cycle_of_the_host_ends_too() -> None:
    class Host:
        def __init__(self) -> None:
            self.stage = Stage()
            self.tracker = begin(
                self.stage.asking(),
                on_result=self.hear,
                on_statuses_change=self.hear,
                on_diagnostic=self.hear,
                gate=self.ask,
            )

        def hear(self, _: object) -> None:
            """What it is told is not the matter here."""

        async def ask(self, _: GateRequest) -> Proceed:
            return Proceed()

    host = Host()
    stage, gone = host.stage, ref(host.tracker)
    await turn()
    assert host.tracker.statuses["c"]["type"] == "interrupt"
    del host
    gc.collect()
    assert gone() is None
    await turn()
    assert stage.heard == ["waits", "cancelled", "cleaned up"]


async def agree(_: GateRequest) -> Proceed:
    return Proceed()


@pytest.mark.parametrize("gate", [None, agree])
@pytest.mark.usefixtures("printed")
async def test_a_call_that_was_about_to_run_does_not(gate: Gate | None) -> None:
    ran: list[str] = []
    tool = StreamingTool(execute=lambda *_: ran.append("ran"))
    for turns in range(4):
        tracker = begin(tool, gate=gate)
        for _ in range(turns):
            await asyncio.sleep(0)
        if ran:
            break
        del tracker
        await turn()
        assert ran == []
    else:
        pytest.fail("it never ran at all")


@pytest.mark.usefixtures("printed")
async def test_it_can_be_dropped_in_another_thread() -> None:
    stage = Stage()
    kept = [begin(stage.stuck())]
    await turn()
    thread = threading.Thread(target=kept.clear)
    thread.start()
    await asyncio.get_running_loop().run_in_executor(None, thread.join)
    await turn()
    assert stage.heard == ["waits", "cancelled", "cleaned up"]


@pytest.mark.usefixtures("printed")
async def test_a_tool_that_holds_the_tracker_keeps_it_while_it_waits() -> None:
    class Host:
        def __init__(self) -> None:
            self.results: list[Any] = []
            self.tracker = begin(self, on_result=self.results.append)

        async def execute(self, _: Any, context: Any) -> Any:
            return await context.human("?")

    host = Host()
    results, gone = host.results, ref(host.tracker)
    await turn()
    del host
    gc.collect()
    await turn()
    tracker = gone()
    assert tracker is not None
    assert tracker.resume("c", "yes")
    del tracker
    await turn()
    assert [result["result"] for result in results] == ["yes"]
    gc.collect()
    assert gone() is None


@pytest.mark.usefixtures("printed")
async def test_what_a_callback_raises_after_the_tracker_went_is_dropped() -> None:
    async def fail(_: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise RuntimeError("late")

    told: list[Any] = []
    tool = StreamingTool(execute=lambda *_: 1)
    tracker = begin(tool, on_result=fail, on_diagnostic=told.append)
    await turn()
    del tracker
    await turn()
    assert told == []


@pytest.mark.usefixtures("printed")
async def test_what_a_tool_still_gives_after_the_tracker_went_is_dropped() -> None:
    async def cling(*_: Any) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "a value"
        raise AssertionError

    def fail(**_: Any) -> None:
        raise RuntimeError("late")

    told: list[Any] = []
    tool = StreamingTool(execute=cling, to_model_output=fail)
    tracker = begin(tool, on_result=told.append, on_diagnostic=told.append)
    await turn()
    del tracker
    await turn()
    assert told == []


@pytest.mark.usefixtures("printed")
async def test_an_abort_can_still_be_awaited_when_the_tracker_is_gone() -> None:
    stage = Stage()
    tracker = begin(stage.stuck(), on_result=stage.heard.append)
    await turn()
    done = tracker.abort()
    del tracker
    await done
    assert stage.heard == ["waits", "cancelled", "cleaned up"]


async def test_many_that_are_dropped_leave_nothing(printed: list[Any]) -> None:
    before = len(asyncio.all_tasks())
    stage = Stage()
    for _ in range(50):
        begin(stage.reading())
        tracker = begin(stage.asking())
        await asyncio.sleep(0)
        del tracker
    await turn()
    assert len(asyncio.all_tasks()) == before
    assert printed == []
