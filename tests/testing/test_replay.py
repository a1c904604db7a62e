from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import aistream_nb as ai
from aistream_nb.errors import RecordingError
from aistream_nb.providers.offline import (
    OFFLINE_BOOKING_PROMPT,
    OFFLINE_PROMPT,
    Fault,
)
from aistream_nb.recording import Recording
from aistream_nb.testing import replay
from aistream_nb.testing.replay import compared
from aistream_nb.tools.travel import offline_tools


async def recorded(vendor: str = "anthropic", *prompts: str) -> Recording:
    chat = ai.Chat(f"offline:{vendor}", pace=0)
    for prompt in prompts or (OFFLINE_PROMPT, OFFLINE_BOOKING_PROMPT):
        await chat.send(prompt)
    return chat.recording


def changed_forecast() -> ai.Tool[..., Any]:
    @ai.tool(read_only=True)
    def get_forecast(place: str, date: str) -> str:
        """Forecast."""
        return "storm"

    return get_forecast


@pytest.mark.parametrize("vendor", ["anthropic", "openai", "gemini", "xai"])
async def test_the_same_tools_come_to_the_same(vendor: str, tmp_path: Path):
    path = (await recorded(vendor)).save(tmp_path / "run.jsonl")

    run = replay(path, tools=offline_tools())

    assert str(run.diff) == "no difference"
    assert run.check() is run
    assert run.violations == ()
    assert run.messages[-1].text.startswith("I booked nothing.")
    assert [(call.name, call.status) for call in run.invocations] == [
        ("get_forecast", "complete"),
        ("list_departures", "complete"),
        ("book_ferry", "denied"),
    ]


async def test_a_tool_that_changed_is_named_in_the_difference():
    tools = [changed_forecast(), *offline_tools()[1:]]
    run = replay(await recorded("anthropic", OFFLINE_PROMPT), tools=tools)

    assert "storm" in str(run.diff)
    with pytest.raises(AssertionError, match="went differently"):
        run.check()


async def test_a_gate_of_today_decides_instead_of_the_recorded_one():
    gate = ai.ApprovalGate(ask="never")

    run = replay(await recorded(), tools=offline_tools(), gate=gate)

    assert run.invocations[-1].status == "complete"
    assert run.diff


async def test_a_run_that_failed_fails_again():
    chat = ai.Chat("offline", pace=0, faults=[Fault(kind="cut", after=25)])
    with pytest.raises(ai.AIStreamError):
        await chat.send(OFFLINE_PROMPT)

    run = replay(chat.recording, tools=offline_tools())

    assert run.recording.events[-1]["type"] == "RUN_ERROR"


def test_events_without_streams_are_folded_and_nothing_runs():
    events = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"},
    ]

    run = replay(Recording.of(events))

    assert run.messages[0].text == "x"
    assert run.violations[0].rule == "text.content_unopened"
    assert not run.diff


async def test_a_recording_that_names_no_provider_says_so():
    recording = await recorded("anthropic", OFFLINE_PROMPT)
    recording.describe(provider=None)

    with pytest.raises(RecordingError, match='needs "provider"'):
        replay(recording)


async def test_tools_that_are_not_given_are_one_difference():
    run = replay(await recorded(), tools=offline_tools()[:1])

    assert run.differences == ("not given: list_departures, book_ferry",)
    assert not run.diff
    with pytest.raises(AssertionError, match="not given: list_departures"):
        run.check()


async def test_what_is_cut_off_is_told_in_each_form():
    whole = await recorded("anthropic", OFFLINE_PROMPT)
    torn = Recording.of(whole.events[:9])

    run = replay(torn)

    head, *missing = str(run).splitlines()
    assert head == "recording holds: no difference"
    assert "cut off after event 9" in missing[0]
    assert "events only" in missing[1]
    assert run._repr_html_().count("<br>Not compared: ") == 2
    differs = compared(torn, torn, also=["one thing"])
    assert "cut off after event 9" in differs._repr_html_().partition("<ul>")[0]


async def test_differences_are_shown_in_a_notebook_too():
    recording = await recorded("anthropic", OFFLINE_PROMPT)

    run = replay(recording, tools=[changed_forecast(), *offline_tools()[1:]])
    shown = run._repr_html_()

    assert "<li" in shown
    assert "get_forecast" in shown
    assert "<details><summary>Event by event</summary>" in shown
    same = replay(recording, tools=offline_tools())
    assert same._repr_html_() == "<p>recording holds: no difference</p>"
    known = compared(same.recording, same.recording, also=["<b> differs"])
    assert "&lt;b&gt;" in known._repr_html_()


def test_a_wire_without_events_asks_nothing():
    recording = Recording(clock=lambda: 0.0, header={"provider": "anthropic"})
    recording.append({"type": "CUSTOM", "name": "x", "value": 1})
    recording.append_wire(1, content=b"data: {}")

    assert replay(recording).messages == ()
