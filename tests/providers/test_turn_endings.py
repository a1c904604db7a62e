"""How one round ends: failures, another try, aborts, and readers who leave."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from turn_kit import (
    Answer,
    FakeTool,
    Server,
    begin,
    broken,
    call_block,
    kinds,
    message,
    play,
    sse,
    text_block,
)

from aistream_nb.core.tool_spec import GateRequest, Proceed
from aistream_nb.core.turn_events import Done, TurnFailed
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
    assert str(failure) == (
        "AI streaming request failed: no route "
        "(POST https://api.anthropic.com/v1/messages)"
    )


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
