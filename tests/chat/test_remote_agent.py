"""A chat with an AG-UI server: what is sent, and what is shown."""

from __future__ import annotations

import pytest
from agui_kit import (
    URL,
    AGUIServer,
    Said,
    answer,
    fill,
    finished,
    gate_saying,
    remote,
    sse,
    started,
    text,
)

import aistream_nb as ai
from aistream_nb.chat.ids import counted_ids
from aistream_nb.core.tool_spec import Deny, Proceed
from aistream_nb.errors import (
    AIStreamError,
)

QUESTION = {"id": "user_1", "role": "user", "content": "Show"}


# ---------------------------------------------------------------- a plain run


async def test_a_question_is_sent_and_its_answer_is_shown():
    server = AGUIServer(answer("Hello there"))
    chat = server.chat()

    reply = await chat.send("Hi")

    (request,) = server.requests
    assert request["threadId"] == "thread"
    assert request["runId"] == "run_1"
    assert request["protocolVersion"] == "1.0"
    assert request["messages"] == [{"id": "user_1", "role": "user", "content": "Hi"}]
    assert "resume" not in request
    assert server.headers[0]["accept"] == "text/event-stream"
    assert reply.text == "Hello there"
    assert [m.text for m in chat.conversation.messages] == ["Hi", "Hello there"]
    assert chat.violations == ()
    assert repr(chat) == f"Chat({URL!r})"


async def test_the_recording_keeps_requests_and_bytes_but_no_header():
    server = AGUIServer(answer("Hello"))
    agent = server.agent(headers={"Authorization": "Bearer top-secret-token"})
    chat = ai.Chat(agent, ids=counted_ids("thread"))

    await chat.send("Hi")

    (wire,) = chat.recording.rounds
    assert wire.body == sse(*fill(answer("Hello"), server.requests[0]))
    assert (wire.request or {})["body"] == server.requests[0]
    assert server.headers[0]["authorization"] == "Bearer top-secret-token"
    kept = repr([entry.to_line() for entry in chat.recording.entries])
    assert "top-secret-token" not in kept
    assert chat.recording.header["url"] == URL


async def test_an_address_is_a_target_and_its_options_are_checked():
    chat = ai.Chat(URL, headers={"x": "y"}, max_rounds=3)

    assert remote(chat).server.max_rounds == 3
    with pytest.raises(AIStreamError, match=r"'header'.*headers"):
        ai.Chat(URL, header={})
    with pytest.raises(AIStreamError, match="no further option"):
        ai.Chat(ai.AGUIAgent(URL), max_rounds=3)
    await chat.aclose()


# ---------------------------------------------------------------- state and context


async def test_the_state_is_shared_both_ways():
    agent_says = [
        started(),
        {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}},
        {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/n", "value": 2}]},
        *text("ok"),
        finished(),
    ]
    server = AGUIServer(agent_says, answer("fine"))
    agent = server.agent(state={"n": 0})
    chat = ai.Chat(agent)

    await chat.send("one")
    after = agent.state
    agent.state = {"n": 9}
    await chat.send("two")

    assert server.requests[0]["state"] == {"n": 0}
    assert after == {"n": 2}
    assert server.requests[1]["state"] == {"n": 9}
    assert chat.conversation.state == {"n": 9}
    assert agent.state == {"n": 9}
    remote(chat).state = {"n": 10}
    assert agent.state == remote(chat).state == {"n": 10}


async def test_the_chat_hands_on_the_state_of_agents_that_share_one():
    server = AGUIServer(answer("ok"))
    chat = server.chat(state={"n": 0})

    chat.state = {"n": 1}
    await chat.send("Hi")

    assert server.requests[0]["state"] == {"n": 1}
    assert chat.state == chat.conversation.state == {"n": 1}


def test_an_agent_without_a_state_refuses_one():
    chat = ai.Chat("offline")

    assert chat.state is None
    with pytest.raises(AIStreamError, match="shares no state"):
        chat.state = {}


