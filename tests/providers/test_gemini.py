"""Gemini's stream, part by part."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from turn_kit import translate

from aistream_nb.core.turn_events import (
    TextDelta,
    ThinkingDelta,
    ToolCallResult,
    Usage,
)
from aistream_nb.errors import TurnError
from aistream_nb.providers.base import ReadyCall, StreamFailure
from aistream_nb.providers.gemini import GeminiTranslator


def chunk(*parts: Any, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {
        "content": {"parts": list(parts), "role": "model"},
        "index": 0,
    }
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **fields}


def encode(*payloads: Any, spaced: bool = False, ascii_only: bool = False) -> bytes:
    separators = (", ", ": ") if spaced else (",", ":")
    texts = [
        json.dumps(payload, separators=separators, ensure_ascii=ascii_only)
        for payload in payloads
    ]
    body = "".join(f"data: {text}\r\n\r\n" for text in texts)
    return body.encode("utf-8", "surrogatepass")


def read(*payloads: Any) -> tuple[GeminiTranslator, list[Any]]:
    translator = GeminiTranslator()
    return translator, translate(translator, encode(*payloads))


def call(name: str = "add", **fields: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {"a": 1}, **fields}}


def result(
    ident: str | None = None, *, name: str = "add", is_error: bool = False
) -> ToolCallResult:
    return ToolCallResult(tool_name=name, call_id=ident, result="3", is_error=is_error)


def test_text_thinking_and_calls_are_told_apart():
    translator, items = read(
        chunk({"text": "Hm", "thought": True}),
        chunk({"text": "Hi"}, call(id="c1")),
        chunk(call("sub"), finish="STOP"),
    )
    assert items == [
        ThinkingDelta(delta="Hm"),
        TextDelta(delta="Hi"),
        ReadyCall(name="add", call_id="c1", arguments={"a": 1}),
        ReadyCall(name="sub", call_id=None, arguments={"a": 1}),
    ]
    assert translator.full_text() == "Hi"


def test_parts_go_back_in_their_order_with_their_signatures():
    signed = {**call(id="c1"), "thoughtSignature": "S"}
    code = {"executableCode": {"code": "1"}}
    translator, _ = read(
        chunk({"text": "a", "thought": True}),
        chunk({"text": "b"}),
        chunk({"text": "c"}),
        chunk({"text": "d", "thoughtSignature": "T"}),
        chunk(signed, code, {"inlineData": None}, 7),
        chunk(call("sub")),
        chunk({"text": ""}, {"text": "", "thoughtSignature": "U"}, finish="STOP"),
    )
    model, user = translator.continuation([result("c1"), result(name="sub")])
    assert model["parts"] == [
        {"text": "a", "thought": True},
        {"text": "bc"},
        {"text": "d", "thoughtSignature": "T"},
        signed,
        code,
        call("sub"),
        {"text": "", "thoughtSignature": "U"},
    ]
    assert user["parts"] == [
        {"functionResponse": {"id": "c1", "name": "add", "response": {"content": "3"}}},
        {"functionResponse": {"name": "sub", "response": {"content": "3"}}},
    ]


def test_a_failed_tool_is_an_error_to_the_model():
    translator, _ = read(chunk(call(), finish="STOP"))
    _, user = translator.continuation([result(is_error=True)])
    assert user["parts"][0]["functionResponse"]["response"] == {"error": "3"}


def test_results_must_answer_the_calls_one_by_one():
    translator, _ = read(chunk(call(), call("sub"), finish="STOP"))
    with pytest.raises(TurnError, match="1 results do not answer the 2 calls"):
        translator.continuation([result()])


@pytest.mark.parametrize(
    ("reason", "truncated"), [("STOP", False), ("MAX_TOKENS", True)]
)
def test_a_good_ending_has_its_meaning(reason, truncated):
    ending = read(chunk({"text": "x"}), chunk(finish=reason))[0].close()
    assert (ending.error, ending.truncated, ending.stop_reason) == (
        None,
        truncated,
        reason,
    )


def test_a_bad_ending_names_its_reason_and_runs_nothing():
    bad = chunk({"text": "x"}, call(), finish="UNEXPECTED_TOOL_CALL")
    bad["candidates"][0]["finishMessage"] = "no tools"
    _, items = read(bad, chunk({"text": "late"}))
    said = "Gemini stopped with finishReason UNEXPECTED_TOOL_CALL: no tools"
    assert items == [TextDelta(delta="x"), StreamFailure(message=said)]


def test_a_blocked_prompt_names_its_reason():
    feedback = {"blockReason": "SAFETY", "blockReasonMessage": "bad words"}
    said = "Gemini blocked the prompt: SAFETY: bad words"
    assert read({"promptFeedback": feedback})[1] == [StreamFailure(message=said)]
    assert read({"promptFeedback": {}}, {"candidates": []})[1] == []


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            {"code": 503, "message": "Overloaded"},
            StreamFailure(message="Overloaded", retryable=True),
        ),
        (
            {"code": 400, "status": "INVALID"},
            StreamFailure(message="INVALID"),
        ),
        ("odd", StreamFailure(message="Gemini stream returned an error")),
        ({"code": [503], "message": "Odd"}, StreamFailure(message="Odd")),
    ],
)
def test_an_error_in_the_stream_ends_it(error, expected):
    assert read({"error": error}, chunk({"text": "late"}))[1] == [expected]


def test_one_call_id_twice_is_refused():
    _, items = read(chunk(call(id="c1"), call(id="c1"), finish="STOP"))
    said = "duplicate call id 'c1' in one response"
    assert items[1] == StreamFailure(message=said)


def test_arguments_in_pieces_are_refused_without_running():
    pieces = {"name": "add", "willContinue": True, "partialArgs": [{"jsonPath": "$.a"}]}
    translator, items = read(
        chunk({"functionCall": pieces}),
        chunk({"functionCall": {"name": None}}, finish="STOP"),
    )
    (ready,) = items
    assert ready.arguments == {}
    assert "came in pieces" in ready.problem
    model, _ = translator.continuation([result()])
    assert model["parts"] == [{"functionCall": {"name": "add", "args": {}}}]


def test_nulls_are_absent():
    payload = chunk(
        {"text": "x", "thought": None, "thoughtSignature": None},
        {"text": None, "functionCall": {"name": "add", "args": None, "id": None}},
        finish="STOP",
    )
    payload["candidates"][0]["finishMessage"] = None
    translator, items = read({**payload, "promptFeedback": None, "error": None})
    assert items[1:] == [ReadyCall(name="add", call_id=None, arguments={})]
    model, _ = translator.continuation([result()])
    assert model["parts"] == [
        {"text": "x"},
        {"functionCall": {"name": "add", "args": {}}},
    ]


def test_odd_frames_say_nothing():
    translator = GeminiTranslator()
    body = b"data: [DONE]\n\n: x\n\n" + encode(
        {"candidates": [7]},
        {"candidates": [{"content": None}]},
        {"candidates": [{"content": {"parts": None}}]},
    )
    assert translate(translator, body) == []
    assert translator.close().error == "Gemini stream ended without a finishReason"


def test_the_last_usage_counts():
    def usage(count: int) -> dict[str, Any]:
        return {"usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": count}}

    quick = read(
        *(chunk({"text": "x"}, **usage(count)) for count in range(3)),
        chunk(finish="STOP"),
    )[0]
    assert quick.close().usage == Usage(input_tokens=3, output_tokens=2)
    slow = read(chunk({"text": "x"}, **usage(1)), chunk(finish="STOP", **usage(9)))[0]
    assert slow.close().usage == Usage(input_tokens=3, output_tokens=9)


# The quick way must give what the long way gives.

TEXTS = st.lists(st.text(max_size=8) | st.just('"error"'), min_size=1, max_size=6)


@given(TEXTS, st.booleans(), st.booleans())
def test_the_quick_way_and_the_long_way_agree(texts, spaced, ascii_only):
    seen: list[Any] = []
    for extra in ({}, {"z": 1}):
        payloads: list[Any] = []
        for number, text in enumerate(texts):
            usage = {"candidatesTokenCount": number, "details": [{"tokenCount": 1}]}
            payload = chunk({"text": text}, usageMetadata=usage, modelVersion="m")
            # A field in front, and no frame looks as it usually does.
            payloads.append({**extra, **payload})
        translator = GeminiTranslator()
        body = encode(*payloads, spaced=spaced, ascii_only=ascii_only)
        items = translate(translator, body)
        translate(translator, encode(chunk(finish="STOP")))
        ending = translator.close()
        seen.append(
            (items, translator.full_text(), ending, translator.continuation([]))
        )
    assert seen[0] == seen[1]


USUAL = chunk({"text": "a"}, usageMetadata={"promptTokenCount": 1}, modelVersion="m")


@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        ({**USUAL, "error": {"message": "Busy"}}, [StreamFailure(message="Busy")]),
        (chunk({"text": "b"}, {"text": "c"}), [TextDelta(delta=x) for x in "bc"]),
        (chunk({"text": "b"}, finish="STOP"), [TextDelta(delta="b")]),
    ],
)
def test_an_unusual_frame_takes_the_long_way(odd, expected):
    assert read(USUAL, USUAL, odd)[1][2:] == expected


@pytest.mark.parametrize("cut", [40, 51, 60, -8])
def test_a_frame_that_was_cut_says_nothing(cut):
    whole = encode(USUAL)
    translator = GeminiTranslator()
    items = translate(translator, whole + whole[:cut])
    assert items == [TextDelta(delta="a")]


def test_nothing_counts_after_a_failure():
    _, items = read(USUAL, {"error": {"message": "Busy"}}, USUAL)
    assert len(items) == 2


@pytest.mark.parametrize(
    "first",
    [
        chunk({"text": "a"}),
        chunk({"text": "a"}, {"text": "b"}, usageMetadata={}),
        chunk({"text": "a"}, finish="STOP", usageMetadata={}),
        {"candidates": [*USUAL["candidates"], 1], "usageMetadata": {}},
        {"candidates": [{"content": {"parts": [{"text": "a", "x": 1}]}}]},
    ],
)
def test_only_a_plain_frame_teaches_the_quick_way(first):
    translator, _ = read(first)
    assert translator._head == "\0"
