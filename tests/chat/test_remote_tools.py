"""Client tools of an AG-UI server: run once, behind the gate, answered in time."""

from __future__ import annotations

import asyncio

import pytest
from agui_kit import (
    AGUIServer,
    Charts,
    Said,
    answer,
    call,
    finished,
    kinds,
    remote,
    result,
    somebody,
    started,
    text,
    tool_messages,
    until,
)

import aistream_nb as ai
from aistream_nb.core.tool_spec import Decision, Deny, GateRequest
from aistream_nb.errors import (
    TurnError,
)

QUESTION = {"id": "user_1", "role": "user", "content": "Show"}
BOTH = [("c1", "shown bar"), ("c2", "shown pie")]


async def test_a_tool_of_ours_runs_when_the_run_is_over_and_is_answered_in_the_next():
    charts = Charts()
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()])

    reply = await chat.send("Show")

    first, second = server.requests
    assert [tool["name"] for tool in first["tools"]] == ["show_chart"]
    assert set(first["tools"][0]) == {"name", "description", "parameters"}
    assert second["runId"] != first["runId"]
    assert second["threadId"] == first["threadId"]
    assert tool_messages(second) == [("c1", "shown bar")]
    assert "resume" not in second
    assert charts.shown == ["bar"]
    assert reply.tool_calls["c1"].status == "complete"
    assert reply.tool_calls["c1"].annotations == {"readOnlyHint": True}
    assert reply.text == "done"
    assert chat.violations == ()
    assert remote(chat).tracker.ledger.of("c1")[-1].runs == 1


async def test_what_is_told_of_a_tool_comes_before_the_end_of_its_run():
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[Charts().tool()])

    await chat.send("Show")

    told = [
        str(e.get("name", e["type"])) for e in chat.recording.events if "delta" not in e
    ]
    assert told[1:6] == [
        "TOOL_CALL_START",
        "TOOL_CALL_END",
        "aistream:decision",
        "aistream:executing",
        "RUN_FINISHED",
    ]


async def test_two_tools_of_ours_in_one_run_are_answered_together():
    charts = Charts()
    server = AGUIServer(
        [
            started(),
            *call("c1", "show_chart", '{"kind":"bar"}'),
            *call("c2", "show_chart", '{"kind":"pie"}'),
            finished("c1", "c2"),
        ],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()])

    await chat.send("Show")

    assert tool_messages(server.requests[1]) == [
        ("c1", "shown bar"),
        ("c2", "shown pie"),
    ]
    assert sorted(charts.shown) == ["bar", "pie"]


async def test_runs_go_on_until_nothing_is_left():
    charts = Charts()
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished()],
        [started(), *call("c2", "show_chart", '{"kind":"pie"}'), finished()],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()])

    reply = await chat.send("Show")

    assert charts.shown == ["bar", "pie"]
    assert tool_messages(server.requests[2]) == [
        ("c1", "shown bar"),
        ("c2", "shown pie"),
    ]
    assert reply.text == "done"


async def test_a_call_that_is_repeated_runs_once():
    charts = Charts()
    again = call("c1", "show_chart", '{"kind":"bar"}')
    server = AGUIServer(
        [started(), *again, finished("c1")],
        [started(), *again, *text("really?"), finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()])

    await chat.send("Show")
    await chat.send("Go on")

    assert charts.shown == ["bar"]
    assert len(server.requests) == 3


async def test_a_server_that_forgot_an_answer_gets_the_same_one_again():
    charts = Charts()
    forgetful = {
        "type": "MESSAGES_SNAPSHOT",
        "messages": [
            {"id": "user_1", "role": "user", "content": "Show"},
            {
                "id": "c1",
                "role": "assistant",
                "toolCalls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {
                            "name": "show_chart",
                            "arguments": '{"kind":"bar"}',
                        },
                    }
                ],
            },
        ],
    }
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")],
        [started(), forgetful, finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()])

    await chat.send("Show")

    assert charts.shown == ["bar"]
    assert tool_messages(server.requests[2]) == [("c1", "shown bar")]


async def test_a_call_that_the_server_answered_is_not_ours_any_more():
    charts = Charts()
    server = AGUIServer(
        [
            started(),
            *call("c1", "show_chart", '{"kind":"bar"}'),
            result("c1", "the server did it"),
            *text("done"),
            finished(),
        ]
    )
    chat = server.chat(tools=[charts.tool()])

    await chat.send("Show")

    assert charts.shown == []
    assert len(server.requests) == 1


async def test_a_tool_of_the_server_that_is_never_answered_is_left_alone():
    server = AGUIServer([started(), *call("c1", "lookup"), *text("done"), finished()])
    chat = server.chat(tools=[Charts().tool()])

    reply = await chat.send("Show")

    assert len(server.requests) == 1
    assert reply.text == "done"


async def test_a_denied_tool_does_not_run_and_the_server_hears_why():
    async def no(_request: GateRequest) -> Decision:
        return Deny(reason="not today")

    charts = Charts()
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()], gate=no)

    reply = await chat.send("Show")

    assert charts.shown == []
    denied = "Tool execution denied: not today"
    assert tool_messages(server.requests[1]) == [("c1", denied)]
    assert server.requests[1]["messages"][-1]["error"] == denied
    assert reply.tool_calls["c1"].status == "denied"