@pytest.mark.parametrize(
    ("snapshot", "answers"),
    [
        ([{"id": "x", "role": "user", "content": "Hi"}], ["Hello"]),
        ([], ["Hello"]),
    ],
)
async def test_a_server_that_gives_the_question_another_id_is_answered_all_the_same(
    snapshot: list[dict[str, str]], answers: list[str]
):
    said = {"id": "answer", "role": "assistant", "content": "Hello"}
    rekeyed = {"type": "MESSAGES_SNAPSHOT", "messages": [*snapshot, said]}
    server = AGUIServer([started(), *text("Hello", "answer"), rekeyed, finished()])

    reply = await server.chat().send("Hi")

    assert [message.text for message in reply.messages] == answers


async def test_context_and_props_ride_on_every_request():
    server = AGUIServer(answer("ok"))
    chat = server.chat(
        context=[{"description": "user", "value": "Ann"}],
        forwarded_props={"a": 1},
        protocol_version=None,
    )

    await chat.send("Hi")

    assert server.requests[0]["context"] == [{"description": "user", "value": "Ann"}]
    assert server.requests[0]["forwardedProps"] == {"a": 1}
    assert "protocolVersion" not in server.requests[0]


async def test_a_request_that_the_official_model_refuses_is_never_sent():
    server = AGUIServer(answer("ok"))
    chat = server.chat(context=[{"description": "user"}])

    with pytest.raises(AIStreamError, match=r"context\.0\.value"):
        await chat.send("Hi")

    assert server.requests == []


# ---------------------------------------------------------------- older dialects


TANSTACK = [
    {"type": "RUN_STARTED", "runId": "r", "model": "m", "timestamp": 1},
    {"type": "TOOL_CALL_START", "toolCallId": "p1", "toolName": "pay", "index": 0},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "p1", "delta": '{"amount":5}'},
    {
        "type": "TOOL_CALL_END",
        "toolCallId": "p1",
        "toolName": "pay",
        "input": {"amount": 5},
    },
    {"type": "RUN_FINISHED", "runId": "r", "finishReason": "tool_calls"},
    {
        "type": "CUSTOM",
        "name": "approval-requested",
        "data": {
            "toolCallId": "p1",
            "toolName": "pay",
            "input": {"amount": 5},
            "approval": {"id": "approval_p1", "needsApproval": True},
        },
    },
]


async def test_an_older_dialect_is_shown_in_ag_ui_and_answered_in_its_own_words():
    asked, gate = gate_saying(Proceed())
    body = b"".join(sse(event) for event in TANSTACK) + b"data: [DONE]\n\n"
    server = AGUIServer(Said(body=body), answer("done"))
    chat = server.chat(gate=gate)

    await chat.send("Pay")

    assert [request.arguments for request in asked] == [{"amount": 5}]
    assert "resume" not in server.requests[1]
    holder = server.requests[1]["messages"][1]
    assert holder["parts"] == [
        {
            "type": "tool-call",
            "id": "p1",
            "name": "pay",
            "arguments": '{"amount":5}',
            "state": "approval-responded",
            "approval": {"id": "approval_p1", "needsApproval": True, "approved": True},
        }
    ]
    assert chat.recording.rounds[0].body == body
    assert remote(chat).faults == ()
    fatal = [v for v in chat.violations if v.level == "fatal"]
    assert fatal == []


async def test_an_older_dialect_can_be_shown_as_it_came():
    asked, gate = gate_saying(Deny())
    server = AGUIServer(Said(body=sse(*TANSTACK)), answer("done"))
    chat = server.chat(gate=gate, normalise=False)

    await chat.send("Pay")

    assert len(asked) == 1
    assert chat.recording.events[1]["toolName"] == "pay"
    assert not server.requests[1]["messages"][1]["parts"][0]["approval"]["approved"]
