"""One call answered: every step of the specification's section 4, and ours beyond."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from turn_kit import FakeTool, Server, begin, call_block, kinds, message, play

from aistream_nb.core.long_results import RESULT_LIMIT
from aistream_nb.core.tool_spec import Deny, GateRequest, Proceed, ToolAnnotations
from aistream_nb.core.values import ABSENT
from aistream_nb.errors import TurnError

OSLO = {"city": "Oslo"}


def server(arguments: str = '{"city":"Oslo"}', name: str = "get_weather") -> Server:
    return Server(message(*call_block(0, "t1", arguments, name)))


async def result_of(tool: FakeTool, played: Server | None = None, **options: Any):
    events, outcome = await play(played or server(), tool, **options)
    results = [event for event in events if event.type == "client-tool-result"]
    return results[0], outcome


def answering(decision: Any) -> Any:
    async def gate(_request: GateRequest) -> Any:
        return decision

    return gate


async def test_the_order_is_start_arguments_done_result():
    events, _ = await play(server(), FakeTool())
    assert kinds(events) == [
        "client-tool-call-start",
        "client-tool-args-delta",
        "client-tool-call-done",
        "client-tool-result",
        "done",
    ]


async def test_an_unknown_tool_is_answered_and_the_turn_goes_on():
    result, outcome = await result_of(FakeTool(), server(name="get_wether"))
    assert result.result == "model called unknown tool: get_wether"
    assert result.is_error
    assert outcome.continuation is not None


@pytest.mark.parametrize("arguments", ['{"city":', "[1]", '"Oslo"', "{} {}", "NaN"])
async def test_arguments_that_are_no_object_run_nothing(arguments):
    tool, asked = FakeTool(required=()), []
    gate = answering(asked.append)
    events, outcome = await play(server(arguments), tool, on_before_tool_execute=gate)
    done = next(event for event in events if event.type == "client-tool-call-done")
    assert done.arguments == {}
    assert tool.ran == []
    (call,) = outcome.continuation.summary
    assert call.is_error
    assert call.result.startswith("get_weather (callId=t1): its arguments are not ")


async def test_arguments_that_do_not_fit_ask_nobody():
    asked: list[GateRequest] = []

    async def gate(request: GateRequest) -> Proceed:
        asked.append(request)
        return Proceed()

    result, _ = await result_of(FakeTool(), server("{}"), on_before_tool_execute=gate)
    assert result.result == "get_weather (callId=t1): 'city' is missing"
    assert asked == []


async def test_the_gate_sees_the_tool_and_the_validated_arguments():
    asked: list[GateRequest] = []

    async def gate(request: GateRequest) -> Proceed:
        asked.append(request)
        return Proceed()

    tool = FakeTool(annotations=ToolAnnotations(destructive=True))
    await result_of(tool, on_before_tool_execute=gate)
    (request,) = asked
    assert request.tool == tool.spec
    assert request.arguments == OSLO
    assert request.tool_call_id == "t1"


async def test_a_deny_tells_the_model_why_and_goes_on():
    tool = FakeTool()
    result, outcome = await result_of(
        tool, on_before_tool_execute=answering(Deny(reason="not today"))
    )
    said = "get_weather (callId=t1): tool execution denied: not today"
    assert (result.result, result.is_error) == (said, True)
    assert tool.ran == []
    assert outcome.continuation is not None


@pytest.mark.parametrize(
    "answer", [None, True, "proceed", {"action": "proceed"}, Proceed], ids=repr
)
async def test_an_answer_that_is_no_decision_runs_nothing_and_ends_the_turn(answer):
    tool = FakeTool()
    events, failure = await play(
        server(), tool, on_before_tool_execute=answering(answer)
    )
    assert tool.ran == []
    assert kinds(events)[-2:] == ["client-tool-result", "error"]
    assert isinstance(failure, TurnError)
    assert "neither proceed nor deny" in str(failure)
    assert failure.tool_name == "get_weather"


async def test_a_gate_that_raises_ends_the_turn():
    async def gate(_request: GateRequest) -> Proceed:
        raise RuntimeError("policy service unavailable")

    tool = FakeTool()
    events, failure = await play(server(), tool, on_before_tool_execute=gate)
    said = "get_weather (callId=t1): policy service unavailable"
    assert [event.type for event in events[-2:]] == ["client-tool-result", "error"]
    assert events[-2].result == events[-1].message == str(failure) == said
    assert tool.ran == []


async def test_a_gate_that_cancels_itself_ends_the_turn():
    async def gate(_request: GateRequest) -> Proceed:
        raise asyncio.CancelledError

    _, failure = await play(server(), FakeTool(), on_before_tool_execute=gate)
    assert str(failure) == "get_weather (callId=t1): it was cancelled"


async def test_a_gate_may_answer_at_once():
    tool = FakeTool()
    await result_of(tool, on_before_tool_execute=lambda _: Proceed())
    assert tool.ran == [OSLO]


async def test_edited_arguments_run_and_the_model_is_told():
    tool = FakeTool()
    bergen = {"city": "Bergen"}
    result, outcome = await result_of(
        tool, on_before_tool_execute=answering(Proceed(arguments=bergen))
    )
    assert tool.ran == [bergen]
    told = json.loads(result.result)
    assert told["result"] == "snow"
    assert told["changedArguments"] == bergen
    assert "A person changed the arguments" in told["note"]
    (call,) = outcome.continuation.summary
    assert (call.arguments, call.edited_arguments) == (OSLO, bergen)
    assistant = outcome.continuation.messages[0]
    assert assistant["content"][0]["input"] == OSLO


async def test_arguments_that_were_confirmed_are_no_edit():
    result, outcome = await result_of(
        FakeTool(), on_before_tool_execute=answering(Proceed(arguments=OSLO))
    )
    assert result.result == '"snow"'
    assert outcome.continuation.summary[0].edited_arguments is None


async def test_edited_arguments_are_validated_again():
    tool = FakeTool()
    result, _ = await result_of(
        tool, on_before_tool_execute=answering(Proceed(arguments={}))
    )
    assert tool.ran == []
    assert result.is_error
    assert "the changed arguments do not fit: 'city' is missing" in result.result


async def test_a_tool_that_raises_is_a_result():
    def fail(_arguments: Any) -> None:
        raise KeyError

    result, _ = await result_of(FakeTool(action=fail))
    assert (result.result, result.is_error) == (
        "get_weather (callId=t1): KeyError",
        True,
    )


async def test_a_tool_that_cancels_itself_is_a_result():
    def fail(_arguments: Any) -> None:
        raise asyncio.CancelledError

    result, _ = await result_of(FakeTool(action=fail))
    assert result.result == "get_weather (callId=t1): it was cancelled"


async def test_a_tool_that_takes_too_long_is_a_result():
    async def forever() -> None:
        await asyncio.Event().wait()

    result, _ = await result_of(FakeTool(action=lambda _: forever()), tool_timeout=0.01)
    assert result.result == "get_weather (callId=t1): no result within 0.01 s"


async def test_a_time_out_of_the_tools_own_is_its_own():
    def fail(_arguments: Any) -> None:
        raise TimeoutError("the station did not answer")

    result, _ = await result_of(FakeTool(action=fail), tool_timeout=5)
    assert result.result == "get_weather (callId=t1): the station did not answer"


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("snow", '"snow"'),
        (None, "null"),
        (float("nan"), "null"),
        ({"a": [1.0, ABSENT], "b": ABSENT}, '{"a":[1,null]}'),
        (datetime(2026, 1, 2, tzinfo=UTC), '"2026-01-02T00:00:00.000Z"'),
    ],
)
async def test_a_value_becomes_json_as_javascript_writes_it(value, text):
    result, _ = await result_of(FakeTool(action=lambda _: value))
    assert (result.result, result.is_error) == (text, False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (ABSENT, "tool returned a non-serializable value (JSON.stringify produced"),
        (print, "tool returned a non-serializable value (JSON.stringify produced"),
        (CIRCLE, "failed to serialize tool result: the value contains itself"),
        (object(), "failed to serialize tool result: a value of type 'object'"),
    ],
)
async def test_a_value_without_json_is_an_error(value, text):
    result, _ = await result_of(FakeTool(action=lambda _: value))
    assert result.is_error
    assert result.result.startswith(f"get_weather (callId=t1): {text}")


@pytest.mark.parametrize("longest", [12, 13, None, 2_000_000])
async def test_a_result_up_to_the_limit_is_the_whole_text(longest):
    tool = FakeTool(action=lambda _: ["snow", 1.0])
    result, _ = await result_of(tool, max_result_chars=longest)
    assert result.result == '["snow",1]'


async def test_a_result_above_the_limit_says_that_it_is_cut():
    tool = FakeTool(action=lambda _: {"sky": "č" * 50})
    result, outcome = await result_of(tool, max_result_chars=10)
    said = json.loads(result.result)
    assert said["start"] == '{"sky":"čč'
    assert "more than 10 characters" in said["note"]
    assert "max_result_chars" in said["note"]
    assert not result.is_error
    (tail,) = outcome.continuation.messages[-1]["content"]
    assert tail["content"] == result.result


async def test_by_default_a_result_is_cut_where_no_model_would_read_on():
    tool = FakeTool(action=lambda _: "x" * 3_000_000)
    result, _ = await result_of(tool)
    assert len(json.loads(result.result)["start"]) == RESULT_LIMIT


async def test_the_second_gate_is_not_asked_before_the_first_tool_ended():
    order: list[str] = []

    async def gate(request: GateRequest) -> Proceed:
        order.append(f"ask {request.tool_call_id}")
        return Proceed()

    two = message(
        *call_block(0, "t1", '{"city":"1"}'), *call_block(1, "t2", '{"city":"2"}')
    )
    tool = FakeTool(action=lambda arguments: order.append(f"run {arguments['city']}"))
    turn = begin(Server(two), tool, on_before_tool_execute=gate)
    await turn.next_turn
    assert order == ["ask t1", "run 1", "ask t2", "run 2"]


async def test_arguments_nested_too_deeply_for_a_copy_are_passed_as_they_are():
    deep = '{"city": ' + "[" * 900 + "]" * 900 + "}"
    tool = FakeTool()
    calls = message(*call_block(0, "c1", deep), stop="tool_use")
    await play(Server(calls), tool)
    assert len(tool.ran) == 1
