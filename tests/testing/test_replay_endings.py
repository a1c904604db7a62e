"""Runs that did not simply finish: stopped, cut off, failed, asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal

import pytest

import aistream_nb as ai
from aistream_nb.conversation import Change
from aistream_nb.core.tool_spec import GateRequest
from aistream_nb.gate import Asked, GateEvent
from aistream_nb.providers.offline import (
    OFFLINE_BOOKING_PROMPT,
    OFFLINE_PROMPT,
    Fault,
)
from aistream_nb.providers.retry import RetryPolicy
from aistream_nb.recording import Recording
from aistream_nb.recording.writing import encode_recording
from aistream_nb.testing import replay
from aistream_nb.tools.travel import offline_tools

HOLDS = "recording holds: no difference"


async def no_wait(_seconds: float) -> None:
    await asyncio.sleep(0)


def stop_when(chat: ai.Chat, due: Callable[[dict[str, Any]], bool]) -> None:
    def look(_change: Change) -> None:
        if due(dict(chat.recording.events[-1])):
            chat.stop()

    chat.conversation.subscribe(look)


async def stopped(due: Callable[[dict[str, Any]], bool], **options: Any) -> Recording:
    chat = ai.Chat("offline", pace=0, **options)
    stop_when(chat, due)
    await chat.send(OFFLINE_BOOKING_PROMPT)
    assert chat.conversation.status == "aborted"
    return chat.recording


async def test_a_run_that_was_stopped_while_it_wrote_stops_at_the_same_place():
    seen: list[str] = []

    def due(event: dict[str, Any]) -> bool:
        seen.append(str(event["type"]))
        return seen.count("TOOL_CALL_ARGS") == 3

    recording = await stopped(due)

    assert str(replay(recording, tools=offline_tools())) == HOLDS


@pytest.mark.parametrize("by_policy", [False, True])
async def test_a_run_that_was_stopped_at_a_question_stops_there(by_policy: bool):  # noqa: FBT001
    asked = asyncio.Event()

    async def wait(_request: GateRequest) -> Literal["ask"]:
        asked.set()
        await asyncio.Event().wait()
        return "ask"

    gate = ai.ApprovalGate(ask=wait) if by_policy else ai.ApprovalGate()
    chat = ai.Chat("offline", pace=0, gate=gate)

    def person(event: GateEvent) -> None:
        if isinstance(event, Asked):
            chat.stop()

    gate.subscribe(person)
    run = chat.start(OFFLINE_BOOKING_PROMPT)
    if by_policy:
        await asked.wait()
        chat.stop()
    await run
    assert chat.conversation.status == "aborted"

    assert str(replay(chat.recording, tools=offline_tools())) == HOLDS
    again = replay(chat.recording, tools=offline_tools(), gate=ai.ApprovalGate())
    assert again.recording.events[-1]["outcome"] == {"type": "cancelled"}


async def test_a_run_that_was_stopped_while_a_tool_worked_runs_it_no_further():
    done: list[str] = []
    chats: list[ai.Chat] = []

    @ai.tool(name="get_forecast", read_only=True)
    async def slow(place: str, date: str) -> str:
        """Work for long."""
        chats[0].stop()
        await asyncio.sleep(60)
        return "never"

    @ai.tool(name="get_forecast", read_only=True)
    async def of_today(place: str, date: str) -> str:
        """Work for long."""
        done.append("ran")
        return "now"

    chat = ai.Chat("offline", pace=0, tools=[slow, *offline_tools()[1:]])
    chats.append(chat)
    await chat.send(OFFLINE_PROMPT)

    run = replay(chat.recording, tools=[of_today, *offline_tools()[1:]])

    assert str(run) == HOLDS
    assert done == []


@pytest.mark.parametrize("after", [3, 17, 30, 45])
async def test_a_recording_that_was_cut_off_holds_up_to_its_last_event(after: int):
    chat = ai.Chat("offline", pace=0)
    await chat.send(OFFLINE_PROMPT)
    text = encode_recording(chat.recording, "jsonl").splitlines(keepends=True)
    torn = Recording.read("".join(text[: after + 1]).encode() + b'{"t":9,"ev')

    run = replay(torn, tools=offline_tools())

    assert run.differences == ()
    assert not run.diff


@pytest.mark.parametrize(
    "fault",
    [
        Fault(kind="status", status=529, retry_after=2),
        Fault(kind="status", status=400),
        Fault(kind="cut", after=25),
    ],
    ids=lambda fault: f"{fault.kind} {fault.status}",
)
async def test_what_failed_fails_again(fault: Fault):
    retry = RetryPolicy(sleep=no_wait)
    chat = ai.Chat("offline", pace=0, faults=[fault], retry=retry)
    try:
        await chat.send(OFFLINE_PROMPT)
    except ai.AIStreamError:
        assert chat.recording.ending == "failed"

    run = replay(chat.recording, tools=offline_tools())

    assert str(run) == HOLDS


async def test_a_question_that_was_asked_anew_is_replayed_with_the_cut():
    chat = ai.Chat("offline", pace=0)
    await chat.send(OFFLINE_PROMPT)
    await chat.edit(chat.conversation.messages[0].id, OFFLINE_BOOKING_PROMPT)

    run = replay(chat.recording, tools=offline_tools())

    assert str(run) == HOLDS
    assert run.outline[0] == {"user": OFFLINE_BOOKING_PROMPT}


async def test_two_replays_are_the_same_to_the_byte():
    chat = ai.Chat("offline", pace=0)
    await chat.send(OFFLINE_BOOKING_PROMPT)

    one, other = (replay(chat.recording, tools=offline_tools()) for _ in range(2))

    assert encode_recording(one.recording, "jsonl") == encode_recording(
        other.recording, "jsonl"
    )
