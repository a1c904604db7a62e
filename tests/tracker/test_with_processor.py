"""The tracker drives the client tools of an AG-UI run that our processor reads."""

from __future__ import annotations

import gc
import sys
from typing import Any

from tracker_session import Session

from aistream_nb.core.invocation.snapshot import SnapshotMaker
from aistream_nb.core.messages import ToolCallPart, UIMessage
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.tool_spec import GateRequest, Proceed
from aistream_nb.tracker import ToolInvocationTracker


def run(call_id: str, *pieces: str) -> list[dict[str, Any]]:
    """The events of a run that asks for one call."""
    return [
        {"type": "RUN_STARTED", "threadId": "t", "runId": call_id},
        {
            "type": "TOOL_CALL_START",
            "toolCallId": call_id,
            "toolCallName": "work",
            "parentMessageId": f"m-{call_id}",
        },
        *(
            {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": piece}
            for piece in pieces
        ),
        {"type": "TOOL_CALL_END", "toolCallId": call_id},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": call_id},
    ]


async def feed(s: Session, processor: StreamProcessor, events: Any) -> None:
    maker = SnapshotMaker(with_approvals=False)
    for event in events:
        processor.receive(event)
        running = event["type"] != "RUN_FINISHED"
        s.tracker.set_state(maker.follow(processor, is_running=running))
        await s.turn()


async def test_a_run_streams_asks_its_gate_runs_once_and_takes_its_result_back(
    session: Session,
) -> None:
    asked: list[str | None] = []

    async def gate(request: GateRequest) -> Proceed:
        asked.append(request.tool_call_id)
        return Proceed(arguments={"n": 2})

    processor = StreamProcessor()

    def on_result(result: dict[str, Any]) -> None:
        session.results.append(result)
        processor.add_tool_result(result["toolCallId"], result["result"])

    session.watch()
    await session.live(gate=gate, on_result=on_result)
    await feed(session, processor, run("c1", '{"n"', ":1", "}"))
    await feed(session, processor, run("c2", "{}"))
    assert session.ran == [("c1", {"n": 2}), ("c2", {"n": 2})]
    assert asked == ["c1", "c2"]
    outputs = [
        call.output for message in processor.messages for call in message.tool_calls
    ]
    assert outputs == [{"n": 2}, {"n": 2}]
    assert [row.runs for row in session.tracker.ledger] == [1, 1]


async def test_a_saved_conversation_is_restored_without_running_anything(
    session: Session,
) -> None:
    processor = StreamProcessor()
    for event in run("c1", '{"n":1}'):
        processor.receive(event)
    session.tracker.set_state(
        SnapshotMaker().make(processor.messages, is_running=False)
    )
    await session.turn()
    await feed(session, processor, run("c2", "{}"))
    assert session.ran == [("c2", {})]
    why = [row.why_not_run for row in session.tracker.ledger]
    assert why == ["it is history, and nothing about it changed", ""]


# ---------------------------------------------------------------- what it costs


def calls_behind(history: int) -> int:
    """How many functions are called for 20 pieces of a call, behind a history."""
    before = [
        UIMessage(
            id=f"m{n}", role="assistant", parts=(ToolCallPart(id=f"c{n}", name="w"),)
        )
        for n in range(history)
    ]
    processor = StreamProcessor(initial_messages=before)
    tracker, maker = ToolInvocationTracker(), SnapshotMaker()
    count = 0

    def step(event: dict[str, Any]) -> None:
        processor.receive(event)
        tracker.set_state(maker.follow(processor, is_running=True))

    def count_call(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    for event in run("live", '{"rows":[', "1")[:-2]:
        step(event)
    profile = sys.getprofile()
    gc.collect()
    gc.disable()  # what it would call meanwhile is not ours
    sys.setprofile(count_call)
    try:
        for _ in range(20):
            step({"type": "TOOL_CALL_ARGS", "toolCallId": "live", "delta": ",1"})
    finally:
        sys.setprofile(profile)
        gc.enable()
    return count


async def test_a_snapshot_of_our_own_messages_costs_what_changed() -> None:
    assert calls_behind(5) == calls_behind(500)
