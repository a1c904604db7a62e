"""One script, a vendor's name in it or that of a server of one's own.

The server is a program from npm that speaks the vendors' languages; nobody here wrote
it. It plays the conversation in ``model_server/conversation.json``, and refuses what
it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from model_server import KEY, ModelServer, install, running

import aistream_nb as ai
from aistream_nb.chat.ids import counted_ids
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.errors import ProviderStatusError, ProviderStreamError
from aistream_nb.providers.retry import RetryPolicy
from aistream_nb.testing import replay
from aistream_nb.tools.travel import offline_tools

pytestmark = [pytest.mark.interop, pytest.mark.timeout(150)]

QUESTION = "Should we take the ferry to Hvar?"
VENDORS = ("anthropic:claude-sonnet-5", "openai", "xai")
OWN = ("openai-compat:qwen3", "vllm:qwen3", "ollama:qwen3", "llama-cpp:qwen3")
OTHERS = ("lm-studio:qwen3", "groq", "mistral")


@pytest.fixture(scope="module")
def server(pytestconfig: pytest.Config) -> Iterator[ModelServer]:
    program = install(pytestconfig.cache.mkdir("model_server"))
    with running(program) as started:
        yield started


def chat_with(target: str, server: ModelServer, **options: Any) -> ai.Chat:
    """The script: all that differs between the agents is the first argument."""
    options = {"endpoint": f"{server.url}/v1", "api_key": KEY, **options}
    return ai.Chat(target, tools=offline_tools(), ids=counted_ids("t"), **options)


@pytest.mark.parametrize("target", [*VENDORS, *OWN, *OTHERS])
async def test_one_script_talks_to_a_vendor_and_to_a_server_of_ones_own(
    target: str, server: ModelServer
):
    chat = chat_with(target, server)
    reply = await chat.send(QUESTION)
    again = await chat.send("And which ferry back?")
    await chat.aclose()

    calls = [(call.name, call.status) for call in reply.tool_calls.values()]
    assert calls == [("get_forecast", "complete"), ("list_departures", "complete")]
    assert reply.text == again.text == "Take the 08:30. 🛳️ Mind the bura."
    assert reply.messages[0].thinking == "Two look-ups decide it."
    assert reply.status == "finished"
    assert chat.violations == ()
    assert check_ordering(chat.recording.events).ok


@pytest.mark.parametrize("target", ["anthropic:claude-sonnet-5", "openai", OWN[0]])
async def test_arguments_stream_and_the_server_hears_what_became_of_the_calls(
    target: str, server: ModelServer
):
    before = len(server.requests())
    chat = chat_with(target, server)
    reply = await chat.send(QUESTION)
    await chat.aclose()

    events = chat.recording.events
    for call_id in reply.tool_calls:
        pieces = [
            event["delta"]
            for event in events
            if event["type"] == "TOOL_CALL_ARGS" and event["toolCallId"] == call_id
        ]
        assert len(pieces) > 3
    heard = server.requests()[before:]
    assert len(heard) == 2
    said = heard[-1]["body"]["messages"]
    results = [message for message in said if message["role"] == "tool"]
    assert [result["tool_call_id"] for result in results] == [*reply.tool_calls]


async def test_counts_come_with_a_stream_that_was_asked_for_them(server: ModelServer):
    chat = chat_with("vllm:qwen3", server)
    await chat.send(QUESTION)
    await chat.aclose()
    assert chat.conversation.usage["inputTokens"] > 0
    assert chat.conversation.usage["outputTokens"] > 0


@pytest.mark.parametrize("target", ["anthropic:claude-sonnet-5", OWN[0]])
async def test_the_reason_of_a_denial_reaches_the_server(
    target: str, server: ModelServer
):
    async def gate(request: Any) -> ai.Deny:
        return ai.Deny(reason="the dog is seasick")

    chat = chat_with(target, server, gate=gate)
    reply = await chat.send("Please book it.")
    await chat.aclose()

    assert [call.status for call in reply.tool_calls.values()] == ["denied"]
    assert reply.text == "Then I book nothing."


async def test_a_server_that_is_busy_is_asked_again_after_the_time_it_names(
    server: ModelServer,
):
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    chat = chat_with("vllm:qwen3", server, retry=RetryPolicy(sleep=sleep))
    reply = await chat.send("Are you busy?")
    await chat.aclose()

    assert reply.text == "Now I have time."
    assert waits == [3.0]


@pytest.mark.parametrize("target", ["anthropic:claude-sonnet-5", "openai", OWN[0]])
async def test_a_stream_that_breaks_off_is_an_error_and_what_came_is_kept(
    target: str, server: ModelServer
):
    chat = chat_with(target, server)
    with pytest.raises(ProviderStreamError):
        await chat.send("Please break off.")
    await chat.aclose()

    assert chat.conversation.status == "error"
    assert str(chat.conversation.messages[-1].text).startswith("This an")
    assert check_ordering(chat.recording.events).ok


@pytest.mark.parametrize("target", [*VENDORS, OWN[0]])
async def test_a_wrong_key_is_refused_and_told_without_the_key(
    target: str, server: ModelServer
):
    chat = chat_with(target, server, api_key="hunter2-wrong")
    with pytest.raises(ProviderStatusError, match="Invalid API key") as caught:
        await chat.send(QUESTION)
    await chat.aclose()

    assert caught.value.status_code == 401
    assert "hunter2-wrong" not in str(caught.value)


async def test_what_was_recorded_with_the_server_is_played_again_without_it(
    server: ModelServer,
):
    chat = chat_with("vllm:qwen3", server)
    await chat.send(QUESTION)
    await chat.aclose()
    again = replay(chat.recording, tools=offline_tools())
    assert str(again.diff) == "no difference"
