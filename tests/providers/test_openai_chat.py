"""Chat Completions, tools included: what is asked and what is understood."""

from __future__ import annotations

from typing import Any

import pytest
from turn_kit import Answer, FakeTool, Server, kinds, play, sse, translate

from aistream_nb.core.turn_events import (
    TextDelta,
    ThinkingDelta,
    ToolCallArgsDelta,
    ToolCallResult,
    ToolCallStart,
    Usage,
)
from aistream_nb.errors import TurnError
from aistream_nb.providers.base import OutputSchema, ReadyCall, StreamFailure
from aistream_nb.providers.openai_chat import ChatTranslator

DONE = b"data: [DONE]\n\n"


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def fragment(arguments: Any, index: int = 0, **fields: Any) -> dict[str, Any]:
    function = {"arguments": arguments}
    if "name" in fields:
        function["name"] = fields.pop("name")
    return {"index": index, "function": function, **fields}


def calls(*fragments: Any, finish: str | None = None) -> dict[str, Any]:
    return chunk(finish, tool_calls=list(fragments))


def read(*payloads: Any) -> tuple[ChatTranslator, list[Any]]:
    translator = ChatTranslator()
    return translator, translate(translator, sse(*payloads) + DONE)


def ready(items: list[Any]) -> list[tuple[str, str | None, Any]]:
    found = [item for item in items if isinstance(item, ReadyCall)]
    return [(item.name, item.call_id, item.arguments) for item in found]


def test_text_refusals_and_thinking_are_shown():
    translator, items = read(
        chunk(role="assistant", content=""),
        chunk(reasoning_content="Hm", reasoning="Hm"),
        chunk(content="Hi"),
        chunk(refusal=" no"),
        chunk("stop", content=None),
    )
    assert items == [
        ThinkingDelta(delta="Hm"),
        TextDelta(delta="Hi"),
        TextDelta(delta=" no"),
    ]
    assert translator.full_text() == "Hi no"


def test_content_may_come_in_parts():
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}, 7]}
    empty = {"type": "thinking", "thinking": []}
    translator, items = read(
        chunk(content=[thinking, empty]),
        chunk("stop", content=[{"type": "text", "text": "Hi"}, {"type": "image"}, 7]),
    )
    assert items == [ThinkingDelta(delta="Hm"), TextDelta(delta="Hi")]
    assert translator.full_text() == "Hi"


def test_a_call_is_put_together_from_its_fragments():
    _, items = read(
        calls(fragment("", id="c1", name="add")),
        calls(fragment('{"a":')),
        calls(fragment("1}")),
        chunk("tool_calls"),
    )
    assert items == [
        ToolCallStart(tool_name="add", call_id="c1"),
        ToolCallArgsDelta(call_id="c1", delta='{"a":'),
        ToolCallArgsDelta(call_id="c1", delta="1}"),
        ReadyCall(name="add", call_id="c1", arguments={"a": 1}),
    ]


@pytest.mark.parametrize(
    "payloads",
    [
        [
            calls(fragment("{", 0, id="c1", name="add")),
            calls(fragment("{", 1, id="c2", name="sub")),
            calls(fragment("}", 0), fragment("}", 1), finish="tool_calls"),
        ],
        [
            calls(fragment("{}", 0, id="c1", name="add")),
            calls(fragment("{}", 0, id="c2", name="sub"), finish="tool_calls"),
        ],
        [
            calls(fragment("{", 0, id="c1", name="add")),
            calls(fragment("}", 0, id="c1", name="add")),
            calls(fragment({}, 1, id="c2", name="sub")),
            chunk("stop"),
        ],
        [
            {
                "choices": [
                    {
                        "delta": {
                            "tool_calls": [
                                {"id": "c1", "function": {"name": "add"}},
                                {"id": "c2", "function": {"name": "sub"}},
                                7,
                            ]
                        },
                        "finish_reason": "tool_calls",
                    }
                ]
            }
        ],
    ],
    ids=["by index", "index 0 again", "ids repeated", "no index"],
)
def test_two_calls_are_told_apart(payloads):
    _, items = read(*payloads)
    assert ready(items) == [("add", "c1", {}), ("sub", "c2", {})]


def test_arguments_may_come_as_an_object():
    _, items = read(calls(fragment({"a": 1}, id="c", name="add"), finish="stop"))
    assert ready(items) == [("add", "c", {"a": 1})]


def test_a_call_without_an_id_gets_one():
    _, items = read(calls(fragment("{}", name="add"), finish="tool_calls"))
    assert ready(items) == [("add", "call_0", {})]


def test_fragments_of_no_call_are_ignored():
    assert read(calls(fragment("{}", id="c1"), fragment("{}")))[1] == []


def test_one_call_id_twice_is_refused():
    twice = [fragment("{}", index, id="c", name="add") for index in (0, 1)]
    _, items = read(calls(*twice), chunk(content="late"))
    said = "duplicate call id 'c' in one response"
    assert items[-1] == StreamFailure(message=said)


def test_usage_comes_in_a_chunk_without_choices():
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    translator, _ = read(chunk("stop", content="x"), {"choices": [], "usage": usage})
    assert translator.close().usage == Usage(input_tokens=3, output_tokens=4)


