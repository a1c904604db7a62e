"""The vendors' own SDKs as judges: of our requests, and of our reading of a stream.

Their request types are ``TypedDict``s, which forgive members that they do not know;
so what pydantic makes of a body has to equal the body.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import anthropic
import openai
import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from google import genai
from google.genai import types as gemini
from loopback import Server
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import BaseModel, TypeAdapter
from turn_kit import FakeTool, body_of

from aistream_nb.http import HttpClient
from aistream_nb.providers import execute_client_tool_turn
from aistream_nb.providers.offline import (
    OFFLINE_PROMPT,
    OFFLINE_SYSTEM,
    offline_transport,
)
from aistream_nb.providers.turn_outcome import TurnOutcome
from aistream_nb.tools.travel import offline_tools

VENDORS = ["anthropic", "openai", "xai", "gemini"]
USER = [{"role": "user", "content": OFFLINE_PROMPT}]


@dataclass
class Round:
    body: Any
    stream: bytes
    outcome: TurnOutcome


async def play(vendor: str) -> list[Round]:
    """A whole conversation with the embedded agent, and what was on the wire."""
    rounds: list[Round] = []
    tail: tuple[Any, ...] = ()
    client = HttpClient(transport=offline_transport(pace=0))
    while not rounds or rounds[-1].outcome.continuation is not None:
        bodies: list[Any] = []
        pieces: list[bytes] = []
        turn = execute_client_tool_turn(
            provider=vendor,
            messages=USER,
            client_tools=offline_tools()[:2],
            continuation_messages=tail,
            system=OFFLINE_SYSTEM,
            thinking={"effort": "low", "show": True},
            api_key="offline",
            client=client,
            on_request=lambda body, _, kept=bodies: kept.append(body),
            on_bytes=pieces.append,
        )
        outcome = await turn.next_turn
        rounds.append(Round(bodies[0], b"".join(pieces), outcome))
        tail = outcome.continuation.messages if outcome.continuation else ()
    assert len(rounds) > 1
    return rounds


def plain(value: Any) -> Any:
    """``value`` with pydantic's lazy iterables gone through, which validates them."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump(exclude_none=True))
    if isinstance(value, Mapping):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [plain(member) for member in value]
    return value


def assert_accepted(kind: Any, body: Any) -> None:
    assert plain(TypeAdapter(kind).validate_python(body)) == body


def accept_anthropic(body: dict[str, Any]) -> None:
    assert_accepted(MessageCreateParamsStreaming, body)


def accept_responses(body: dict[str, Any]) -> None:
    # The type asks for "strict", the API does not; its default is what we want.
    strict = {"strict": None}
    tools = [
        {**tool, **(strict if tool["type"] == "function" else {})}
        for tool in body.get("tools", ())
    ]
    body = {**body, **({"tools": tools} if tools else {})}
    assert_accepted(ResponseCreateParamsStreaming, body)


def accept_chat(body: dict[str, Any]) -> None:
    assert_accepted(CompletionCreateParamsStreaming, body)


def accept_gemini(body: dict[str, Any]) -> None:
    """Gemini's types are models that forbid what they do not know."""
    parts = {
        "systemInstruction": gemini.Content,
        "contents": list[gemini.Content],
        "generationConfig": gemini.GenerationConfig,
        "tools": list[gemini.Tool],
        "toolConfig": gemini.ToolConfig,
    }
    assert set(body) <= set(parts)
    for name, part in body.items():
        TypeAdapter(parts[name]).validate_json(json.dumps(part))


ACCEPT = {
    "anthropic": accept_anthropic,
    "openai": accept_responses,
    "xai": accept_responses,
    "gemini": accept_gemini,
    "vllm": accept_chat,
}


@pytest.mark.parametrize("vendor", VENDORS)
async def test_every_request_of_a_conversation_has_the_vendors_types(vendor):
    for played in await play(vendor):
        ACCEPT[vendor](played.body)


SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
# OpenAI's type asks for a "detail", which the API itself does not.
IMAGE = {"mimeType": "image/png", "base64": "iVBORw0KGgo=", "detail": "low"}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"max_tokens": 100},
    "images": {
        "messages": [{"role": "user", "content": "What?", "attachments": [IMAGE]}]
    },
    "search": {"server_tools": ["web_search"], "tool_conflict_policy": "combine"},
    "thinking": {"thinking": {"effort": "high", "show": True}},
    "adaptive": {"thinking": "max", "model": "claude-opus-5"},
    "schema": {"output_schema": SCHEMA},
}


@pytest.mark.parametrize("vendor", [*VENDORS, "vllm"])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_every_option_has_the_vendors_types(vendor, options):
    if vendor == "vllm":
        options = {**options, "server_tools": ()}
    body = body_of(vendor, FakeTool(), system="Be kind.", **options)
    ACCEPT[vendor](body)


# Their accumulators read the same bytes, from a server on loopback: each SDK brings a
# network client of its own.


def serving(stream: bytes) -> Any:
    turn = {"sse_base64": base64.b64encode(stream).decode()}
    return Server([turn], on_hang=lambda: None).running()


def without_nothing(value: Any) -> Any:
    """JSON without nulls and empty lists, which SDKs add and wires leave out."""
    if isinstance(value, Mapping):
        found = {name: without_nothing(member) for name, member in value.items()}
        return {
            name: member for name, member in found.items() if member not in (None, [])
        }
    if isinstance(value, (list, tuple)):
        return [without_nothing(item) for item in value]
    return value


def summary_of(outcome: TurnOutcome) -> list[tuple[str, Any]]:
    calls = outcome.continuation.summary if outcome.continuation else ()
    return [(call.tool_name, dict(call.arguments)) for call in calls]


async def test_anthropics_own_accumulator_reads_the_same():
    for played in await play("anthropic"):
        async with serving(played.stream) as url:
            final = await _anthropics_final_message(url)
        texts = [block["text"] for block in final["content"] if block["type"] == "text"]
        assert "".join(texts) == played.outcome.full_text
        assert final["stop_reason"] == played.outcome.stop_reason
        continuation = played.outcome.continuation
        if continuation is not None:
            ours = continuation.messages[-2]["content"]
            assert without_nothing(final["content"]) == without_nothing(ours)


async def _anthropics_final_message(url: str) -> dict[str, Any]:
    options: Any = {"model": "m", "max_tokens": 9, "messages": []}
    async with (
        anthropic.AsyncAnthropic(api_key="x", base_url=url) as client,
        client.messages.stream(**options) as stream,
    ):
        final = await stream.get_final_message()
    return final.model_dump(mode="json")


@pytest.mark.parametrize("vendor", ["openai", "xai"])
async def test_openais_own_accumulator_reads_the_same(vendor):
    for played in await play(vendor):
        async with (
            serving(played.stream) as url,
            openai.AsyncOpenAI(api_key="x", base_url=url) as client,
            client.responses.stream(model="m", input="x") as stream,
        ):
            final = await stream.get_final_response()
        assert final.output_text == played.outcome.full_text
        calls = [
            (item.name, json.loads(item.arguments))
            for item in final.output
            if item.type == "function_call"
        ]
        assert calls == summary_of(played.outcome)
        assert final.usage is not None
        assert played.outcome.usage is not None
        assert played.outcome.usage.output_tokens == final.usage.output_tokens


async def test_googles_own_client_reads_the_same():
    for played in await play("gemini"):
        async with serving(played.stream) as url:
            parts = await _googles_parts(url)
        texts = [part.text for part in parts if part.text and not part.thought]
        assert "".join(texts) == played.outcome.full_text
        calls = [
            (part.function_call.name, part.function_call.args)
            for part in parts
            if part.function_call
        ]
        assert calls == summary_of(played.outcome)


async def _googles_parts(url: str) -> list[gemini.Part]:
    client = genai.Client(api_key="x", http_options=gemini.HttpOptions(base_url=url))
    stream = await client.aio.models.generate_content_stream(model="m", contents="x")
    candidates = [one async for chunk in stream for one in chunk.candidates or ()]
    await client.aio.aclose()
    contents = [candidate.content for candidate in candidates]
    return [part for content in contents if content for part in content.parts or ()]
