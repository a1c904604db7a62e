from __future__ import annotations

from typing import Any

import pytest
from chat_kit import somebody

import aistream_nb as ai
from aistream_nb.core.tool_spec import Decision, Deny, GateRequest, ToolSpec
from aistream_nb.gate import ApprovalGate
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT
from aistream_nb.recording import Recording
from aistream_nb.testing import replay
from aistream_nb.testing.recorded_person import (
    recorded_audience,
    with_recorded_person,
)
from aistream_nb.tools.travel import offline_tools


def custom(name: str, **value: Any) -> dict[str, Any]:
    return {"type": "CUSTOM", "name": f"aistream:{name}", "value": value}


async def test_why_nobody_answered_is_said_again():
    audience = recorded_audience(
        Recording.of(
            [
                {"type": "CUSTOM", "name": "x"},
                custom("asked", toolCallId="1"),
                custom("decision", toolCallId="1", by="you", decision="proceed"),
                custom("asked", toolCallId="2"),
                custom("decision", toolCallId="2", by="policy", reason="no view"),
                custom("asked", toolCallId="3"),
                custom("decision", toolCallId="3", by="policy"),
            ]
        )
    )

    unknown = "the recording holds no decision on this call"
    assert [await audience() for _ in range(4)] == [None, "no view", unknown, unknown]


async def test_a_gate_of_another_make_is_left_alone():
    async def gate(_request: GateRequest) -> Decision:
        return Deny()

    assert with_recorded_person(gate, Recording.of([]), lambda: None) is gate


async def test_a_question_that_nobody_was_asked_then_is_left_to_the_gate():
    gate = ApprovalGate(ask="always", timeout=0.01)
    asked = with_recorded_person(gate, Recording.of([]), lambda: None)

    request = GateRequest(tool=ToolSpec(name="f"), arguments={}, tool_call_id="c")
    assert "nobody answered" in str(await asked(request))


@pytest.mark.parametrize(
    "today",
    [None, ApprovalGate(), ApprovalGate(nobody="proceed"), ApprovalGate(timeout=60)],
    ids=["as recorded", "a gate", "where nobody means yes", "with more time"],
)
async def test_a_question_whose_time_ran_out_runs_out_again_with_the_same_words(
    today: ApprovalGate | None,
):
    chat = ai.Chat("offline", pace=0, gate=ApprovalGate(timeout=0.01))
    chat._view.audience = somebody  # a person watches, and takes too long
    await chat.send(OFFLINE_BOOKING_PROMPT)

    again = replay(chat.recording, tools=offline_tools(), gate=today)

    assert again.check()
    (booking,) = [call for call in again.invocations if call.name == "book_ferry"]
    assert booking.status == "denied"
    assert "nobody answered within 0.01 seconds" in booking.result
    decisions = [
        event["value"]["outcome"]
        for event in again.recording.events
        if event.get("name") == "aistream:decision"
    ]
    assert decisions[-1] == "timed-out"
