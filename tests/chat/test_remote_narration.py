"""What a chat is told of a server's runs: its own events, each run ended once."""

from __future__ import annotations

import asyncio

import pytest
from agui_kit import (
    AGUIServer,
    Charts,
    Said,
    answer,
    call,
    fill,
    finished,
    kinds,
    remote,
    started,
    text,
    until,
)

from aistream_nb.errors import (
    ProviderError,
    ProviderStatusError,
)

QUESTION = {"id": "user_1", "role": "user", "content": "Show"}


async def test_a_stream_of_one_error_shows_the_question_too():
    server = AGUIServer([{"type": "RUN_ERROR", "message": "unknown interrupt"}])
    chat = server.chat()

    with pytest.raises(ProviderError, match="unknown interrupt"):
        await chat.send("Hi")

    assert kinds(chat) == ["RUN_STARTED", "RUN_ERROR"]
    assert chat.violations == ()


async def test_a_forgotten_start_is_made_up_for_and_told_as_a_fault():
    server = AGUIServer([*text("Hello"), finished()])
    chat = server.chat()

    reply = await chat.send("Hi")

    assert reply.text == "Hello"
    assert [fault.rule for fault in remote(chat).faults] == ["run.first_event"]
    made = chat.recording.events[0]
    assert made["metadata"] == {"aistream": {"made": "by-the-client"}}


async def test_an_error_behind_the_end_means_that_the_run_failed():
    late = {"type": "RUN_ERROR", "message": "could not save"}
    server = AGUIServer([*answer("Hello"), late])
    chat = server.chat()

    with pytest.raises(ProviderError, match="could not save"):
        await chat.send("Hi")

    assert kinds(chat)[-2:] == ["RUN_FINISHED", "RUN_ERROR"]


async def test_several_runs_in_one_answer_are_told_one_after_another():
    server = AGUIServer([*answer("One", "m1"), *answer("Two", "m2")])
    chat = server.chat()

    reply = await chat.send("Hi")

    assert [m.text for m in reply.messages] == ["One", "Two"]
    assert kinds(chat).count("RUN_FINISHED") == 2


async def test_a_run_that_is_stopped_ends_what_is_open_and_keeps_what_came():
    said = Said(
        events=[
            started(),
            {"type": "STEP_STARTED", "stepName": "plan"},
            *text("Wait")[:2],
            *call("c1", "lookup", '{"a"')[:2],
        ],
        wait_before_end=asyncio.Event(),
    )
    server = AGUIServer(said, answer("better", "m2"))
    chat = server.chat()
    run = chat.start("Hi")
    await until(lambda: len(kinds(chat)) == 6)

    run.stop()
    await run

    assert kinds(chat)[-4:] == [
        "TOOL_CALL_END",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    assert chat.recording.events[-1]["outcome"] == {"type": "cancelled"}
    assert chat.violations == ()
    assert chat.conversation.status == "aborted"
    await chat.send("again")
    said_before = [m.get("content") for m in server.requests[1]["messages"]]
    assert said_before == ["Hi", "Wait", "again"]


async def test_a_run_that_is_stopped_before_the_server_speaks_is_shown_as_stopped():
    quiet = Said(body=b": hello\n\n", wait_before_end=asyncio.Event())
    server = AGUIServer(quiet)
    chat = server.chat()
    run = chat.start("Hi")
    await quiet.reached.wait()

    run.stop()
    await run

    assert kinds(chat) == ["RUN_STARTED", "RUN_FINISHED"]
    assert chat.conversation.messages[0].text == "Hi"


async def test_a_failure_of_the_following_run_is_told_as_its_own():
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")],
        Said(body=b"busy", status=503),
    )
    chat = server.chat(tools=[Charts().tool()])

    with pytest.raises(ProviderStatusError):
        await chat.send("Show")

    assert kinds(chat)[-3:] == ["RUN_FINISHED", "RUN_STARTED", "RUN_ERROR"]
    assert chat.conversation.tool_calls["c1"].status == "complete"
    assert chat.violations == ()


async def test_what_a_subagent_left_open_is_ended_too():
    owner = {"subagentRunId": "s1"}
    said = Said(
        events=[
            started(),
            {"type": "SUBAGENT_STARTED", "name": "helper", **owner},
            {"type": "STEP_STARTED", "stepName": "look", **owner},
            *({**event, **owner} for event in text("Wait")[:2]),
            {"type": "SUBAGENT_STARTED", "name": "other", "subagentRunId": "s2"},
            {"type": "SUBAGENT_ERROR", "message": "oh", "subagentRunId": "s2"},
        ],
        wait_before_end=asyncio.Event(),
    )
    server = AGUIServer(said)
    chat = server.chat()
    run = chat.start("Hi")
    await until(lambda: kinds(chat)[-1:] == ["SUBAGENT_ERROR"])

    run.stop()
    await run

    assert kinds(chat)[-4:] == [
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "SUBAGENT_FINISHED",
        "RUN_FINISHED",
    ]
    assert chat.violations == ()


async def test_the_servers_events_are_told_as_they_came_and_additions_are_marked():
    server = AGUIServer(answer("Hello"))
    chat = server.chat()

    await chat.send("Hi")

    first, *rest = [
        {name: event[name] for name in event if name != "timestamp"}
        for event in chat.recording.events
    ]
    assert rest == fill(answer("Hello")[1:], server.requests[0])
    assert first["metadata"] == {"aistream": {"added": ["input"]}}
    assert first["input"]["messages"][0]["content"] == "Hi"


async def test_a_server_that_says_the_question_itself_is_left_alone():
    said = started(input={"messages": [{**QUESTION, "content": "x"}]})
    server = AGUIServer([said, *text("Hello"), finished()])
    chat = server.chat()

    await chat.send("Hi")

    assert "metadata" not in chat.recording.events[0]


async def test_the_question_is_added_where_the_server_says_another_history():
    other = {"id": "old", "role": "user", "content": "before"}
    said = started(input={"messages": [other]}, metadata={"mine": 1})
    server = AGUIServer([said, *text("Hello"), finished()])
    chat = server.chat()

    await chat.send("Hi")

    assert [m.text for m in chat.conversation.messages] == ["before", "Hi", "Hello"]
    assert chat.recording.events[0]["metadata"] == {
        "mine": 1,
        "aistream": {"added": ["input"]},
    }
