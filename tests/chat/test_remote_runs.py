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
        Said(events=[started(), *text("Wait")[:2]]), answer("better", "m2")
    )
    chat = server.chat()

    with pytest.raises(ProviderStreamError, match="middle of the run") as caught:
        await chat.send("Hi")

    assert caught.value.after == 3
    assert chat.conversation.messages[1].text == "Wait"
    assert kinds(chat)[-1] == "RUN_ERROR"
    assert chat.violations == ()
    await chat.send("again")
    said = [(m["role"], m["content"]) for m in server.requests[1]["messages"]]
    assert said == [("user", "Hi"), ("assistant", "Wait"), ("user", "again")]


async def test_a_connection_that_breaks_is_not_opened_again():
    server = AGUIServer(
        Said(events=[started(), *text("Wait")[:2]], breaks=httpx.ReadError("gone"))
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
    assert content == "not run: the run ended before this call was answered"


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
    assert content == "the run ended while it ran; what it did is not known"
    assert chat.conversation.tool_calls["c1"].status != "executing"
    cancelled = next(e for e in chat.recording.events if e["type"] == "RUN_FINISHED")
    assert cancelled["outcome"] == {"type": "cancelled"}
    assert cancelled["metadata"] == {"aistream": {"added": ["outcome"]}}
    assert chat.violations == ()


async def test_an_answer_without_a_body_is_no_answer():
    server = AGUIServer(Said(body=b"", breaks=httpx.ReadError("gone")))

    with pytest.raises(ProviderConnectionError):
        await server.chat().send("Hi")
