"""A relay that speaks turn events."""

from __future__ import annotations

from typing import Any

import pytest
from turn_kit import Server, sse, translate

from aistream_nb.core.turn_events import ServerToolEvent, TextDelta, ThinkingDelta
from aistream_nb.providers.base import StreamFailure
from aistream_nb.providers.plain import call_proxied_completion_stream
from aistream_nb.providers.proxy import ProxyTranslator

DONE = {"type": "done", "truncated": True, "fullText": "all", "stopReason": "length"}


def read(*payloads: Any) -> tuple[ProxyTranslator, list[Any]]:
    translator = ProxyTranslator()
    return translator, translate(translator, sse(*payloads, named=False))


def test_turn_events_are_passed_on_and_those_of_client_tools_are_not():
    translator, items = read(
        {"type": "text-delta", "delta": "a"},
        {"type": "text-delta", "delta": ""},
        {"type": "thinking-delta", "delta": "b"},
        {"type": "thinking-delta"},
        {"type": "client-tool-call-start", "toolName": "x"},
        {"type": "tool-event", "toolType": "web_search", "phase": "started"},
        {"type": "tool-event", "toolType": "web_search", "phase": "odd"},
        {
            "type": "tool-event",
            "toolType": "web_search",
            "phase": "completed",
            "detail": "q",
        },
        DONE,
        {"type": "text-delta", "delta": "late"},
    )
    assert items == [
        TextDelta(delta="a"),
        ThinkingDelta(delta="b"),
        ServerToolEvent(tool_type="web_search", phase="started"),
        ServerToolEvent(tool_type="web_search", phase="completed", detail="q"),
    ]
    ending = translator.close()
    assert (ending.truncated, ending.stop_reason) == (True, "length")
    assert translator.full_text() == "all"
    assert translator.continuation([]) == []


def test_an_error_ends_the_stream():
    _, items = read({"type": "error", "message": "down"}, DONE)
    assert items == [StreamFailure(message="down")]
    assert read({"type": "error"})[1] == [StreamFailure(message="the relay failed")]


def test_a_stream_that_just_ends_is_broken():
    translator, _ = read({"type": "text-delta", "delta": "a"}, 7)
    assert "without a done or an error" in str(translator.close().error)
    assert translator.full_text() == "a"


@pytest.mark.parametrize("thinking", ["low", {"effort": "low"}])
async def test_a_relay_is_asked_in_its_own_words(thinking):
    server = Server(sse({"type": "text-delta", "delta": "a"}, DONE, named=False))
    seen: list[Any] = []
    image = {"mimeType": "image/png", "base64": "AA"}
    turn = await call_proxied_completion_stream(
        proxy_url="http://relay.example/base/",
        provider="groq",
        messages=[{"role": "user", "content": "Hi", "attachments": [image]}],
        model="llama",
        api_key="test-key",
        thinking=thinking,
        server_tools=["web_search"],
        client=server.client,
        on_request=lambda *watched: seen.append(watched),
    )
    assert (await turn.next_turn).full_text == "all"
    (request,) = server.requests
    assert request.url == "http://relay.example/base/api/ai/completion-stream"
    assert "authorization" not in request.headers
    assert server.bodies == [
        {
            "providerId": "groq",
            "apiKey": "test-key",
            "messages": [{"role": "user", "content": "Hi", "attachments": [image]}],
            "stream": True,
            "modelOverride": "llama",
            "tools": [{"type": "web_search"}],
            "thinking": {"effort": "low"},
        }
    ]
    assert "apiKey" not in seen[0][0]


async def test_a_relay_may_choose_everything_itself():
    server = Server(sse(DONE, named=False))
    await call_proxied_completion_stream(
        proxy_url="http://relay.example",
        provider="ollama",
        messages=[{"role": "user", "content": "Hi"}],
        client=server.client,
    )
    assert set(server.bodies[0]) == {"providerId", "apiKey", "messages", "stream"}
