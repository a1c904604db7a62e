from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from aistream_nb.core.tool_spec import ClientTool, Decision, Deny, GateRequest, Proceed
from aistream_nb.core.turn_events import ThinkingDelta, ToolCallResult
from aistream_nb.errors import ProviderStatusError, ProviderStreamError
from aistream_nb.http import HttpClient, HttpRequest
from aistream_nb.providers.offline import (
    OFFLINE_BOOKING_PROMPT,
    OFFLINE_KEY,
    OFFLINE_PROMPT,
    OFFLINE_SYSTEM,
    Fault,
    OfflineServer,
    answer_frames,
    offline_transport,
)
from aistream_nb.providers.offline_pieces import recorded_frames
from aistream_nb.providers.retry import RetryPolicy
from aistream_nb.providers.turn import execute_client_tool_turn
from aistream_nb.tools.travel import offline_tools

VENDORS = ("anthropic", "openai", "xai", "gemini")
URLS = {
    "anthropic": "https://api.anthropic.com/v1/messages",
    "openai": "https://api.openai.com/v1/responses",
    "xai": "https://api.x.ai/v1/responses",
    "gemini": "https://g/v1beta/models/gemini-x:streamGenerateContent?alt=sse",
}


@dataclass
class Run:
    """What a whole run with the embedded agent gave."""

    texts: list[str] = field(default_factory=list[str])
    results: list[ToolCallResult] = field(default_factory=list[ToolCallResult])
    thought: bool = False


async def run(
    vendor: str,
    prompt: str = OFFLINE_PROMPT,
    *,
    gate: Any = None,
    tools: Sequence[ClientTool] | None = None,
    faults: Sequence[Fault | None] = (),
) -> Run:
    done, tail = Run(), ()
    transport = offline_transport(pace=0, faults=faults)
    async with HttpClient(transport=transport) as client:
        for _ in range(5):
            turn = execute_client_tool_turn(
                provider=vendor,
                system=OFFLINE_SYSTEM,
                messages=[{"role": "user", "content": prompt}],
                client_tools=offline_tools() if tools is None else tools,
                on_before_tool_execute=gate,
                continuation_messages=tail,
                client=client,
                api_key=OFFLINE_KEY,
                retry=RetryPolicy(first_delay=0),
            )
            async for event in turn.events:
                done.thought |= isinstance(event, ThinkingDelta)
                if isinstance(event, ToolCallResult):
                    done.results.append(event)
            outcome = await turn.next_turn
            done.texts.append(outcome.full_text)
            if outcome.continuation is None:
                return done
            tail = outcome.continuation.messages
    raise AssertionError("the agent never came to an end")


def decide(tool: str, decision: Decision) -> Any:
    async def gate(request: GateRequest) -> Decision:
        return decision if request.tool.name == tool else Proceed()

    return gate


@pytest.mark.parametrize("vendor", VENDORS)
async def test_the_recorded_conversation_is_played_through_the_real_road(vendor):
    done = await run(vendor, tools=offline_tools()[:2])
    assert done.thought
    assert [one.tool_name for one in done.results] == [
        "get_forecast",
        "list_departures",
    ]
    assert done.texts[-1].startswith("Take the ferry. 🛳️\n\n**Why**")


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_booking_runs_when_it_may(vendor):
    done = await run(vendor, OFFLINE_BOOKING_PROMPT)
    assert [one.is_error for one in done.results] == [False, False, False]
    assert "Your reference is **HV-0830**." in done.texts[-1]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_the_reason_of_a_denial_reaches_the_answer(vendor):
    gate = decide("book_ferry", Deny(reason="the dog is seasick"))
    done = await run(vendor, OFFLINE_BOOKING_PROMPT, gate=gate)
    assert done.results[-1].is_error
    assert "“the dog is seasick”" in done.texts[-1]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_edited_arguments_reach_the_answer(vendor):
    edited = {
        "route": "Split–Stari Grad",  # noqa: RUF001 the story's spelling
        "date": "2026-12-06",
        "departure": "14:30",
        "adults": 2,
        "pets": 1,
    }
    gate = decide("book_ferry", Proceed(arguments=edited))
    done = await run(vendor, OFFLINE_BOOKING_PROMPT, gate=gate)
    assert "HV-1430" in done.texts[-1]
    assert "departure is 14:30 instead of 08:30" in done.texts[-1]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_failing_tool_reaches_the_answer(vendor):
    edited = {"route": "r", "date": "d", "departure": "20:00", "pets": 1}
    gate = decide("book_ferry", Proceed(arguments=edited))
    done = await run(vendor, OFFLINE_BOOKING_PROMPT, gate=gate)
    assert "did not go through: the 20:00 takes no pets" in done.texts[-1]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_without_tools_there_is_an_answer_too(vendor):
    done = await run(vendor, "Hello", tools=[])
    assert "embedded agent" in done.texts[0]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_busy_server_is_asked_again(vendor):
    done = await run(vendor, faults=[Fault(kind="status", retry_after=0), None])
    assert len(done.results) == 2


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_stream_that_breaks_off_fails_the_turn(vendor):
    with pytest.raises(ProviderStreamError):
        await run(vendor, faults=[Fault(kind="cut", after=3)])


