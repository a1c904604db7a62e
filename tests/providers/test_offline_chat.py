from __future__ import annotations

import json
from typing import Any

import pytest

import aistream_nb as ai
from aistream_nb.http import HttpRequest
from aistream_nb.providers.offline import (
    OFFLINE_MODEL,
    OFFLINE_PROMPT,
    OfflineServer,
    answer_frames,
)
from aistream_nb.tools.travel import offline_tools

URL = "http://localhost:11434/v1/chat/completions"
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {}}}
    for name in ("get_forecast", "list_departures")
]


def body(*messages: dict[str, Any], tools: Any = TOOLS) -> bytes:
    said = {"model": "qwen3", "messages": list(messages), "tools": tools}
    return json.dumps(said).encode()


ASKED = {"role": "user", "content": [{"type": "text", "text": OFFLINE_PROMPT}]}


def chunks(*messages: dict[str, Any], tools: Any = TOOLS) -> list[dict[str, Any]]:
    *frames, last = answer_frames(URL, body(*messages, tools=tools))
    assert last == b"data: [DONE]\n\n"
    return [json.loads(frame.removeprefix(b"data: ")) for frame in frames]


def deltas(read: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one["choices"][0]["delta"] for one in read if one["choices"]]


def test_a_turn_is_told_as_servers_tell_it():
    read = chunks({"role": "system", "content": "Be brief."}, ASKED)
    said = deltas(read)

    assert said[0] == {"role": "assistant", "content": ""}
    assert "".join(one.get("reasoning", "") for one in said).startswith("The user")
    assert {one["model"] for one in read} == {"qwen3"}
    assert len({one["id"] for one in read}) == 1
    assert [one["choices"][0]["finish_reason"] for one in read if one["choices"]][
        -2:
    ] == [None, "tool_calls"]
    assert read[-1]["choices"] == []
    usage = read[-1]["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_calls_come_in_fragments_and_only_the_first_is_named():
    fragments = [
        one["tool_calls"][0] for one in deltas(chunks(ASKED)) if "tool_calls" in one
    ]
    firsts = [one for one in fragments if "id" in one]

    assert [one["function"]["name"] for one in firsts] == [
        "get_forecast",
        "list_departures",
    ]
    for index in (0, 1):
        pieces = [
            one["function"]["arguments"] for one in fragments if one["index"] == index
        ]
        assert len(pieces) > 3
        assert "date" in json.loads("".join(pieces))


def test_results_are_understood():
    calls = [
        {"id": "c1", "function": {"name": "get_forecast", "arguments": "{}"}},
        {"id": "c2"},
    ]
    read = chunks(
        ASKED,
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": '"storm"'},
    )

    text = "".join(one.get("content", "") for one in deltas(read))
    assert "get_forecast says: storm" in text
    assert read[-2]["choices"][0]["finish_reason"] == "stop"


async def test_the_pace_is_that_of_the_visible_text():
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    server = OfflineServer(sleep=sleep)
    answer = await server(HttpRequest(url=URL, body=body(ASKED)))
    assert [piece async for piece in answer.chunks][-1] == b"data: [DONE]\n\n"
    assert 0.5 < sum(waits) < 20


@pytest.mark.parametrize("provider", ["ollama", "vllm", "groq", "mistral"])
async def test_a_chat_is_played_in_this_language(provider: str):
    chat = ai.Chat(f"offline:{provider}", pace=0, tools=offline_tools()[:2])

    reply = await chat.send(OFFLINE_PROMPT)

    assert reply.text.startswith("Take the ferry.")
    assert [call.status for call in reply.tool_calls.values()] == ["complete"] * 2
    assert chat.violations == ()
    assert reply.messages[0].thinking


async def test_a_provider_without_a_usual_model_gets_the_embedded_one():
    chat = ai.Chat("offline:ollama", pace=0, tools=[])
    await chat.send("Hello")
    assert chat.recording.header["model"] == OFFLINE_MODEL