@pytest.mark.parametrize(
    ("reason", "truncated", "incomplete"),
    [
        ("stop", False, None),
        ("length", True, None),
        ("content_filter", False, "content_filter"),
    ],
)
def test_every_ending_has_its_meaning(reason, truncated, incomplete):
    ending = read(chunk(reason, content="x"))[0].close()
    assert (ending.truncated, ending.incomplete_reason, ending.stop_reason) == (
        truncated,
        incomplete,
        reason,
    )


def test_a_stream_without_its_end_is_broken():
    translator, _ = read(chunk(content="x"), chunk(""), {"choices": None})
    assert translator.close().error == "OpenAI stream ended without a finish_reason"


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (
            {"error": {"message": "Busy", "code": "overloaded"}},
            StreamFailure(message="Busy", retryable=True),
        ),
        ({"error": "plain"}, StreamFailure(message="plain")),
        ({"error": {"x": 1}}, StreamFailure(message="OpenAI stream returned an error")),
    ],
)
def test_an_error_in_the_stream_ends_it(payload, expected):
    assert read(payload, chunk(content="late"))[1] == [expected]


async def test_a_turn_with_a_tool_goes_round():
    first = sse(
        chunk(content="Let me see. "),
        calls(fragment('{"city": "Oslo"}', id="c1", name="get_weather")),
        chunk("tool_calls"),
    )
    server = Server(first + DONE, sse(chunk("stop", content="Snow.")))
    tool = FakeTool()
    events, outcome = await play(server, tool, provider="vllm", system="Be kind.")
    assert kinds(events)[-2:] == ["client-tool-result", "done"]
    tail = outcome.continuation.messages
    assert tail == (
        {
            "role": "assistant",
            "content": "Let me see. ",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {
                        "name": "get_weather",
                        "arguments": '{"city": "Oslo"}',
                    },
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '"snow"'},
    )
    _, outcome = await play(server, tool, provider="vllm", continuation_messages=tail)
    assert outcome.full_text == "Snow."
    first_body, second_body = server.bodies
    assert first_body["tools"][0]["function"]["name"] == "get_weather"
    assert first_body["messages"][0] == {"role": "system", "content": "Be kind."}
    assert second_body["messages"][2:] == list(tail)
    assert server.requests[0].url == "http://localhost:8000/v1/chat/completions"


async def test_a_call_cut_by_the_length_is_answered_for_the_model():
    body = sse(
        calls(fragment("{}", 0, id="c1", name="get_weather")),
        calls(fragment('{"ci', 1, id="c2", name="get_weather"), finish="length"),
    )
    events, outcome = await play(Server(body), FakeTool(), provider="vllm")
    assert outcome.truncated
    assert kinds(events).count("client-tool-call-done") == 1
    *_, whole, cut = outcome.continuation.messages
    assert whole["content"] == "get_weather (callId=c1): 'city' is missing"
    assert "cut off" in cut["content"]


def test_results_must_belong_to_a_call():
    translator, items = read(calls(fragment("[1]", id="c", name="n"), finish="stop"))
    assert items[-1].problem is not None
    (assistant, answer) = translator.continuation([])
    assert assistant["tool_calls"][0]["function"]["arguments"] == "{}"
    assert "cut off" in answer["content"]
    other = ToolCallResult(tool_name="n", call_id="d", result="1", is_error=False)
    with pytest.raises(TurnError, match="OpenAI continuation"):
        translator.continuation([other])


@pytest.mark.parametrize(
    ("provider", "options", "expected"),
    [
        ("vllm", {"max_tokens": 9}, {"max_tokens": 9}),
        ("mistral", {}, {"stream_options": None}),
        ("groq", {"temperature": 0.2}, {"temperature": 0.2}),
        ("groq", {"thinking": "low"}, {"reasoning_effort": None}),
        ("vllm", {"extra_body": {"top_k": 3}}, {"top_k": 3}),
    ],
)
async def test_options_are_said_in_the_servers_words(provider, options, expected):
    server = Server(sse(chunk("stop", content="x")))
    await play(server, provider=provider, **options)
    (body,) = server.bodies
    assert {name: body.get(name) for name in expected} == expected


async def test_a_schema_for_the_answer_is_sent():
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    server = Server(sse(chunk("stop", content="{}")))
    wanted = OutputSchema(schema=schema, name="empty")
    await play(server, provider="vllm", output_schema=wanted)
    form = server.bodies[0]["response_format"]["json_schema"]
    assert form == {"name": "empty", "schema": schema, "strict": True}


async def test_images_are_sent_as_urls():
    image = {"mimeType": "image/png", "base64": "AAAA", "detail": "low"}
    said = [{"role": "user", "content": "What?", "attachments": [image]}]
    server = Server(sse(chunk("stop", content="x")))
    await play(server, provider="lm-studio", messages=said)
    assert server.bodies[0]["messages"][-1]["content"] == [
        {"type": "text", "text": "What?"},
        {
            "type": "image_url",
            "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"},
        },
    ]


async def test_a_server_of_ones_own_gets_no_key():
    server = Server(sse(chunk("stop", content="x")))
    await play(server, provider="ollama", api_key=None)
    assert "authorization" not in server.requests[0].headers


async def test_a_gateway_that_answers_json_is_understood():
    answer = Answer(
        b'{"error":{"message":"model not loaded"}}',
        headers={"content-type": "application/json"},
    )
    _, failure = await play(Server(answer), provider="lm-studio")
    assert str(failure) == "model not loaded"
