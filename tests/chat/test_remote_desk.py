"""What an AG-UI server asks a person, and how it hears the answer."""

from __future__ import annotations

from typing import Any

import pytest
from agui_kit import (
    AGUIServer,
    Charts,
    answer,
    call,
    finished,
    gate_saying,
    interrupted,
    result,
    somebody,
    started,
    text,
    tool_messages,
    until,
)

import aistream_nb as ai
from aistream_nb.core.tool_spec import Deny, Proceed

CANCELLED = [{"interruptId": "i1", "status": "cancelled"}]
ASKS = "tool_call"


PAY = call("p1", "pay", '{"amount":5}')
SCHEMA = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "editedArgs": {"type": "object"},
        "reason": {"type": "string"},
    },
}


def about_pay(**fields: Any) -> dict[str, Any]:
    return {"id": "i1", "reason": ASKS, "toolCallId": "p1", **fields}


async def test_an_interrupt_is_asked_here_and_resumed_with_the_answer():
    asked, gate = gate_saying(Proceed())
    server = AGUIServer(
        [started(), *PAY, interrupted(about_pay(message="Pay 5?"))],
        [started(), result("p1", "paid"), *text("done"), finished()],
    )
    chat = server.chat(gate=gate)

    reply = await chat.send("Pay")

    (request,) = asked
    assert (request.tool.name, request.tool.description) == ("pay", "Pay 5?")
    assert (request.arguments, request.tool_call_id) == ({"amount": 5}, "p1")
    assert server.requests[1]["resume"] == [
        {"interruptId": "i1", "status": "resolved", "payload": {"approved": True}}
    ]
    assert tool_messages(server.requests[1]) == []
    assert reply.tool_calls["p1"].status == "complete"
    assert reply.tool_calls["p1"].decision == "proceed"
    names = [e.get("name") for e in chat.recording.events]
    assert "aistream:executing" not in names
    assert chat.violations == ()


async def test_a_refusal_is_resolved_and_says_why():
    _, gate = gate_saying(Deny(reason="too much"))
    server = AGUIServer(
        [started(), *PAY, interrupted(about_pay(responseSchema=SCHEMA))],
        [started(), result("p1", "denied"), *text("done"), finished()],
    )
    chat = server.chat(gate=gate)

    reply = await chat.send("Pay")

    assert server.requests[1]["resume"][0]["payload"] == {
        "approved": False,
        "reason": "too much",
    }
    assert reply.tool_calls["p1"].status == "denied"


async def test_edited_arguments_are_sent_where_the_schema_offers_it():
    _, gate = gate_saying(Proceed(arguments={"amount": 3}))
    server = AGUIServer(
        [started(), *PAY, interrupted(about_pay(responseSchema=SCHEMA))],
        [started(), result("p1", "paid 3"), *text("done"), finished()],
    )
    chat = server.chat(gate=gate)

    await chat.send("Pay")

    assert server.requests[1]["resume"][0]["payload"] == {
        "approved": True,
        "editedArgs": {"amount": 3},
    }


async def test_two_interrupts_at_once_get_one_entry_each():
    asked, gate = gate_saying(Proceed())
    server = AGUIServer(
        [
            started(),
            *PAY,
            *call("p2", "pay", '{"amount":7}'),
            interrupted(about_pay(), {"id": "i2", "reason": ASKS, "toolCallId": "p2"}),
        ],
        [started(), result("p1", "a"), result("p2", "b"), *text("done"), finished()],
    )
    chat = server.chat(gate=gate)

    await chat.send("Pay")

    assert [request.arguments for request in asked] == [{"amount": 5}, {"amount": 7}]
    assert [entry["interruptId"] for entry in server.requests[1]["resume"]] == [
        "i1",
        "i2",
    ]


