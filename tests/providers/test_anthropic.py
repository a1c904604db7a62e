"""Anthropic's stream, block by block."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given, strategies as st
from turn_kit import block, call_block, message, sse, text_block, translate

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
from aistream_nb.providers.anthropic import AnthropicTranslator
from aistream_nb.providers.base import ReadyCall, StreamFailure


def read(body: bytes) -> tuple[AnthropicTranslator, list[object]]:
    translator = AnthropicTranslator()
    return translator, translate(translator, body)


def replayed(body: bytes, *results: ToolCallResult) -> list[dict[str, object]]:
    translator, _ = read(body)
    return translator.continuation(results)[0]["content"]


def result(ident: str | None) -> ToolCallResult:
    return ToolCallResult(
        tool_name="get_weather", call_id=ident, result="1", is_error=False
    )


def test_a_call_is_told_of_step_by_step():
    _, items = read(message(*call_block(0, "t1", '{"city":"Oslo"}')))
    assert items == [
        ToolCallStart(tool_name="get_weather", call_id="t1"),
        ToolCallArgsDelta(call_id="t1", delta='{"city":"Oslo"}'),
        ReadyCall(name="get_weather", call_id="t1", arguments={"city": "Oslo"}),
    ]


def test_blocks_that_begin_with_content_show_it():
    body = message(
        *block(0, {"type": "thinking", "thinking": "Hm", "signature": "s"}),
        *block(1, {"type": "text", "text": "Hi"}, {"type": "text_delta", "text": "!"}),
        *block(2, {"type": "tool_use", "id": "t", "name": "n", "input": {"a": 1}}),
    )
    translator, items = read(body)
    assert items[:3] == [
        ThinkingDelta(delta="Hm"),
        TextDelta(delta="Hi"),
        TextDelta(delta="!"),
    ]
    assert items[-1] == ReadyCall(name="n", call_id="t", arguments={"a": 1})
    assert translator.full_text() == "Hi!"
    content = replayed(body, result("t"))
    assert content[0] == {"type": "thinking", "thinking": "Hm", "signature": "s"}


def test_thinking_is_shown_and_replayed_with_its_signature():
    body = message(
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "Let me "},
            {"type": "thinking_delta", "thinking": "see"},
            {"type": "signature_delta", "signature": "abc"},
        )
    )
    _, items = read(body)
    assert items == [ThinkingDelta(delta="Let me "), ThinkingDelta(delta="see")]
    assert replayed(body) == [
        {"type": "thinking", "thinking": "Let me see", "signature": "abc"}
    ]


def test_what_is_not_known_goes_back_unchanged():
    odd = {"type": "container_upload", "file_id": "f", "nested": {"a": [1]}}
    caller = {"type": "code_execution", "tool_id": "x"}
    call = {"type": "tool_use", "id": "t", "name": "n", "input": {}, "caller": caller}
    content = replayed(message(*block(0, odd), *block(1, call)), result("t"))
    assert content == [odd, call]


def test_blank_text_is_shown_and_not_replayed():
    body = message(*text_block(0, " \n"), *text_block(1, "x"))
    translator, _ = read(body)
    assert translator.full_text() == " \nx"
    assert replayed(body) == [{"type": "text", "text": "x"}]


def test_citations_are_collected():
    citation = {"type": "web_search_result_location", "url": "u"}
    start = {"type": "text", "text": "", "citations": []}
    deltas = [
        {"type": "text_delta", "text": "x"},
        {"type": "citations_delta", "citation": citation},
    ]
    (text,) = replayed(message(*block(0, start, *deltas)))
    assert text["citations"] == [citation]


def test_a_search_of_the_provider_is_told_of_and_kept():
    use = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    query = {"type": "input_json_delta", "partial_json": '{"query":"x"}'}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    body = message(*block(0, use, query), *block(1, found))
    _, items = read(body)
    assert items == [
        ServerToolEvent(tool_type="web_search", phase="started"),
        ServerToolEvent(tool_type="web_search", phase="completed"),
    ]
    assert replayed(body) == [{**use, "input": {"query": "x"}}, found]


def test_another_server_tool_is_kept_in_silence():
    use = {"type": "server_tool_use", "id": "s", "name": "web_fetch", "input": {}}
    body = message(*block(0, use))
    assert read(body)[1] == []
    assert replayed(body) == [use]


def test_usage_is_what_was_said_last_and_nulls_say_nothing():
    usage = {
        "input_tokens": 7,
        "output_tokens": 1,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": None,
    }
    translator, _ = read(message(usage=usage))
    assert translator.close().usage == Usage(
        input_tokens=7, output_tokens=5, cached_input_tokens=3
    )


def test_no_usage_is_none():
    translator, _ = read(sse({"type": "message_stop"}))
    assert translator.close().usage is None


@pytest.mark.parametrize(
    ("stop", "truncated", "incomplete"),
    [
        ("end_turn", False, None),
        ("tool_use", False, None),
        ("max_tokens", True, "max_tokens"),
        ("model_context_window_exceeded", True, "model_context_window_exceeded"),
        ("refusal", False, "refusal"),
        ("pause_turn", False, "pause_turn"),
    ],
)
def test_every_way_to_stop_has_its_meaning(stop, truncated, incomplete):
    ending = read(message(stop=stop))[0].close()
    assert (ending.truncated, ending.incomplete_reason) == (truncated, incomplete)
    assert (ending.stop_reason, ending.paused) == (stop, stop == "pause_turn")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            {"type": "overloaded_error", "message": "Busy"},
            StreamFailure(message="Busy", retryable=True),
        ),
        ({"type": "invalid", "message": "Bad"}, StreamFailure(message="Bad")),
        ({"type": ["api_error"], "message": "Odd"}, StreamFailure(message="Odd")),
        (None, StreamFailure(message="Anthropic stream returned an error event")),
    ],
)
def test_an_error_in_the_stream_ends_it(error, expected):
    body = sse({"type": "error", "error": error}, *text_block(0, "late"))
    assert read(body)[1] == [expected]


def test_one_call_id_twice_is_refused():
    body = message(*call_block(0, "t1", "{}"), *call_block(1, "t1", "{}"))
    failure = read(body)[1][-1]
    assert failure == StreamFailure(message="duplicate call id 't1' in one response")


def test_a_call_without_an_id_is_warned_of_and_ignored(caplog):
    nameless = {"type": "tool_use", "id": "", "name": "n", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": "{}"}
    with caplog.at_level(logging.WARNING):
        _, items = read(message(*block(0, nameless, delta), *text_block(1, "x")))
    assert items == [TextDelta(delta="x")]
    assert caplog.messages[0].startswith("ai-assist:malformed-tool-use")


def test_an_unknown_event_is_warned_of_once_and_without_its_values(caplog, monkeypatch):
    hint = {"type": "message_hint", "secret": "s3cr3t"}
    with caplog.at_level(logging.WARNING):
        read(sse(hint, hint, {"type": "ping"}))
    (said,) = caplog.messages
    assert said.startswith("ai-assist:unrecognized-event 'message_hint'")
    assert "s3cr3t" not in said
    monkeypatch.setenv("AI_ASSIST_UNRECOGNIZED_EVENT_FULL_PAYLOAD", "1")
    with caplog.at_level(logging.WARNING):
        read(sse(hint))
    assert "s3cr3t" in caplog.messages[-1]


def test_deltas_for_no_block_or_the_wrong_one_are_harmless():
    def delta(index: int, **fields: str) -> dict[str, object]:
        return {"type": "content_block_delta", "index": index, "delta": fields}

    body = sse(
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_delta", "index": 0},
        delta(5, type="text_delta", text="a"),
        delta(5, type="input_json_delta", partial_json="{"),
        {"type": "content_block_stop", "index": 5},
        *block(
            0,
            {"type": "text", "text": ""},
            {"type": "signature_delta", "signature": "s"},
            {"type": "thinking_delta", "thinking": "t"},
            {"type": "new_delta", "text": "n"},
            {"type": "input_json_delta", "partial_json": "{"},
        ),
        *block(1, {"type": "image"}, {"type": "text_delta", "text": "b"}),
        {"type": "message_delta", "delta": {"stop_reason": None}},
        {"type": "message_stop"},
    )
    translator, items = read(body + b"data: [DONE]\n\n: bye\n\ndata: 7\n\n")
    assert items == [TextDelta(delta="a"), TextDelta(delta="b")]
    assert translator.close().stop_reason is None


def test_a_missing_index_is_the_first():
    start = {"type": "content_block_start", "content_block": {"type": "text"}}
    said = {"type": "text_delta", "text": "x"}
    delta = {"type": "content_block_delta", "delta": said}
    translator, _ = read(sse(start, delta, {"type": "message_stop"}))
    assert translator.continuation([])[0]["content"] == [{"type": "text", "text": "x"}]


def test_results_without_an_id_or_without_a_call_are_refused():
    translator, _ = read(message(*call_block(0, "t1", "{}")))
    with pytest.raises(TurnError, match="result has no call id"):
        translator.continuation([result(None)])
    with pytest.raises(TurnError, match="call id 'x' does not match any buffered"):
        translator.continuation([result("x")])


def test_a_character_cut_in_two_deltas_is_whole_in_the_full_text():
    body = b"".join(frames([half], 0, ascii_only=True) for half in ("\ud83d", "\ude00"))
    translator, _ = read(body)
    assert translator.full_text() == "\U0001f600"


# The quick way must give what the long way gives.

PIECES = st.text(max_size=8)


def frames(deltas: list[str], pad: int, *, ascii_only: bool) -> bytes:
    """A text, a thought and a call; frames padded as Anthropic pads them."""
    out: list[str] = []
    call = {"type": "tool_use", "id": "t", "name": "n", "input": {}}
    kinds = [
        ({"type": "text", "text": ""}, "text_delta", "text"),
        ({"type": "thinking", "thinking": ""}, "thinking_delta", "thinking"),
        (call, "input_json_delta", "partial_json"),
    ]
    for index, (start, kind, name) in enumerate(kinds):
        events = block(index, start, *({"type": kind, name: d} for d in deltas))
        for event in events:
            text = json.dumps(event, separators=(",", ":"), ensure_ascii=ascii_only)
            text = f"{text[:-1]}{' ' * pad}}}"
            out.append(f"event: {event['type']}\ndata: {text}\n\n")
    return "".join(out).encode("utf-8", "surrogatepass")


@given(st.lists(PIECES, max_size=6), st.integers(0, 3), st.booleans())
def test_the_quick_way_and_the_long_way_agree(deltas, pad, ascii_only):
    quick_body = frames(deltas, pad, ascii_only=ascii_only)
    # A field more, and no frame looks as it usually does.
    long_body = quick_body.replace(b"data: {", b'data: {"x":0,')
    quick, quick_items = read(quick_body)
    long, long_items = read(long_body)
    assert quick_items == long_items
    assert quick.full_text() == long.full_text()
    assert [b.replayed() for b in quick._blocks.values()] == [
        b.replayed() for b in long._blocks.values()
    ]


@pytest.mark.parametrize("text", ["a\\", "a\u0001", 'a"}'])
def test_a_frame_that_only_begins_as_usual_takes_the_long_way(text):
    head = sse(*block(0, {"type": "text", "text": ""})[:1])
    odd = (
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"' + text.encode()
    )
    translator, items = read(head + odd + b"\n\n" + sse({"type": "message_stop"}))
    assert items == []
    assert translator.close().error is None
