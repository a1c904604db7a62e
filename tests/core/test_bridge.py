from __future__ import annotations

from collections import Counter

import pytest

from aistream_nb.core.bridge import TurnBridge
from aistream_nb.core.turn_events import (
    Done,
    ServerToolEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallArgsDelta,
    ToolCallDone,
    ToolCallResult,
    ToolCallStart,
    TurnEvent,
    TurnFailed,
    Usage,
)


def numbered():
    counts: Counter[str] = Counter()

    def new_id(kind: str) -> str:
        counts[kind] += 1
        return f"{kind}-{counts[kind]}"

    return new_id


@pytest.fixture
def bridge() -> TurnBridge:
    made = TurnBridge(thread_id="t", run_id="r", new_id=numbered())
    made.open_run()
    made.open_round(provider="p", model="m")
    return made


def types(bridge: TurnBridge, *events: TurnEvent) -> list[str]:
    return [str(e["type"]) for event in events for e in bridge.receive(event)]


def test_a_run_says_what_it_was_asked():
    bridge = TurnBridge(thread_id="t", run_id="r", new_id=numbered())
    question = {"id": "u1", "role": "user", "content": "Hi"}

    (started,) = bridge.open_run(messages=[question], tools=[{"name": "f"}])

    assert started["protocolVersion"] == "1.0"
    assert started["input"]["messages"] == [question]
    assert started["input"]["tools"] == []
    assert started["metadata"] == {"aistream": {"tools": [{"name": "f"}]}}
    assert started["input"]["state"] == {}


def test_a_thread_that_was_cut_says_which_messages_stay():
    bridge = TurnBridge(thread_id="t", run_id="r", new_id=numbered())
    old = {"id": "u1", "role": "user", "content": "Hi"}
    new = {"id": "u2", "role": "user", "content": "Hello"}

    _, snapshot = bridge.open_run(messages=[new], kept=[old])

    assert snapshot == {"type": "MESSAGES_SNAPSHOT", "messages": [old, new]}


def test_thinking_is_closed_before_text_and_text_before_a_call(bridge: TurnBridge):
    assert types(
        bridge,
        ThinkingDelta(delta="hm"),
        TextDelta(delta="I "),
        TextDelta(delta="look"),
        ToolCallStart(tool_name="f", call_id="c"),
        ToolCallArgsDelta(call_id="c", delta="{}"),
        ToolCallDone(tool_name="f", call_id="c", arguments={}),
    ) == [
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
    ]


def test_text_that_resumes_after_a_call_is_another_message(bridge: TurnBridge):
    bridge.receive(TextDelta(delta="a"))
    bridge.receive(ToolCallStart(tool_name="f", call_id="c"))

    start, content = bridge.receive(TextDelta(delta="b"))

    assert start["messageId"] == content["messageId"] == "msg-2"


def test_text_after_thinking_keeps_the_round_s_message(bridge: TurnBridge):
    bridge.receive(ThinkingDelta(delta="hm"))

    *_, start, _content = bridge.receive(TextDelta(delta="a"))

    assert start["messageId"] == "msg-1"


def test_thinking_after_text_closes_the_text(bridge: TurnBridge):
    bridge.receive(TextDelta(delta="a"))

    assert types(bridge, ThinkingDelta(delta="x"), ThinkingDelta(delta="y")) == [
        "TEXT_MESSAGE_END",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_CONTENT",
    ]


def test_a_call_that_arrives_whole_is_started_filled_and_ended(bridge: TurnBridge):
    start, args, end = bridge.receive(
        ToolCallDone(tool_name="f", call_id="c", arguments={"x": 1})
    )

    assert start["parentMessageId"] == "msg-1"
    assert args["delta"] == '{"x":1}'
    assert end["toolCallId"] == "c"


def test_a_call_without_an_id_and_its_result_share_a_made_one(bridge: TurnBridge):
    assert bridge.unnamed_call_id == ""
    *_, end = bridge.receive(ToolCallDone(tool_name="f", call_id=None, arguments={}))
    assert bridge.unnamed_call_id == "call-1"

    (result,) = bridge.receive(
        ToolCallResult(tool_name="f", call_id=None, result="1", is_error=False)
    )

    assert result["toolCallId"] == end["toolCallId"] == "call-1"
    assert "metadata" not in result


def test_a_result_nobody_waits_for_gets_an_id_too(bridge: TurnBridge):
    (result,) = bridge.receive(
        ToolCallResult(tool_name="f", call_id=None, result="1", is_error=True)
    )

    assert result["toolCallId"] == "call-1"
    assert result["metadata"] == {"aistream": {"isError": True}}


def test_a_round_tells_its_usage_and_the_run_gathers_it(bridge: TurnBridge):
    done = Done(
        truncated=True,
        full_text="",
        stop_reason="max_tokens",
        incomplete_reason="max_tokens",
        usage=Usage(output_tokens=7),
    )

    (said,) = bridge.receive(done)
    (finished,) = bridge.finish_run()

    counted = {"provider": "p", "model": "m", "outputTokens": 7}
    assert said["value"]["usage"] == counted
    assert said["value"]["stopReason"] == "max_tokens"
    assert said["value"]["incompleteReason"] == "max_tokens"
    assert finished["usage"] == [counted]


def test_a_server_tool_is_told_as_a_custom_event(bridge: TurnBridge):
    event = ServerToolEvent(tool_type="web_search", phase="started", detail="x")
    quiet = ServerToolEvent(tool_type="web_search", phase="completed")

    assert bridge.receive(event)[0]["value"]["detail"] == "x"
    assert "detail" not in bridge.receive(quiet)[0]["value"]


def test_a_cancelled_run_leaves_nothing_open(bridge: TurnBridge):
    bridge.receive(TextDelta(delta="a"))
    bridge.receive(ToolCallStart(tool_name="f", call_id="c"))

    end, finished = bridge.cancel_run()

    assert end == {"type": "TOOL_CALL_END", "toolCallId": "c"}
    assert finished["outcome"] == {"type": "cancelled"}


def test_a_failed_run_closes_its_prose_and_leaves_the_call_unfinished(
    bridge: TurnBridge,
):
    bridge.receive(Done(truncated=False, full_text="", usage=Usage(input_tokens=1)))
    bridge.open_round(provider="p", model="m")
    bridge.receive(ToolCallStart(tool_name="f", call_id="c"))
    bridge.receive(TextDelta(delta="a"))

    assert types(bridge, TurnFailed(message="gone")) == ["TEXT_MESSAGE_END"]
    (error,) = bridge.fail_run("gone", code="stream")

    assert error["message"] == "gone"
    assert error["code"] == "stream"
    assert len(error["usage"]) == 1


def test_an_error_without_a_code_or_usage_says_just_the_message(bridge: TurnBridge):
    assert bridge.fail_run("x") == ({"type": "RUN_ERROR", "message": "x"},)
