"""Runs of an AG-UI server that go wrong, or are stopped."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from agui_kit import (
    AGUIServer,
    Charts,
    Said,
    answer,
    call,
    fill,
    finished,
    interrupted,
    kinds,
    remote,
    sse,
    started,
    text,
    tool_messages,
    until,
)

import aistream_nb as ai
from aistream_nb.core.tool_spec import Decision, GateRequest, Proceed
from aistream_nb.errors import (
    OrderingError,
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderStreamError,
)

# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize("status", [401, 500])
async def test_an_error_status_shows_the_question_and_the_body(status: int):
    server = AGUIServer(Said(body=b'{"detail": "no agent here"}', status=status))
    chat = server.chat()

    with pytest.raises(ProviderStatusError) as caught:
        await chat.send("Hi")

    assert caught.value.status_code == status
    assert "no agent here" in caught.value.body
    assert kinds(chat) == ["RUN_STARTED", "RUN_ERROR"]
    assert chat.recording.events[1]["code"] == f"http_{status}"
    assert chat.conversation.messages[0].text == "Hi"
    assert "no agent here" in chat.conversation.error


async def test_a_stream_that_is_cut_is_a_failed_run_and_keeps_what_came():
    server = AGUIServer(
        Said(events=[started(), *text("Hel")[:2]]), answer("better", "m2")
    )
    chat = server.chat()

    with pytest.raises(ProviderStreamError, match="middle of the run") as caught:
        await chat.send("Hi")

    assert caught.value.after == 3
    assert chat.conversation.messages[1].text == "Hel"
    assert kinds(chat)[-1] == "RUN_ERROR"
    assert chat.violations == ()
    await chat.send("again")
    said = [(m["role"], m["content"]) for m in server.requests[1]["messages"]]
    assert said == [("user", "Hi"), ("assistant", "Hel"), ("user", "again")]


async def test_a_connection_that_breaks_is_not_opened_again():
    server = AGUIServer(
        Said(events=[started(), *text("Hel")[:2]], breaks=httpx.ReadError("gone"))
    )
    chat = server.chat(retries=3)

    with pytest.raises(ProviderStreamError, match="broke off") as caught:
        await chat.send("Hi")

    assert caught.value.after == 3
    assert len(server.requests) == 1


async def test_a_server_that_does_not_answer_is_asked_again_as_often_as_allowed():
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    refuses = Said(refuses=httpx.ConnectError("refused"))
    server = AGUIServer(refuses, refuses, answer("at last"))
    chat = server.chat(retries=2, retry_delay=7.0, sleep=sleep)

    reply = await chat.send("Hi")

    assert reply.text == "at last"
    assert slept == [7.0, 7.0]
    assert len({request["runId"] for request in server.requests}) == 1


async def test_a_server_that_is_not_there_fails_at_once_by_default():
    server = AGUIServer(Said(refuses=httpx.ConnectError("refused")))
    chat = server.chat()

    with pytest.raises(ProviderConnectionError):
        await chat.send("Hi")

    assert len(server.requests) == 1
    assert chat.conversation.status == "error"


async def test_a_run_that_the_server_fails_runs_no_tool():
    charts = Charts()
    server = AGUIServer(
        [
            started(),
            *call("c1", "show_chart", '{"kind":"bar"}'),
            {"type": "RUN_ERROR", "message": "the model fell over", "code": "BOOM"},
        ],
        answer("better"),
    )
    chat = server.chat(tools=[charts.tool()])

    with pytest.raises(ProviderError, match="the model fell over"):
        await chat.send("Show")

    assert kinds(chat).count("RUN_ERROR") == 1
    assert chat.conversation.error == "the model fell over"
    await chat.send("again")
    assert charts.shown == []
    ((call_id, content),) = tool_messages(server.requests[1])
    assert call_id == "c1"
    assert "stopped before" in content


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


async def test_frames_that_are_no_events_are_told_and_skipped():
    body = b"data: {oops\r\n\r\n"
    server = AGUIServer(
        lambda request: Said(
            body=body + sse(*fill(answer("Hello"), request)), content_type="text/plain"
        )
    )
    chat = server.chat()

    reply = await chat.send("Hi")

    assert reply.text == "Hello"
    assert [fault.rule for fault in remote(chat).faults] == [
        "transport.content_type",
        "frame.bad_json",
        "transport.crlf",
    ]


async def test_a_body_that_breaks_off_behind_the_end_of_the_run_is_no_failure():
    server = AGUIServer(Said(events=answer("Hello"), breaks=httpx.ReadError("gone")))
    chat = server.chat()

    assert (await chat.send("Hi")).text == "Hello"


async def test_a_server_that_keeps_the_line_open_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("aistream_nb.chat.remote_runs._LINGER", 0.01)
    server = AGUIServer(Said(events=answer("Hello"), wait_before_end=asyncio.Event()))
    chat = server.chat()

    assert (await chat.send("Hi")).text == "Hello"


async def test_an_error_behind_the_end_means_that_the_run_failed():
    late = {"type": "RUN_ERROR", "message": "could not save"}
    server = AGUIServer([*answer("Hello"), late])
    chat = server.chat()

    with pytest.raises(ProviderError, match="could not save"):
        await chat.send("Hi")

    assert kinds(chat)[-2:] == ["RUN_FINISHED", "RUN_ERROR"]


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


async def test_several_runs_in_one_answer_are_told_one_after_another():
    server = AGUIServer([*answer("One", "m1"), *answer("Two", "m2")])
    chat = server.chat()

    reply = await chat.send("Hi")

    assert [m.text for m in reply.messages] == ["One", "Two"]
    assert kinds(chat).count("RUN_FINISHED") == 2


async def test_a_strict_chat_ends_at_the_first_event_out_of_order():
    server = AGUIServer([started(), text("x")[1], finished()])
    chat = ai.Chat(server.agent(), strict=True)

    with pytest.raises(OrderingError):
        await chat.send("Hi")

    assert kinds(chat)[-1] == "RUN_ERROR"


async def test_a_strange_failure_is_told_by_its_kind_alone():
    async def broken(_request: GateRequest) -> Decision:
        return Proceed()

    server = AGUIServer([started(), interrupted({"id": "i1", "reason": "x:y"})])

    def answer_it(_interrupt: object) -> object:
        raise KeyError("secret")

    chat = server.chat(gate=broken, on_interrupt=answer_it)

    with pytest.raises(KeyError):
        await chat.send("Hi")

    assert "KeyError" in chat.conversation.error
    assert "secret" not in chat.conversation.error


# ---------------------------------------------------------------- stopping


async def test_a_run_that_is_stopped_ends_what_is_open_and_keeps_what_came():
    said = Said(
        events=[
            started(),
            {"type": "STEP_STARTED", "stepName": "plan"},
            *text("Hel")[:2],
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
    assert said_before == ["Hi", "Hel", "again"]


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


async def test_a_result_that_comes_after_a_stop_is_never_sent():
    charts = Charts()
    charts.go_on.clear()
    server = AGUIServer(
        [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")],
        answer("better"),
    )
    chat = server.chat(tools=[charts.tool()])
    run = chat.start("Show")
    await charts.reached.wait()

    run.stop()
    await run
    charts.go_on.set()
    await chat.send("again")

    assert len(server.requests) == 2
    ((call_id, content),) = tool_messages(server.requests[1])
    assert call_id == "c1"
    assert content == "The run was stopped before this call was answered."
    assert chat.conversation.tool_calls["c1"].status != "executing"
    cancelled = next(e for e in chat.recording.events if e["type"] == "RUN_FINISHED")
    assert cancelled["outcome"] == {"type": "cancelled"}
    assert cancelled["metadata"] == {"aistream": {"added": ["outcome"]}}
    assert chat.violations == ()


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


async def test_an_answer_without_a_body_is_no_answer():
    server = AGUIServer(Said(body=b"", breaks=httpx.ReadError("gone")))

    with pytest.raises(ProviderConnectionError):
        await server.chat().send("Hi")


async def test_what_a_subagent_left_open_is_ended_too():
    owner = {"subagentRunId": "s1"}
    said = Said(
        events=[
            started(),
            {"type": "SUBAGENT_STARTED", "name": "helper", **owner},
            {"type": "STEP_STARTED", "stepName": "look", **owner},
            *({**event, **owner} for event in text("Hel")[:2]),
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
