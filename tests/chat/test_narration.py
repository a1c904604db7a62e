from __future__ import annotations

import asyncio
from typing import Any

import pytest
from chat_kit import until

from aistream_nb.chat.narration import NarratedGate
from aistream_nb.core.tool_spec import (
    Decision,
    Deny,
    Gate,
    GateRequest,
    Proceed,
    ToolSpec,
)
from aistream_nb.core.values import Event
from aistream_nb.gate import ApprovalGate


class Told:
    """A narrated gate, and what it told."""

    def __init__(self, gate: Gate, audience: Any = None) -> None:
        self.events: list[Event] = []
        self.gate = NarratedGate(
            gate,
            emit=self.events.append,
            name_call=lambda: "made-up",
            chat="here",
            audience=audience or self.somebody,
        )

    async def somebody(self) -> str | None:
        return None

    @property
    def names(self) -> list[str]:
        return [event["name"] for event in self.events]


def asked(call_id: str | None = "c") -> GateRequest:
    return GateRequest(
        tool=ToolSpec(name="f"), arguments={"x": 1}, tool_call_id=call_id
    )


async def answered(told: Told, gate: ApprovalGate, decision: Decision) -> Decision:
    """Ask, and decide as soon as the question is there."""

    def decide(_event: object) -> None:
        for approval in gate.pending:
            gate.decide(approval, decision)

    gate.subscribe(decide)
    return await told.gate(asked())


async def test_a_question_its_answer_and_the_run_are_told_in_this_order():
    gate = ApprovalGate(ask="always")
    told = Told(gate)

    assert await answered(told, gate, Proceed(arguments={"x": 2})) == Proceed(
        arguments={"x": 2}
    )

    assert told.names == ["aistream:asked", "aistream:decision", "aistream:executing"]
    assert told.events[0]["value"]["input"] == {"x": 1}
    assert told.events[1]["value"]["arguments"] == {"x": 2}
    assert {event["value"]["toolCallId"] for event in told.events} == {"c"}


async def test_a_denied_call_is_not_told_to_run():
    gate = ApprovalGate(ask="always")
    told = Told(gate)

    await answered(told, gate, Deny(reason="no"))

    assert told.names == ["aistream:asked", "aistream:decision"]
    assert told.events[1]["value"]["reason"] == "no"


async def test_what_another_chat_asks_is_not_told_here():
    gate = ApprovalGate(ask="never")
    told = Told(gate)

    await gate.for_chat("elsewhere")(asked())
    assert told.events == []

    asking = ApprovalGate(ask="always")
    here = Told(asking)
    elsewhere = asking.for_chat("elsewhere", audience=_nobody)
    await elsewhere(asked())
    assert here.events == []

    told.gate.close()
    await told.gate(asked())

    assert told.names == ["aistream:executing"]


async def test_a_question_that_was_dropped_is_no_decision():
    gate = ApprovalGate(ask="always")
    told = Told(gate)
    loop = asyncio.get_running_loop()
    asking = loop.create_task(told.gate(asked()))
    await until(lambda: bool(gate.pending))

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    assert told.names == ["aistream:asked"]


async def test_a_call_without_an_id_is_told_under_the_one_the_stream_made():
    told = Told(ApprovalGate(ask="never"))

    await told.gate(asked(None))

    assert {event["value"]["toolCallId"] for event in told.events} == {"made-up"}


ANSWERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "proceed": (Proceed(), {"decision": "proceed"}),
    "edited": (
        Proceed(arguments={"x": 2}),
        {"decision": "proceed", "arguments": {"x": 2}},
    ),
    "deny": (Deny(reason="no"), {"decision": "deny", "reason": "no"}),
    "nonsense": ("yes", {"decision": "deny"}),
}


@pytest.mark.parametrize(("answer", "value"), ANSWERS.values(), ids=ANSWERS)
async def test_of_a_gate_of_your_own_the_answer_is_told(
    answer: Any, value: dict[str, Any]
):
    async def gate(_request: GateRequest) -> Decision:
        return answer

    told = Told(gate)
    await told.gate(asked())

    said = told.events[0]["value"]
    assert said == {"toolCallId": "c", "by": "gate", **value}
    told.gate.close()


async def _nobody() -> str:
    return "nobody is there"


async def test_of_a_question_of_another_chat_in_the_same_thread_nothing_is_told():
    gate = ApprovalGate("always")
    here, there = Told(gate), Told(gate)

    assert await answered(there, gate, Proceed()) == Proceed()

    assert there.names[0] == "aistream:asked"
    assert here.names == []
