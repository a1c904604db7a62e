"""One round, from its first event to its outcome."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Mapping
from typing import Any

import pytest
from turn_kit import (
    Answer,
    FakeTool,
    Server,
    begin,
    block,
    broken,
    call_block,
    kinds,
    message,
    play,
    sse,
    text_block,
)

from aistream_nb.core.tool_spec import Deny, GateRequest, Proceed
from aistream_nb.core.turn_events import Done, TextDelta, TurnFailed, Usage
from aistream_nb.errors import (
    ProviderConnectionError,
    ProviderStatusError,
    ProviderStreamError,
    TurnError,
)
from aistream_nb.providers.retry import RetryPolicy
from aistream_nb.providers.turn_abort import AbortSignal

OSLO = '{"city":"Oslo"}'
TWO_CALLS = message(
    *call_block(0, "t1", OSLO), *call_block(1, "t2", '{"city":"Bergen"}')
)
ONE_CALL = message(*call_block(0, "t1", OSLO), stop="tool_use")


async def test_a_turn_gives_its_events_and_then_its_outcome():
    usage = {"input_tokens": 7, "cache_read_input_tokens": None}
    server = Server(message(*text_block(0, "Good ", "day"), usage=usage))
    events, outcome = await play(server)
    done = Done(
        truncated=False,
        full_text="Good day",
        stop_reason="end_turn",
        usage=Usage(input_tokens=7, output_tokens=5),
    )
    assert events == [TextDelta(delta="Good "), TextDelta(delta="day"), done]
    assert outcome.full_text == "Good day"
    assert outcome.continuation is None
    assert outcome.usage == done.usage


async def test_nothing_is_sent_before_the_events_are_asked_for():
    server = Server(message())
    turn = begin(server)
    assert server.requests == []
    await turn.connect()
    await turn.connect()
    assert len(server.requests) == 1
    assert [event async for event in turn.events]
    assert len(server.requests) == 1


async def test_the_outcome_alone_reads_the_events_and_runs_the_tools():
    tool = FakeTool()
    turn = begin(Server(ONE_CALL), tool)
    outcome = await turn.next_turn
    assert tool.ran == [{"city": "Oslo"}]
    assert outcome.continuation is not None
    assert await turn.next_turn is outcome


async def test_events_can_be_gone_through_once():
    turn = begin(Server(message(*text_block(0, "Hi"))))
    events = turn.events
    assert turn.events is events
    assert len([event async for event in events]) == 2
    del events
    assert [event async for event in turn.events] == []


async def test_a_continuation_is_cumulative():
    first, second = Server(ONE_CALL), Server(message(*call_block(0, "t9", OSLO)))
    _, outcome = await play(first, FakeTool())
    tail = outcome.continuation.messages
    _, outcome = await play(second, FakeTool(), continuation_messages=tail)
    assert outcome.continuation.messages[: len(tail)] == tail
    assert len(outcome.continuation.messages) == 4
    assert [call.call_id for call in outcome.continuation.summary] == ["t9"]
    assert second.bodies[0]["messages"][1:] == list(tail)


async def test_a_paused_turn_goes_on_with_the_same_words_and_no_results():
    server = Server(message(*text_block(0, "Searching"), stop="pause_turn"))
    _, outcome = await play(server)
    assert outcome.incomplete_reason == "pause_turn"
    assert outcome.continuation.summary == ()
    (entry,) = outcome.continuation.messages
    assert entry["role"] == "assistant"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"messages": []}, "messages must contain at least one entry"),
        (
            {"messages": [{"role": "assistant", "content": "x"}]},
            r"the current user turn \(role 'user'\); got 'assistant'",
        ),
        ({"model": "@anthropic:none"}, "unknown model alias"),
        ({"endpoint": "ftp://x"}, r"endpoint must use http or https \(got ftp:\)"),
        ({"thinking": "hard"}, "unknown thinking effort 'hard'"),
    ],
)
async def test_a_turn_that_cannot_start_says_so_at_once(options, text):
    server = Server()
    with pytest.raises(TurnError, match=text):
        begin(server, **options)
    assert server.requests == []


async def test_two_tools_of_one_name_are_refused():
    with pytest.raises(TurnError, match="duplicate client tool name 'get_weather'"):
        begin(Server(), FakeTool(), FakeTool())


async def test_an_unknown_option_is_refused():
    with pytest.raises(TypeError, match="heat"):
        begin(Server(), heat=1)


async def test_images_are_refused_where_nobody_looks_at_them():
    image = {"mimeType": "image/png", "base64": "AAAA"}
    said = [{"role": "user", "content": "?", "attachments": [image]}]
    with pytest.raises(TurnError, match='"groq" does not accept image input'):
        begin(Server(), provider="groq", messages=said)


async def test_a_status_is_one_error_event_and_the_same_failure():
    answer = Answer(
        b'{"error":"busy"}',
        status=529,
        headers={"request-id": "req_1", "retry-after": "3"},
    )
    events, failure = await play(Server(answer))
    assert events == [TurnFailed(message=str(failure))]
    assert isinstance(failure, ProviderStatusError)
    assert str(failure) == 'AI streaming API returned 529: {"error":"busy"}'
    assert (failure.status_code, failure.request_id) == (529, "req_1")
    assert (failure.retry_after, failure.provider) == (3, "anthropic")


async def test_a_connection_that_fails_is_one_error_event():
    events, failure = await play(Server(Answer(refuses=broken("no route"))))
    assert kinds(events) == ["error"]
    assert isinstance(failure, ProviderConnectionError)
    assert str(failure) == "AI streaming request failed: no route"


async def test_a_stream_without_a_first_byte_is_no_connection():
    _, failure = await play(Server(Answer([], breaks=broken())))
    assert isinstance(failure, ProviderConnectionError)


async def test_a_failed_connect_fails_the_turn():
    turn = begin(Server(Answer(status=500)))
    with pytest.raises(ProviderStatusError):
        await turn.connect()
    with pytest.raises(ProviderStatusError):
        await turn.next_turn
    assert [event async for event in turn.events] == []


async def test_a_stream_that_breaks_keeps_what_came():
    half = message(*text_block(0, "Good"))[:-60]
    events, failure = await play(Server(Answer(half, breaks=broken())))
    assert kinds(events) == ["text-delta", "error"]
    assert isinstance(failure, ProviderStreamError)
    assert failure.after == 1
    assert str(failure) == "the stream broke off: connection lost"


async def test_a_stream_without_its_end_is_an_error():
    events, failure = await play(Server(sse(*text_block(0, "Good"))))
    assert str(failure) == "Anthropic stream ended without a message_stop event"
    assert kinds(events) == ["text-delta", "error"]


async def test_what_the_provider_says_of_its_failure_ends_the_turn():
    error = {"type": "error", "error": {"message": "Overloaded"}}
    server = Server(sse(*text_block(0, "Good"), error, *text_block(1, "late")))
    events, failure = await play(server)
    assert events[-1] == TurnFailed(message="Overloaded")
    assert kinds(events) == ["text-delta", "error"]
    assert failure.after == 1


async def test_results_that_match_no_call_fail_after_done():
    reused = message(*call_block(0, "t1", OSLO), *call_block(0, "t2", OSLO))
    events, failure = await play(Server(reused), FakeTool())
    assert kinds(events)[-2:] == ["done", "error"]
    assert isinstance(failure, TurnError)
    assert failure.tool_call_id == "t1"


async def test_a_retry_is_invisible_but_to_who_watches():
    waits: list[float] = []
    told: list[Any] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    server = Server(
        Answer(status=529),
        Answer(status=503, headers={"retry-after-ms": "1500"}),
        message(*text_block(0, "Hi")),
    )
    policy = RetryPolicy(chance=lambda: 0.0, sleep=sleep)
    events, outcome = await play(
        server, retry=policy, on_retry=lambda *retry: told.append(retry)
    )
    assert kinds(events) == ["text-delta", "done"]
    assert outcome.full_text == "Hi"
    assert waits == [0.25, 1.5]
    assert [attempt for _, attempt, _ in told] == [1, 2]


async def test_an_overload_that_is_said_first_is_tried_again():
    async def sleep(seconds: float) -> None:
        del seconds

    error = {
        "type": "error",
        "error": {"type": "overloaded_error", "message": "Overloaded"},
    }
    server = Server(sse(error), message(*text_block(0, "Hi")))
    _, outcome = await play(server, retry=RetryPolicy(sleep=sleep))
    assert outcome.full_text == "Hi"


async def test_nothing_is_tried_again_after_the_first_event():
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}
    server = Server(sse(*text_block(0, "Good"), error), message())
    _, failure = await play(server, retry=RetryPolicy())
    assert str(failure) == "Busy"
    assert len(server.requests) == 1


async def test_the_last_attempt_fails_with_its_own_error():
    async def sleep(seconds: float) -> None:
        del seconds

    server = Server(Answer(status=500), Answer(b"no", status=503))
    _, failure = await play(server, retry=RetryPolicy(attempts=2, sleep=sleep))
    assert failure.status_code == 503


async def test_the_wire_can_be_watched():
    seen: list[Any] = []
    server = Server(Answer([b": hello\n\n", message()]))
    await play(
        server,
        on_request=lambda body, url: seen.append((body["model"], url)),
        on_bytes=seen.append,
    )
    url = "https://api.anthropic.com/v1/messages"
    assert seen == [("some-model", url), b": hello\n\n", message()]


async def test_an_abort_before_the_start_sends_nothing():
    abort, server = AbortSignal(), Server()
    abort.abort("stop")
    abort.abort("again")
    events, failure = await play(server, abort=abort)
    assert events == [TurnFailed(message="AI streaming request failed: stop")]
    assert isinstance(failure, TurnError)
    assert server.requests == []


async def test_an_abort_ends_a_stream_that_waits():
    abort = AbortSignal()

    async def hang() -> None:
        abort.abort()
        await asyncio.Event().wait()

    half = sse(*text_block(0, "Good"))
    events, failure = await play(Server(Answer(half, before_end=hang)), abort=abort)
    assert kinds(events) == ["text-delta", "error"]
    assert str(failure) == "the turn was aborted"


async def test_after_an_abort_no_buffered_call_is_announced_or_run():
    abort, tool = AbortSignal(), FakeTool()
    turn = begin(Server(TWO_CALLS), tool, abort=abort)
    seen: list[str] = []
    async for event in turn.events:
        seen.append(event.type)
        if event.type == "client-tool-call-done":
            abort.abort()
    assert seen[-2:] == ["client-tool-call-done", "error"]
    assert tool.ran == []


async def test_an_abort_while_a_tool_runs_lets_it_finish_by_default():
    abort = AbortSignal()
    tool = FakeTool(action=lambda _: abort.abort())
    events, failure = await play(Server(ONE_CALL), tool, abort=abort)
    assert kinds(events)[-2:] == ["client-tool-result", "error"]
    assert events[-2].result == "null"
    assert isinstance(failure, TurnError)


async def test_an_abort_can_reach_a_running_tool():
    abort = AbortSignal()

    async def forever() -> None:
        abort.abort("stop")
        await asyncio.Event().wait()

    tool = FakeTool(action=lambda _: forever())
    events, _ = await play(Server(ONE_CALL), tool, abort=abort, interrupt_tools=True)
    assert events[-2].is_error
    assert events[-2].result == "get_weather (callId=t1): stopped while it ran: stop"


async def test_an_abort_gives_up_a_gate_that_waits():
    abort, tool = AbortSignal(), FakeTool()

    async def gate(_request: GateRequest) -> Proceed:
        abort.abort("stop")
        await asyncio.Event().wait()
        return Proceed()

    events, failure = await play(
        Server(ONE_CALL), tool, abort=abort, on_before_tool_execute=gate
    )
    assert tool.ran == []
    assert kinds(events)[-2:] == ["client-tool-result", "error"]
    assert str(failure) == "get_weather (callId=t1): stop"


async def test_leaving_the_loop_ends_the_turn():
    tool = FakeTool()
    turn = begin(Server(TWO_CALLS), tool)
    async for event in turn.events:
        if event.type == "client-tool-result":
            break
    gc.collect()
    with pytest.raises(TurnError, match="the turn was left before its end"):
        await turn.next_turn
    assert len(tool.ran) == 1


async def test_leaving_at_the_last_event_is_no_failure():
    turn = begin(Server(message(*text_block(0, "Hi"))))
    async for event in turn.events:
        if isinstance(event, Done):
            break
    assert (await turn.next_turn).full_text == "Hi"


async def test_a_turn_can_be_closed():
    turn = begin(Server(TWO_CALLS), FakeTool())
    async with turn:
        events = turn.events
        assert (await anext(events)).type == "client-tool-call-start"
    with pytest.raises(TurnError, match="left before its end"):
        await turn.next_turn


async def test_a_turn_that_was_never_begun_can_be_closed():
    turn = begin(Server())
    await turn.aclose()
    with pytest.raises(TurnError, match="left before its end"):
        await turn.next_turn


async def test_cancelling_the_reader_fails_the_turn_and_leaves_no_task():
    started = asyncio.Event()

    async def forever() -> None:
        started.set()
        await asyncio.Event().wait()

    turn = begin(Server(ONE_CALL), FakeTool(action=lambda _: forever()))

    async def read() -> None:
        async for _ in turn.events:
            pass

    async with asyncio.TaskGroup() as group:
        reading = group.create_task(read())
        await started.wait()
        reading.cancel()
    with pytest.raises(TurnError, match="left before its end"):
        await turn.next_turn
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_calls_can_run_side_by_side_with_results_in_their_order():
    met = asyncio.Barrier(2)
    order: list[Any] = []

    async def run(arguments: Mapping[str, Any]) -> str:
        await met.wait()
        return f"snow in {arguments['city']}"

    async def gate(request: GateRequest) -> Proceed | Deny:
        order.append(request.tool_call_id)
        return Deny(reason="no") if request.tool_call_id == "t3" else Proceed()

    server = Server(
        message(
            *call_block(0, "t1", OSLO),
            *call_block(1, "t3", OSLO),
            *call_block(2, "t2", '{"city":"Bergen"}'),
        )
    )
    events, outcome = await play(
        server, FakeTool(action=run), concurrent=True, on_before_tool_execute=gate
    )
    results = [event for event in events if event.type == "client-tool-result"]
    assert [event.call_id for event in results] == ["t1", "t3", "t2"]
    assert [event.result for event in results][::2] == [
        '"snow in Oslo"',
        '"snow in Bergen"',
    ]
    assert order == ["t1", "t3", "t2"]
    assert len(outcome.continuation.summary) == 3


async def test_side_by_side_nothing_runs_when_a_gate_fails():
    tool = FakeTool()

    async def gate(request: GateRequest) -> Proceed:
        if request.tool_call_id == "t2":
            raise RuntimeError("gate crashed")
        return Proceed()

    events, failure = await play(
        Server(TWO_CALLS), tool, concurrent=True, on_before_tool_execute=gate
    )
    assert tool.ran == []
    assert str(failure) == "get_weather (callId=t2): gate crashed"
    assert kinds(events)[-2:] == ["client-tool-result", "error"]


async def test_side_by_side_nothing_runs_when_the_stream_broke():
    tool = FakeTool()
    cut = sse(*call_block(0, "t1", OSLO))
    events, failure = await play(Server(cut), tool, concurrent=True)
    assert tool.ran == []
    assert "without a message_stop" in str(failure)
    assert kinds(events)[-1] == "error"


async def test_a_call_that_was_cut_off_is_answered_for_the_model():
    unfinished = block(1, {"type": "tool_use", "id": "t2", "name": "get_weather"})[:-1]
    server = Server(message(*call_block(0, "t1", OSLO), *unfinished, stop="max_tokens"))
    events, outcome = await play(server, FakeTool())
    assert kinds(events).count("client-tool-call-done") == 1
    assert outcome.truncated
    assistant, user = outcome.continuation.messages
    assert assistant["content"][1]["input"] == {}
    assert user["content"][1]["is_error"]
    assert "cut off" in user["content"][1]["content"]
    assert len(outcome.continuation.summary) == 1


async def test_a_cut_off_call_alone_ends_the_conversation_truncated():
    unfinished = block(0, {"type": "tool_use", "id": "t2", "name": "get_weather"})[:-1]
    _, outcome = await play(Server(message(*unfinished, stop="max_tokens")), FakeTool())
    assert outcome.truncated
    assert outcome.continuation is None


async def test_a_turn_without_a_client_makes_and_closes_its_own(unused_tcp_port):
    endpoint = f"http://127.0.0.1:{unused_tcp_port}/v1"
    turn = begin(Server(), client=None, endpoint=endpoint)
    with pytest.raises(ProviderConnectionError):
        await turn.next_turn


async def test_a_client_of_httpx_is_taken_as_it_is():
    server = Server(message())
    async with server.client as ours:
        await ours.open(_request())
        assert ours._client is not None
    server.answers.append(message(*text_block(0, "Hi")))
    async with server.client._make_client() as client:
        _, outcome = await play(server, client=client)
        assert outcome.full_text == "Hi"
        assert not client.is_closed


def _request() -> Any:
    from aistream_nb.http import HttpRequest  # noqa: PLC0415 - only here

    return HttpRequest(url="http://x/")