async def test_a_tool_that_fails_is_answered_with_its_error():
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"broken"}'), finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[Charts().tool()])

    await chat.send("Show")

    sent = server.requests[1]["messages"][-1]
    assert "no such chart" in sent["error"]
    assert sent["content"] == sent["error"]


@pytest.mark.parametrize("arguments", ["[1]", '{"kind": "b'])
async def test_arguments_that_are_no_object_never_reach_the_tool(arguments: str):
    charts = Charts()
    server = AGUIServer(
        [started(), *call("c1", "show_chart", arguments), finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()])

    await chat.send("Show")

    assert charts.shown == []
    assert "not a JSON object" in server.requests[1]["messages"][-1]["content"]


async def test_a_tool_without_arguments_runs_though_none_were_streamed():
    ran: list[str] = []

    @ai.tool(read_only=True)
    def ping() -> dict[str, int]:
        """Ping."""
        ran.append("ping")
        return {"pong": 1}

    start, _, end = call("c1", "ping")
    server = AGUIServer([started(), start, end, finished("c1")], answer("done"))
    chat = server.chat(tools=[ping])

    await chat.send("Ping")

    assert ran == ["ping"]
    assert tool_messages(server.requests[1]) == [("c1", '{"pong":1}')]


async def test_a_person_is_asked_in_the_chat_before_a_tool_runs():
    charts = Charts()
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()], gate=ai.ApprovalGate(ask="always"))
    chat._view.audience = somebody
    run = chat.start("Show")
    await until(lambda: bool(chat.waiting))

    assert chat.conversation.status == "waiting"
    assert len(server.requests) == 1
    assert chat.approve("c1", arguments={"kind": "pie"}) == "decided"
    await run

    assert charts.shown == ["pie"]
    assert tool_messages(server.requests[1]) == [("c1", "shown pie")]


async def test_more_runs_than_allowed_end_with_an_error():
    server = AGUIServer(
        lambda body: [
            started(),
            *call(f"c-{body['runId']}", "show_chart", '{"kind":"bar"}'),
            finished(),
        ]
    )
    chat = server.chat(tools=[Charts().tool()], max_rounds=2)

    with pytest.raises(TurnError, match="more than 2 runs"):
        await chat.send("Show")

    assert len(server.requests) == 2
    assert kinds(chat)[-1] == "RUN_ERROR"
    assert chat.conversation.status == "error"


async def test_a_call_that_was_stopped_before_it_began_never_runs():
    charts = Charts()
    half = Said(
        events=[started(), *call("c1", "show_chart", '{"ki')[:2]],
        wait_before_end=asyncio.Event(),
    )
    server = AGUIServer(
        half,
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()])
    run = chat.start("Show")
    await until(lambda: kinds(chat)[-1:] == ["TOOL_CALL_ARGS"])
    run.stop()
    await run

    await chat.send("again")

    assert charts.shown == []
    ((_, content),) = tool_messages(server.requests[2])
    assert "did not run" in content


async def test_a_pending_call_that_nobody_began_is_nobodys():
    server = AGUIServer([started(), *text("done"), finished("ghost")])
    chat = server.chat(tools=[Charts().tool()])

    assert (await chat.send("Show")).text == "done"
    assert len(server.requests) == 1


async def test_parts_that_a_tool_gives_are_sent_as_json():
    @ai.tool(read_only=True)
    def picture() -> list[dict[str, str]]:
        """Draw."""
        return [{"type": "text", "content": "a cat"}]

    server = AGUIServer(
        [started(), *call("c1", "picture"), finished("c1")], answer("done")
    )
    chat = server.chat(tools=[picture])

    await chat.send("Draw")

    ((_, content),) = tool_messages(server.requests[1])
    assert content == '[{"type":"text","content":"a cat"}]'


async def test_a_gate_that_fails_runs_nothing_and_is_told():
    async def broken(_request: GateRequest) -> Decision:
        raise KeyError("gate")

    charts = Charts()
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()], gate=broken)

    await chat.send("Show")

    assert charts.shown == []
    assert [d.code for d in remote(chat)._tools.diagnostics] == ["gate-failed"]


async def test_a_tool_may_take_its_time():
    charts = Charts()
    charts.go_on.clear()
    server = AGUIServer(
        [
            started(),
            *call("c1", "show_chart", '{"kind":"bar"}'),
            *call("c2", "show_chart", '{"kind":"pie"}'),
            finished("c1", "c2"),
        ],
        answer("done"),
    )
    chat = server.chat(tools=[charts.tool()])
    run = chat.start("Show")
    await charts.reached.wait()
    for _ in range(50):
        await asyncio.sleep(0)

    statuses = {call.status for call in chat.conversation.tool_calls.values()}
    charts.go_on.set()
    await run

    assert statuses == {"executing"}
    assert tool_messages(server.requests[1]) == BOTH
