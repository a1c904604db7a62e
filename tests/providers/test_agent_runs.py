"""Whole agent runs on the embedded streams of each vendor, against golden logs.

A log is one JSON line an event, deltas that follow each other joined. To write the
logs anew, run with ``AISTREAM_GOLDEN=write`` in the environment and read the diff.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from turn_kit import FakeTool

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.tool_spec import Deny, GateRequest, Proceed
from aistream_nb.errors import AIStreamError
from aistream_nb.http import HttpClient
from aistream_nb.providers import RetryPolicy, execute_client_tool_turn
from aistream_nb.providers.offline import (
    OFFLINE_PROMPT,
    OFFLINE_SYSTEM,
    Fault,
    offline_transport,
)
from aistream_nb.tools.travel import offline_tools

GOLDEN = Path(__file__).parent / "golden"
VENDORS = ["anthropic", "openai", "xai", "gemini", "vllm"]
JOINED = {"text-delta", "thinking-delta", "client-tool-args-delta"}
MOST_ROUNDS = 5


async def deny_departures(request: GateRequest) -> Proceed | Deny:
    if request.tool.name == "list_departures":
        return Deny(reason="not on a public line")
    return Proceed()


def no_forecast(_arguments: Any) -> None:
    raise RuntimeError("the station is offline")


def with_failing_forecast() -> list[Any]:
    forecast, departures = offline_tools()[:2]
    return [_Failing(forecast.spec.name, no_forecast, ("place", "date")), departures]


class _Failing(FakeTool):
    """Fails, whatever it is asked."""


SCENARIOS: dict[str, dict[str, Any]] = {
    "two calls in one round": {},
    "a deny": {"on_before_tool_execute": deny_departures},
    "a failing tool": {"client_tools": with_failing_forecast},
    "a cut stream": {"faults": [Fault(kind="cut", after=3)]},
    "a retry after 529": {"faults": [Fault(kind="status", status=529)]},
    "calls side by side": {"concurrent": True},
}


async def no_wait(seconds: float) -> None:
    del seconds


async def run(
    vendor: str, *, faults: Iterable[Fault] = (), **options: Any
) -> list[dict[str, Any]]:
    """The log of a conversation from its question to its end."""
    log: list[dict[str, Any]] = []
    make_tools = options.pop("client_tools", lambda: offline_tools()[:2])
    defaults: dict[str, Any] = {
        "messages": [{"role": "user", "content": OFFLINE_PROMPT}],
        "system": OFFLINE_SYSTEM,
        "model": "offline-model" if vendor == "vllm" else None,
        "thinking": {"effort": "low", "show": True},
        "api_key": "offline",
        "client": HttpClient(transport=offline_transport(pace=0, faults=faults)),
        "retry": RetryPolicy(sleep=no_wait),
        "on_retry": lambda error, attempt, _: log.append(
            {"type": "(retry)", "attempt": attempt, "status": error.status_code}
        ),
    }
    tail: Any = ()
    for number in range(MOST_ROUNDS):
        log.append({"type": "(round)", "number": number})
        turn = execute_client_tool_turn(
            provider=vendor,
            client_tools=make_tools(),
            continuation_messages=tail,
            **defaults,
            **options,
        )
        async for event in turn.events:
            _note(log, asdict(event))
        try:
            outcome = await turn.next_turn
        except AIStreamError as failure:
            return [*log, {"type": "(failed)", "kind": type(failure).__name__}]
        if outcome.continuation is None:
            return [*log, {"type": "(finished)"}]
        tail = outcome.continuation.messages
    return [*log, {"type": "(still not finished)"}]


def _note(log: list[dict[str, Any]], event: dict[str, Any]) -> None:
    last = log[-1]
    same = event["type"] == last["type"] and event.get("call_id") == last.get("call_id")
    if same and event["type"] in JOINED:
        last["delta"] += event["delta"]
    else:
        log.append(event)


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_whole_run_is_as_it_always_was(vendor):
    lines: list[str] = []
    for name, options in SCENARIOS.items():
        lines.append(f"# {name}")
        lines += map(encode_json, await run(vendor, **options))
    found = "\n".join(lines) + "\n"
    golden = GOLDEN / f"{vendor}.log"
    if os.environ.get("AISTREAM_GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        golden.write_text(found, "utf-8")
    assert found.split("\n") == golden.read_text("utf-8").split("\n")


@pytest.mark.parametrize("vendor", VENDORS)
async def test_every_run_has_what_makes_an_agent(vendor):
    log = await run(vendor)
    kinds = [event["type"] for event in log]
    assert kinds.count("client-tool-result") == 2
    assert kinds.count("(round)") == 2
    assert "thinking-delta" in kinds
    assert kinds[-2:] == ["done", "(finished)"]
    retried = await run(vendor, faults=[Fault(kind="status")])
    assert [event for event in retried if event["type"] != "(retry)"] == log
    cut = await run(vendor, faults=[Fault(kind="cut", after=2)])
    assert cut[-1] == {"type": "(failed)", "kind": "ProviderStreamError"}
