"""The stream of a Responses API, event by event."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from hypothesis import given, strategies as st
from turn_kit import sse, translate

from aistream_nb.core.turn_events import (
    ServerToolEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallArgsDelta,
    ToolCallResult,
    ToolCallStart,
    Usage,
)
from aistream_nb.errors import TurnError
from aistream_nb.providers.base import ReadyCall, StreamFailure
from aistream_nb.providers.openai import ResponsesTranslator

CALL = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "add"}
DONE = {"type": "response.completed", "response": {"status": "completed"}}


def read(*payloads: Any, named: bool = True) -> tuple[ResponsesTranslator, list[Any]]:
    translator = ResponsesTranslator()
    return translator, translate(translator, sse(*payloads, named=named))


def added(item: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "response.output_item.added", "item": item, **fields}


def finished(item: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "item": item, **fields}


def args(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.function_call_arguments.{kind}", **fields}


def result(ident: str, text: str = "3") -> ToolCallResult:
    return ToolCallResult(tool_name="add", call_id=ident, result=text, is_error=False)


READY = ReadyCall(name="add", call_id="call_1", arguments={"a": 1})
START = ToolCallStart(tool_name="add", call_id="call_1")


def test_text_refusals_and_thinking_are_shown():
    translator, items = read(
        {"type": "response.output_text.delta", "delta": "Hi"},
        {"type": "response.refusal.delta", "delta": " no"},
        {"type": "response.reasoning_summary_text.delta", "delta": "Hm"},
        {"type": "response.reasoning_text.delta", "delta": "."},
        {"type": "response.reasoning_text.delta", "delta": None},
        {"type": "response.output_text.delta", "delta": ""},
        {"type": "response.output_text.done", "text": "Hi"},
        DONE,
    )
    assert items == [
        TextDelta(delta="Hi"),
        TextDelta(delta=" no"),
        ThinkingDelta(delta="Hm"),
        ThinkingDelta(delta="."),
    ]
    assert translator.full_text() == "Hi no"


@pytest.mark.parametrize("named", [True, False])
def test_a_call_is_told_of_step_by_step(named):
    _, items = read(
        added(CALL, output_index=0),
        args("delta", item_id="fc_1", output_index=0, delta='{"a":'),
        args("delta", item_id="fc_1", output_index=0, delta="2}"),
        args("done", item_id="fc_1", output_index=0, arguments='{"a":1}'),
        finished({**CALL, "arguments": '{"a":1}'}, output_index=0),
        DONE,
        named=named,
    )
    assert items == [
        START,
        ToolCallArgsDelta(call_id="call_1", delta='{"a":'),
        ToolCallArgsDelta(call_id="call_1", delta="2}"),
        READY,
    ]


WHOLE = {**CALL, "arguments": '{"a":1}', "status": "completed"}


@pytest.mark.parametrize(
    "payloads",
    [
        [added(CALL, output_index=0), finished(WHOLE, output_index=0), DONE],
        [finished(WHOLE, output_index=0), DONE],
        [finished(WHOLE), DONE],
        [added(WHOLE, output_index=0), DONE],
        [{"type": "response.completed", "response": {"output": [7, WHOLE]}}],
        [
            added({**CALL, "id": None}, output_index=0),
            args("delta", output_index=0, delta='{"a":'),
            args("delta", output_index=0, delta="1}"),
            args("done", output_index=0),
            DONE,
        ],
        [
            added(CALL, output_index=0),
            {"type": "response.completed", "response": {"output": [WHOLE]}},
        ],
    ],
    ids=["done", "done only", "no index", "whole when added", "last", "no id", "late"],
)
def test_a_call_runs_once_however_it_is_completed(payloads):
    _, items = read(*payloads)
    assert [item for item in items if not isinstance(item, ToolCallArgsDelta)] == [
        START,
        READY,
    ]


def test_calls_that_interleave_are_told_apart_by_their_items():
    other = {**CALL, "id": "fc_2", "call_id": "call_2"}
    translator, items = read(
        added(CALL, output_index=0),
        added(other, output_index=1),
        args("delta", item_id="fc_2", output_index=1, delta='{"b":2}'),
        args("done", item_id="fc_2", output_index=1, arguments='{"b":2}'),
        args("done", item_id="fc_1", output_index=0, arguments=""),
        DONE,
    )
    ready = [item.arguments for item in items if isinstance(item, ReadyCall)]
    assert ready == [{"b": 2}, {}]
    words = translator.continuation([result("call_2"), result("call_1")])
    assert [item["type"] for item in words] == ["function_call"] * 2 + [
        "function_call_output"
    ] * 2
    assert [item.get("arguments") for item in words[:2]] == ["{}", '{"b":2}']
    assert [item["call_id"] for item in words[2:]] == ["call_2", "call_1"]


def test_items_go_back_as_they_were_done_and_in_their_order():
    reasoning = {"id": "rs", "type": "reasoning", "encrypted_content": "full"}
    said = {"id": "m", "type": "message", "role": "assistant", "phase": "commentary"}
    search = {"id": "ws", "type": "web_search_call", "status": "completed"}
    translator, _ = read(
        added({**reasoning, "encrypted_content": "part"}, output_index=0),
        finished(said, output_index=1),
        finished(reasoning, output_index=0),
        finished(search),
        finished({**CALL, "arguments": '{"a": 1.0}'}, output_index=3),
        finished({}, output_index=9),
        DONE,
    )
    words = translator.continuation([result("call_1")])
    assert words[:3] == [reasoning, said, search]
    assert words[3] == {
        "type": "function_call",
        "call_id": "call_1",
        "name": "add",
        "arguments": '{"a": 1.0}',
    }


@pytest.mark.parametrize("text", ['{"a":', "[1]", " "])
def test_odd_arguments_go_back_as_an_empty_object(text):
    translator, items = read(finished({**CALL, "arguments": text}), DONE)
    assert items[-1].arguments == {}
    assert translator.continuation([result("call_1")])[0]["arguments"] == "{}"


def test_a_call_that_was_cut_off_is_answered():
    details = {"incomplete_details": {"reason": "max_output_tokens"}}
    second = {**CALL, "id": "fc_2", "call_id": "call_2"}
    translator, items = read(
        finished(WHOLE, output_index=0),
        added(second, output_index=1),
        finished({**second, "arguments": '{"a', "status": "incomplete"}),
        {"type": "response.incomplete", "response": details},
    )
    assert len([item for item in items if isinstance(item, ReadyCall)]) == 1
    ending = translator.close()
    assert (ending.truncated, ending.incomplete_reason) == (True, "max_output_tokens")
    *_, answer = translator.continuation([result("call_1")])
    assert answer["call_id"] == "call_2"
    assert "cut off" in answer["output"]


def test_one_call_id_twice_is_refused():
    _, items = read(
        added(CALL, output_index=0),
        added({**CALL, "id": "fc_2"}, output_index=1),
        {"type": "response.output_text.delta", "delta": "late", "item_id": "x"},
        args("delta", item_id="fc_1", delta="late"),
        DONE,
    )
    said = "duplicate call id 'call_1' in one response"
    assert items == [START, StreamFailure(message=said)]


def test_an_item_without_a_call_id_is_warned_of(caplog):
    with caplog.at_level(logging.WARNING):
        _, items = read(added({"type": "function_call", "name": "add"}), DONE)
    assert items == []
    assert caplog.messages[0].startswith("ai-assist:malformed-tool-use")


def test_a_search_of_the_provider_is_told_of():
    _, items = read(
        {"type": "response.web_search_call.in_progress"},
        {"type": "response.web_search_call.searching"},
        {"type": "response.web_search_call.completed"},
    )
    assert items == [
        ServerToolEvent(tool_type="web_search", phase="started"),
        ServerToolEvent(tool_type="web_search", phase="completed"),
    ]


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (
            {"type": "error", "code": "server_error", "message": "flat"},
            StreamFailure(message="flat", retryable=True),
        ),
        (
            {"type": "error", "error": {"code": "x", "message": "nested"}},
            StreamFailure(message="nested"),
        ),
        (
            {"type": "response.failed", "response": {"error": {"message": "within"}}},
            StreamFailure(message="within"),
        ),
        (
            {"type": "response.failed"},
            StreamFailure(message="Responses API stream failed"),
        ),
    ],
)
def test_a_failure_is_told_of_once(payload, expected):
    assert read(payload, {"type": "response.failed"}, DONE)[1] == [expected]


def test_usage_is_read_and_nulls_are_absent():
    usage = {
        "input_tokens": 3,
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 2},
        "input_tokens_details": None,
    }
    response = {"status": "completed", "usage": usage, "incomplete_details": None}
    translator, _ = read({"type": "response.completed", "response": response})
    ending = translator.close()
    assert ending.usage == Usage(input_tokens=3, output_tokens=4, reasoning_tokens=2)
    assert (ending.truncated, ending.stop_reason) == (False, "completed")


def test_a_completed_event_may_say_incomplete():
    response = {"status": "incomplete", "incomplete_details": None}
    translator, _ = read({"type": "response.completed", "response": response})
    ending = translator.close()
    assert (ending.truncated, ending.incomplete_reason) == (True, None)


def test_a_stream_without_its_end_is_broken():
    said = "Responses API stream ended without a completed event"
    assert read()[0].close().error == said


def test_new_events_are_warned_of_once(caplog):
    with caplog.at_level(logging.WARNING):
        translate(ResponsesTranslator(), b"data: 1\n\n: x\n\n")
        read(
            {"type": "response.steer"},
            {"type": "response.steer"},
            {"type": "keepalive"},
        )
    assert len(caplog.messages) == 1


def test_results_must_belong_to_a_call():
    translator, _ = read(finished(WHOLE), DONE)
    with pytest.raises(TurnError, match="does not match any accumulated function_call"):
        translator.continuation([result("call_9")])


# The quick way must give what the long way gives.

DELTAS = st.lists(st.text(max_size=8) | st.just('"delta":"x"'), max_size=6)


def frames(deltas: list[str], *, ascii_only: bool, first: str) -> bytes:
    out = sse(added(CALL, output_index=1))
    for number, delta in enumerate(deltas):
        ident = {"item_id": "fc_1", "output_index": 1}
        for kind, fields in (
            ("response.output_text.delta", {"item_id": "m", "output_index": 0}),
            ("response.function_call_arguments.delta", ident),
        ):
            payload = {
                **({} if first == "type" else {"first": [{"delta": "y"}]}),
                "type": kind,
                "sequence_number": number,
                **fields,
                "delta": delta,
                "obfuscation": "}{",
            }
            text = json.dumps(payload, separators=(",", ":"), ensure_ascii=ascii_only)
            out += f"event: {kind}\ndata: {text}\n\n".encode("utf-8", "surrogatepass")
    return out


@given(DELTAS, st.booleans())
def test_the_quick_way_and_the_long_way_agree(deltas, ascii_only):
    seen: list[Any] = []
    for first in ("type", "other"):
        translator = ResponsesTranslator()
        items = translate(
            translator, frames(deltas, ascii_only=ascii_only, first=first)
        )
        pieces = translator._calls["call_1"].pieces
        seen.append((items, translator.full_text(), pieces))
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    "rest",
    [
        '"item":{"x":1,"delta":"no"},"delta":"yes"}',
        '"x\\"delta":"no","delta":"yes"}',
        '"a":1,"delta":null,"delta":"yes"}',
        '"a":1,\ndata: "delta":"yes"}',
        '"a":1,"delta":"yes"}\nid: 7',
    ],
)
def test_an_unusual_frame_takes_the_long_way(rest):
    kind = "response.output_text.delta"
    body = f'event: {kind}\ndata: {{"type":"{kind}",{rest}\n\n'.encode()
    assert translate(ResponsesTranslator(), body) == [TextDelta(delta="yes")]


@pytest.mark.parametrize("rest", ['"a":1,"delta":"\\x"}', '"a":1,"delta":"x', '"a":1}'])
def test_a_frame_that_is_no_json_says_nothing(rest):
    kind = "response.output_text.delta"
    body = f'event: {kind}\ndata: {{"type":"{kind}",{rest}\n\n'.encode()
    assert translate(ResponsesTranslator(), body) == []


def test_arguments_for_no_call_are_ignored():
    _, items = read(
        args("delta", item_id="fc_9", delta="{}"),
        args("delta", output_index=4, delta="{}"),
        args("done", item_id="fc_9", arguments="{}"),
        finished(WHOLE, output_index=0),
        args("delta", item_id="fc_1", delta="late"),
    )
    assert items == [START, READY]
