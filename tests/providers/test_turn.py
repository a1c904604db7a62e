"""One round, from its first event to its outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from turn_kit import (
    Answer,
    FakeTool,
    Server,
    begin,
    block,
    call_block,
    kinds,
    message,
    play,
    sse,
    text_block,
)

from aistream_nb.core.tool_spec import Deny, GateRequest, Proceed
from aistream_nb.core.turn_events import Done, TextDelta, Usage
from aistream_nb.errors import (
    ProviderConnectionError,
    TurnError,
)
from aistream_nb.gate import ApprovalGate, Rule

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
    with pytest.raises(TurnError, match="two tools are called 'get_weather'"):
        begin(Server(), FakeTool(), FakeTool())


async def test_a_gate_with_a_misspelt_rule_is_refused_before_anything_is_sent():
    server = Server()
    for rule in (Rule.deny("get_wether"), Rule.deny("get_weather", raeson="rain")):
        gate = ApprovalGate(rules=[rule])
        with pytest.raises(ValueError, match="get_weather"):
            begin(server, FakeTool(), on_before_tool_execute=gate)
    assert server.requests == []


async def test_an_unknown_option_is_refused():
    with pytest.raises(TypeError, match="heat"):
        begin(Server(), heat=1)


async def test_images_are_refused_where_nobody_looks_at_them():
    image = {"mimeType": "image/png", "base64": "AAAA"}
    said = [{"role": "user", "content": "?", "attachments": [image]}]
    with pytest.raises(TurnError, match='"groq" does not accept image input'):
        begin(Server(), provider="groq", messages=said)


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
    async with server.client._make_client(_request()) as client:
        _, outcome = await play(server, client=client)
        assert outcome.full_text == "Hi"
        assert not client.is_closed


def _request() -> Any:
    from aistream_nb.http import HttpRequest  # noqa: PLC0415 - only here

    return HttpRequest(url="http://x/")