async def read(server: OfflineServer, vendor: str, body: object) -> bytes:
    request = HttpRequest(url=URLS[vendor], body=json.dumps(body).encode())
    answer = await server(request)
    return b"".join([piece async for piece in answer.chunks])


BODIES: dict[str, Any] = {
    "anthropic": {"messages": [{"role": "user", "content": "hi"}]},
    "openai": {"input": [{"role": "user", "content": "hi"}]},
    "xai": {"input": [{"role": "user", "content": "hi"}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
}


@pytest.mark.parametrize("vendor", VENDORS)
async def test_the_pace_is_the_sleepers(vendor):
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    whole = await read(OfflineServer(sleep=sleep, pace=2), vendor, BODIES[vendor])
    assert waits[0] == 0.5
    assert 0 < max(waits) <= 0.8
    assert 1 < sum(waits) < 20

    waits.clear()
    assert (
        await read(OfflineServer(sleep=sleep, pace=0), vendor, BODIES[vendor]) == whole
    )
    assert waits == []


@pytest.mark.parametrize(
    ("url", "body", "words"),
    [
        ("https://x/v1/nothing", b"{}", "nothing at /v1/nothing"),
        ("https://x", b"{}", "nothing at /"),
        (URLS["anthropic"], b"[]", "is an object"),
        (URLS["anthropic"], b"{", "Expecting"),
        (URLS["openai"], b"{}", "has no 'input'"),
    ],
)
async def test_what_cannot_be_understood_gets_an_error(url, body, words):
    answer = await OfflineServer(pace=0)(HttpRequest(url=url, body=body))
    said = json.loads(b"".join([piece async for piece in answer.chunks]))
    assert answer.status == 400
    assert words in said["error"]["message"]


async def test_a_fault_has_a_status_and_a_time_to_wait():
    async with HttpClient(
        transport=offline_transport(faults=[Fault(kind="status", retry_after=2.5)])
    ) as client:
        with pytest.raises(ProviderStatusError) as caught:
            await client.open(HttpRequest(url=URLS["anthropic"], body=b"{}"))
    assert (caught.value.status_code, caught.value.retry_after) == (529, 2.5)


def test_grok_is_known_by_its_model_too():
    body = {**BODIES["xai"], "model": "grok-4.3"}
    frames = answer_frames("http://127.0.0.1:1/v1/responses", json.dumps(body).encode())
    assert b"obfuscation" not in b"".join(frames)


def test_a_pace_cannot_be_negative():
    with pytest.raises(ValueError, match="cannot be negative"):
        OfflineServer(pace=-1)


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_streams_are_the_recorded_ones(vendor):
    names = ("get_forecast", "list_departures")
    tools: dict[str, Any] = {
        "anthropic": [{"name": name, "input_schema": {}} for name in names],
        "gemini": [{"function_declarations": [{"name": name} for name in names]}],
    }
    body = {
        **BODIES[vendor],
        "tools": tools.get(vendor, [{"name": name} for name in names]),
    }
    frames = answer_frames(URLS[vendor], json.dumps(body).encode())
    assert frames == recorded_frames(vendor, "turn-1")