async def test_a_tool_of_ours_and_an_interrupt_in_one_run_are_answered_together():
    _, gate = gate_saying(Proceed())
    charts = Charts()
    server = AGUIServer(
        [
            started(),
            *PAY,
            *call("c1", "show_chart", '{"kind":"bar"}'),
            interrupted(about_pay()),
        ],
        [started(), result("p1", "paid"), *text("done"), finished()],
    )
    chat = server.chat(tools=[charts.tool()], gate=gate)

    await chat.send("Both")

    assert charts.shown == ["bar"]
    assert tool_messages(server.requests[1]) == [("c1", "shown bar")]
    assert [entry["interruptId"] for entry in server.requests[1]["resume"]] == ["i1"]


async def test_where_nobody_watches_an_interrupt_is_cancelled():
    server = AGUIServer(
        [started(), *PAY, interrupted(about_pay())],
        [started(), result("p1", "cancelled"), *text("done"), finished()],
    )
    chat = server.chat(gate=ai.ApprovalGate())

    reply = await chat.send("Pay")

    assert server.requests[1]["resume"] == CANCELLED
    assert reply.tool_calls["p1"].status == "denied"
    assert "nobody was watching" in reply.tool_calls["p1"].reason


async def test_an_interrupt_that_nobody_understands_is_shown_and_cancelled():
    server = AGUIServer(
        [
            started(),
            *text("wait"),
            interrupted({"id": "i1", "reason": "acme:captcha", "message": "Are you?"}),
        ],
        answer("done"),
    )
    chat = server.chat()

    reply = await chat.send("Go")

    assert server.requests[1]["resume"] == CANCELLED
    shown = reply.tool_calls["i1"]
    assert (shown.name, shown.status) == ("acme:captcha", "denied")
    assert shown.args == {"message": "Are you?"}
    assert "on_interrupt" in shown.reason
    assert chat.violations == ()


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_function_of_the_host_answers_what_only_it_understands(is_async: bool):  # noqa: FBT001 # a parameter of the test
    seen: list[str] = []

    def plain(interrupt: Any) -> dict[str, str]:
        seen.append(interrupt["reason"])
        return {"text": "42"}

    async def later(interrupt: Any) -> dict[str, str]:
        return plain(interrupt)

    server = AGUIServer(
        [started(), interrupted({"id": "i1", "reason": "acme:captcha"})], answer("done")
    )
    chat = server.chat(on_interrupt=later if is_async else plain)

    reply = await chat.send("Go")

    assert seen == ["acme:captcha"]
    assert server.requests[1]["resume"] == [
        {"interruptId": "i1", "status": "resolved", "payload": {"text": "42"}}
    ]
    assert reply.tool_calls["i1"].decided_by == "on_interrupt"


async def test_a_function_of_the_host_may_have_no_answer():
    server = AGUIServer(
        [started(), interrupted({"id": "i1", "reason": "acme:captcha"})], answer("done")
    )
    chat = server.chat(on_interrupt=lambda _interrupt: None)

    await chat.send("Go")

    assert server.requests[1]["resume"] == CANCELLED


async def test_an_interrupt_that_has_expired_is_cancelled_and_nobody_is_asked():
    asked, gate = gate_saying(Proceed())
    late = about_pay(expiresAt="2026-01-01T00:00:00Z")
    server = AGUIServer(
        [started(), *PAY, interrupted(late)],
        [started(), result("p1", "late"), *text("done"), finished()],
    )
    chat = server.chat(gate=gate, clock=lambda: 1_800_000_000.0)

    reply = await chat.send("Pay")

    assert asked == []
    assert server.requests[1]["resume"][0]["status"] == "cancelled"
    assert reply.tool_calls["p1"].reason == "it has expired"


async def test_a_question_that_was_stopped_is_cancelled_with_the_next_message():
    gate = ai.ApprovalGate()
    server = AGUIServer(
        [started(), *PAY, interrupted(about_pay())],
        [started(), result("p1", "cancelled"), *text("fine"), finished()],
    )
    chat = server.chat(gate=gate)
    chat._view.audience = somebody
    run = chat.start("Pay")
    await until(lambda: bool(chat.waiting))

    run.stop()
    await run
    await chat.send("Never mind")

    assert server.requests[1]["resume"] == CANCELLED
    assert server.requests[1]["messages"][-1]["content"] == "Never mind"
    assert tool_messages(server.requests[1]) == []


