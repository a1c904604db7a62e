"""The history of a thread with a server: what stays of runs that broke."""

from __future__ import annotations

import pytest
from agui_kit import (
    AGUIServer,
    Charts,
    Said,
    answer,
    call,
    finished,
    interrupted,
    remote,
    started,
    text,
    tool_messages,
)

from aistream_nb.errors import (
    ProviderError,
    ProviderStreamError,
)


async def test_a_call_that_broke_off_in_its_arguments_is_forgotten():
    server = AGUIServer(
        Said(
            events=[
                started(),
                *text("Look:"),
                *call("c1", "show_chart", '{"ki', parentMessageId="m1")[:2],
            ]
        ),
        answer("better", "m2"),
    )
    chat = server.chat(tools=[Charts().tool()])

    with pytest.raises(ProviderStreamError):
        await chat.send("Show")
    await chat.send("again")

    assert [m["role"] for m in server.requests[1]["messages"]] == [
        "user",
        "assistant",
        "user",
    ]
    assert "toolCalls" not in server.requests[1]["messages"][1]


async def test_an_end_that_cannot_be_read_is_an_end():
    server = AGUIServer(
        [started(), *text("Hello"), {"type": "RUN_FINISHED", "threadId": 7}]
    )
    chat = server.chat()

    assert (await chat.send("Hi")).text == "Hello"
    assert [v.rule for v in chat.violations] == ["schema.malformed"]


async def test_an_error_that_says_nothing_is_an_error():
    server = AGUIServer([started(), {"type": "RUN_ERROR", "message": 7}])

    with pytest.raises(ProviderError, match="does not say why"):
        await server.chat().send("Hi")


async def test_of_two_calls_that_broke_off_only_the_half_one_is_forgotten():
    parent = {"parentMessageId": "m1"}
    whole = call("c1", "lookup", "{}", **parent)
    half = call("c2", "lookup", '{"a', **parent)[:2]
    server = AGUIServer(
        Said(events=[started(), *text("Look"), *whole, *half]), answer("better", "m2")
    )
    chat = server.chat()

    with pytest.raises(ProviderStreamError):
        await chat.send("Hi")
    await chat.send("again")

    holder = server.requests[1]["messages"][1]
    assert [one["id"] for one in holder["toolCalls"]] == ["c1"]
    ((call_id, _),) = tool_messages(server.requests[1])
    assert call_id == "c1"


async def test_an_event_that_cannot_be_read_changes_no_history():
    bad = {"type": "TEXT_MESSAGE_START"}
    server = AGUIServer([started(), bad, *text("ok"), finished()])
    chat = server.chat()

    assert (await chat.send("Hi")).text == "ok"
    assert [v.rule for v in chat.violations] == ["schema.malformed"]


async def test_the_next_request_carries_the_thread():
    server = AGUIServer(answer("One", "m1"), answer("Two", "m2"))
    chat = server.chat(system="Be brief.")

    await chat.send("first")
    await chat.send("second")

    assert [(m["role"], m["content"]) for m in server.requests[1]["messages"]] == [
        ("system", "Be brief."),
        ("user", "first"),
        ("assistant", "One"),
        ("user", "second"),
    ]
    assert server.requests[1]["runId"] == "run_2"


async def test_a_question_can_be_asked_again_and_the_server_gets_the_shorter_thread():
    server = AGUIServer(answer("One", "m1"), answer("Two", "m2"), answer("Three", "m3"))
    chat = server.chat()
    await chat.send("first")
    await chat.send("second")

    await chat.retry()

    assert [m["content"] for m in server.requests[2]["messages"]] == [
        "first",
        "One",
        "second",
    ]
    texts = [m.text for m in chat.conversation.messages]
    assert texts == ["first", "One", "second", "Three"]
    assert not remote(chat).rewind("nobody asked this")


async def test_a_server_that_forgot_its_question_is_not_answered_for_ever():
    asks = {"id": "i1", "reason": "acme:ask"}
    unknown = {"type": "RUN_ERROR", "message": "unknown interrupt"}
    server = AGUIServer(
        [started(), interrupted(asks)],
        [started(), unknown],
        [started(), unknown],
        answer("fine"),
        answer("good", "m2"),
    )
    chat = server.chat()
    resumed = [{"interruptId": "i1", "status": "cancelled"}]

    for question in ("one", "two"):
        with pytest.raises(ProviderError, match="unknown interrupt"):
            await chat.send(question)
    await chat.send("three")
    await chat.send("four")

    said = [request.get("resume") for request in server.requests]
    assert said == [None, resumed, None, resumed, None]
