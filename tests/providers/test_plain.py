"""Rounds without client tools."""

from __future__ import annotations

from typing import Any

import pytest
from turn_kit import USER, Answer, Server, kinds, message, sse, text_block

from aistream_nb.errors import ProviderConnectionError, ProviderStatusError, TurnError
from aistream_nb.providers.plain import call_provider_completion_stream
from aistream_nb.providers.retry import NO_RETRY

CHAT = sse({"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]})


async def call(server: Server, provider: str = "openai", **options: Any) -> Any:
    defaults: dict[str, Any] = {
        "messages": USER,
        "api_key": "test-key",
        "model": "gpt-5.4-mini",
        "client": server.client,
        "retry": NO_RETRY,
    }
    return await call_provider_completion_stream(
        provider=provider, **{**defaults, **options}
    )


async def test_the_request_has_left_when_the_turn_is_there():
    server = Server(CHAT)
    turn = await call(server)
    assert len(server.requests) == 1
    assert kinds([event async for event in turn.events]) == ["text-delta", "done"]
    assert (await turn.next_turn).continuation is None


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({}, "/chat/completions"),
        ({"server_tools": ["web_search"]}, "/responses"),
        ({"model": "gpt-5.5-pro"}, "/responses"),
    ],
)
async def test_openai_is_asked_on_the_wire_that_fits(options, path):
    server = Server(b"")
    await call(server, **options)
    assert server.requests[0].url.endswith(path)


async def test_another_provider_keeps_its_wire():
    turn = await call(Server(message(*text_block(0, "Hi"))), "anthropic")
    assert (await turn.next_turn).full_text == "Hi"


@pytest.mark.parametrize("provider", ["anthropic", "openai", "xai"])
async def test_a_temperature_and_thinking_exclude_each_other(provider):
    with pytest.raises(TurnError, match="not compatible with temperature on provider"):
        await call(Server(), provider, thinking="low", temperature=1)


@pytest.mark.parametrize(
    ("provider", "thinking"), [("gemini", "low"), ("openai", "none"), ("groq", "low")]
)
async def test_a_temperature_is_sent_where_it_may_be(provider, thinking):
    server = Server(b"")
    await call(server, provider, thinking=thinking, temperature=1)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(status=500), ProviderStatusError),
        (Answer(refuses=OSError("x")), OSError),
    ],
)
async def test_a_failure_to_connect_is_raised(answer, kind):
    with pytest.raises(kind):
        await call(Server(answer))


async def test_a_refused_connection_is_raised(unused_tcp_port):
    server = Server()
    with pytest.raises(ProviderConnectionError):
        await call(server, client=None, endpoint=f"http://127.0.0.1:{unused_tcp_port}")