async def test_a_person_answers_a_card_of_the_servers_question():
    server = AGUIServer(
        [started(), *PAY, interrupted(about_pay())],
        [started(), result("p1", "paid"), *text("done"), finished()],
    )
    chat = server.chat(gate=ai.ApprovalGate())
    chat._view.audience = somebody
    run = chat.start("Pay")
    await until(lambda: bool(chat.waiting))

    assert [waiting.id for waiting in chat.waiting] == ["p1"]
    assert chat.deny(reason="no money") == "decided"
    await run

    assert server.requests[1]["resume"][0]["payload"] == {
        "approved": False,
        "reason": "no money",
    }


async def test_a_client_tool_that_is_asked_for_by_an_interrupt_runs_here():
    charts = Charts()
    wants = {
        "id": "client_tool_c1",
        "reason": "tanstack:client_tool_execution",
        "toolCallId": "c1",
    }
    other = {**wants, "id": "client_tool_c2", "toolCallId": "c2"}
    server = AGUIServer(
        [
            started(),
            *call("c1", "show_chart", '{"kind":"bar"}'),
            *call("c2", "unknown_tool"),
            interrupted(wants, other),
        ],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()])

    await chat.send("Show")

    assert charts.shown == ["bar"]
    assert server.requests[1]["resume"] == [
        {"interruptId": "client_tool_c1", "status": "resolved", "payload": "shown bar"},
        {"interruptId": "client_tool_c2", "status": "cancelled"},
    ]


async def test_a_call_that_waits_in_silence_is_answered_by_a_tool_message():
    asked, gate = gate_saying(Proceed())
    server = AGUIServer(
        [started(), *PAY, *call("l1", "lookup"), finished()],
        [started(), *text("done"), finished()],
    )
    chat = server.chat(gate=gate, approvals=["pay*"])

    await chat.send("Pay")

    assert [request.tool.name for request in asked] == ["pay"]
    assert tool_messages(server.requests[1]) == [("p1", '{"accepted":true}')]
    assert "resume" not in server.requests[1]


@pytest.mark.parametrize("resume_by", ["resume", "command"])
async def test_langgraphs_custom_event_is_a_question(resume_by: str):
    asked, gate = gate_saying(Proceed())
    custom = {
        "type": "CUSTOM",
        "name": "on_interrupt",
        "value": '{"question": "Go on?"}',
        "rawEvent": {"id": "raw-1"},
    }
    server = AGUIServer([started(), *text("hm"), custom, finished()], answer("done"))
    chat = server.chat(
        gate=gate, resume_by=resume_by, forwarded_props={"tenant": "acme"}
    )

    await chat.send("Go")

    assert asked[0].tool.description == "Go on?"
    sent = server.requests[1]
    if resume_by == "resume":
        assert sent["resume"] == [
            {
                "interruptId": "raw-1",
                "status": "resolved",
                "payload": {"approved": True},
            }
        ]
        assert sent["forwardedProps"] == {"tenant": "acme"}
    else:
        assert "resume" not in sent
        assert sent["forwardedProps"] == {
            "tenant": "acme",
            "command": {"resume": {"approved": True}},
        }


async def test_an_edit_that_the_server_has_no_place_for_is_refused_and_shown_as_such():
    _, gate = gate_saying(Proceed(arguments={"amount": 3}))
    server = AGUIServer(
        [started(), *PAY, interrupted(about_pay())],
        [started(), result("p1", "denied"), *text("done"), finished()],
    )
    chat = server.chat(gate=gate)

    reply = await chat.send("Pay")

    assert server.requests[1]["resume"][0]["payload"]["approved"] is False
    assert reply.tool_calls["p1"].status == "denied"
    assert "no edited arguments" in reply.tool_calls["p1"].reason
