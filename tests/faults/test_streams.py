"""Every dialect's stream, cut at every byte and split at every byte.

Where it is cut, what came is shown and no more; a call runs when it was whole, once,
and never with arguments that were cut. Where it is split, nothing is different at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from fault_kit import hold_the_laws
from turn_kit import (
    Answer,
    FakeTool,
    Server,
    call_block,
    kinds,
    message,
    play,
    sse,
    text_block,
)

import aistream_nb as ai
from aistream_nb.chat.ids import counted_ids
from aistream_nb.errors import ProviderError
from aistream_nb.providers.retry import NO_RETRY

CITY = "Hvar–Split ☃"  # noqa: RUF001 characters of several bytes, so that a cut goes through them
SAID = "Dobro jutro ☀ "
ARGUMENTS = json.dumps({"city": CITY}, ensure_ascii=False)
HALVES = (ARGUMENTS[:9], ARGUMENTS[9:])

ANTHROPIC = message(
    *text_block(0, "Dobro ", "jutro ☀ "),
    *call_block(1, "call_1", ARGUMENTS),
    stop="tool_use",
)
_item = {"type": "function_call", "id": "fc_1", "call_id": "call_1"}
OPENAI = sse(
    {"type": "response.created", "response": {"id": "r"}},
    {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {"type": "message", "id": "m", "role": "assistant", "content": []},
    },
    {"type": "response.output_text.delta", "item_id": "m", "delta": "Dobro "},
    {"type": "response.output_text.delta", "item_id": "m", "delta": "jutro ☀ "},
    {
        "type": "response.output_item.added",
        "output_index": 1,
        "item": {**_item, "name": "get_weather", "arguments": ""},
    },
    *(
        {
            "type": "response.function_call_arguments.delta",
            "item_id": "fc_1",
            "output_index": 1,
            "delta": half,
        }
        for half in HALVES
    ),
    {
        "type": "response.output_item.done",
        "output_index": 1,
        "item": {
            **_item,
            "name": "get_weather",
            "arguments": ARGUMENTS,
            "status": "completed",
        },
    },
    {
        "type": "response.completed",
        "response": {"id": "r", "status": "completed", "output": []},
    },
)


def choice(delta: Mapping[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def called(arguments: str, **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments, **more}
    call = {"index": 0, "id": "call_1", "type": "function", "function": function}
    return choice({"tool_calls": [call]})


CHAT = (
    sse(
        choice({"role": "assistant", "content": "Dobro "}),
        choice({"content": "jutro ☀ "}),
        called(HALVES[0], name="get_weather"),
        called(HALVES[1]),
        choice({}, "tool_calls"),
    )
    + b"data: [DONE]\n\n"
)


def candidate(*parts: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": parts}, **more}]}


GEMINI = sse(
    candidate({"text": "Dobro "}),
    candidate({"text": "jutro ☀ "}),
    candidate({"functionCall": {"name": "get_weather", "args": {"city": CITY}}}),
    candidate({"text": ""}, finishReason="STOP"),
    named=False,
)
FAREWELLS = {
    "anthropic": message(*text_block(0, "Bok")),
    "openai": sse(
        {"type": "response.output_text.delta", "item_id": "m2", "delta": "Bok"},
        {"type": "response.completed", "response": {"status": "completed"}},
    ),
    "groq": sse(choice({"content": "Bok"}), choice({}, "stop")) + b"data: [DONE]\n\n",
    "gemini": sse(candidate({"text": "Bok"}, finishReason="STOP"), named=False),
}
STREAMS = {"anthropic": ANTHROPIC, "openai": OPENAI, "groq": CHAT, "gemini": GEMINI}


class Weather:
    def __init__(self) -> None:
        self.ran: list[str] = []

    def tool(self) -> Any:
        async def get_weather(city: str) -> str:
            """Say how the weather is."""
            self.ran.append(city)
            return "snow"

        return ai.tool(read_only=True)(get_weather)


def talk(provider: str, weather: Weather, *answers: Answer | bytes) -> ai.Chat:
    return ai.Chat(
        f"{provider}:m",
        api_key="sk-test-0123456789",
        client=Server(*answers).client,
        retry=NO_RETRY,
        tools=[weather.tool()],
        ids=counted_ids("t"),
        clock=lambda: 0.0,
    )


def texts(chat: ai.Chat) -> str:
    answers = [m for m in chat.conversation.messages if m.role == "assistant"]
    return "".join(message.text for message in answers)


@pytest.mark.parametrize("provider", STREAMS)
async def test_a_chat_outlives_a_cut_anywhere(provider: str):
    body = STREAMS[provider]
    seen: set[str] = set()
    for at in range(0, len(body), 7):
        weather = Weather()
        chat = talk(provider, weather, body[:at], FAREWELLS[provider])
        try:
            reply = await chat.send("Hi")
        except ProviderError:
            assert chat.conversation.status == "error"
            assert SAID.startswith(texts(chat))
        else:
            assert reply.status == "finished"
            assert texts(chat) == f"{SAID}Bok"
        assert weather.ran in ([], [CITY])
        hold_the_laws(chat)
        seen.add(chat.conversation.status)
        await chat.aclose()
    assert "error" in seen


@pytest.mark.parametrize("provider", STREAMS)
async def test_a_stream_may_be_cut_at_every_byte(provider: str):
    body = STREAMS[provider]
    for at in range(len(body)):
        tool = FakeTool()
        events, outcome = await turn(provider, tool, body[:at])
        said = "".join(event.delta for event in events if event.type == "text-delta")
        assert SAID.startswith(said)
        assert tool.ran in ([], [{"city": CITY}])
        assert isinstance(outcome, ProviderError) == (events[-1].type == "error")
        assert bool(tool.ran) == ("client-tool-result" in kinds(events))


@pytest.mark.parametrize("provider", STREAMS)
async def test_a_stream_may_be_split_at_every_byte(provider: str):
    body = STREAMS[provider]
    whole, _ = await turn(provider, FakeTool(), body)
    bytewise = [body[at : at + 1] for at in range(len(body))]
    assert (await turn(provider, FakeTool(), *bytewise))[0] == whole
    for at in range(1, len(body)):
        assert (await turn(provider, FakeTool(), body[:at], body[at:]))[0] == whole


async def turn(provider: str, tool: FakeTool, *pieces: bytes) -> tuple[list[Any], Any]:
    return await play(Server(Answer(list(pieces))), tool, provider=provider)


@pytest.mark.parametrize("provider", STREAMS)
async def test_a_chat_sees_no_difference_in_how_its_bytes_are_cut(provider: str):
    body = STREAMS[provider]
    whole = await story(provider, [body])
    for size in (1, 2, 3, 61):
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        assert await story(provider, pieces) == whole


async def story(provider: str, pieces: list[bytes]) -> tuple[Any, ...]:
    weather = Weather()
    chat = talk(provider, weather, Answer(pieces), FAREWELLS[provider])
    assert (await chat.send("Hi")).text == "Bok"
    hold_the_laws(chat)
    await chat.aclose()
    assert weather.ran == [CITY]
    return chat.recording.compact().events
