"""A saved conversation is gone on with, and nothing of it happens a second time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chat_kit import Agent, offline, somebody, until

import aistream_nb as ai
from aistream_nb.chat.ids import counted_ids
from aistream_nb.chat.provider_agent import ProviderAgent
from aistream_nb.core.tool_spec import Decision, GateRequest, Proceed
from aistream_nb.errors import AIStreamError, RecordingError
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT
from aistream_nb.testing import replay
from aistream_nb.tools.travel import offline_tools

VENDORS = ["anthropic", "openai", "xai", "gemini", "ollama"]


class Counted:
    """The tools of the offline agent; how often each ran is counted."""

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()

    @property
    def tools(self) -> list[Any]:
        return [_Counting(tool, self.ran) for tool in offline_tools()]


class _Counting:
    def __init__(self, tool: Any, ran: Counter[str]) -> None:
        self._tool = tool
        self._ran = ran

    @property
    def spec(self) -> Any:
        return self._tool.spec

    def validate(self, arguments: Any) -> Any:
        return self._tool.validate(arguments)

    async def execute(self, arguments: Any) -> Any:
        self._ran[self.spec.name] += 1
        return await self._tool.execute(arguments)


async def allow(_request: GateRequest) -> Decision:
    return Proceed()


def history_of(chat: ai.Chat) -> Any:
    agent = chat._agent
    assert isinstance(agent, ProviderAgent)
    return agent._first, agent._history, agent._before


def live(vendor: str, counted: Counted) -> ai.Chat:
    return ai.Chat(
        f"offline:{vendor}",
        pace=0,
        tools=counted.tools,
        gate=allow,
        ids=counted_ids("t"),
    )


def torn(recording: ai.Recording, at: int) -> ai.Recording:
    """What would be left if the kernel had been killed behind an entry."""
    copy = ai.Recording(clock=lambda: 0.0, header=recording.header)
    for entry in recording.entries[:at]:
        if entry.event is not None:
            copy.append(entry.event)
        else:
            copy._add(entry)
    return copy


# ---------------------------------------------------------------- the same history


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_restored_chat_knows_what_the_first_one_knew_to_the_signature(
    vendor: str, tmp_path: Path
):
    counted = Counted()
    chat = live(vendor, counted)
    await chat.send(OFFLINE_BOOKING_PROMPT)
    await chat.send(OFFLINE_PROMPT)
    await chat.retry()
    ran = Counter(counted.ran)

    again = ai.Chat.restore(
        chat.recording.save(tmp_path / "saved.jsonl"),
        pace=0,
        tools=counted.tools,
        gate=allow,
    )

    assert history_of(again) == history_of(chat)
    assert counted.ran == ran
    assert [m.text for m in again.conversation.messages] == [
        m.text for m in chat.conversation.messages
    ]
    assert again.conversation.status == "finished"
    assert again.violations == chat.violations
    reply = await again.send("And on Sunday?")
    assert reply.status == "finished"
    assert replay(again.recording, tools=offline_tools()).check()


def structural_places(recording: ai.Recording) -> list[int]:
    """Where a kernel may be killed, one place for each kind of thing that goes on."""
    places: dict[tuple[str, str], int] = {}
    seen: Counter[str] = Counter()
    for at, entry in enumerate(recording.entries):
        event = entry.event or {}
        kind = str(event.get("name") or event.get("type") or "wire")
        if kind in {"RUN_STARTED", "TOOL_CALL_START"}:
            seen[kind] += 1
        places.setdefault((kind, str(seen)), at + 1)
    return list(places.values())


@pytest.mark.parametrize("vendor", VENDORS)
async def test_wherever_a_kernel_was_killed_the_conversation_goes_on(vendor: str):
    counted = Counted()
    chat = live(vendor, counted)
    await chat.send(OFFLINE_BOOKING_PROMPT)
    ran = Counter(counted.ran)

    for at in structural_places(chat.recording):
        left = torn(chat.recording, at)
        again = ai.Chat.restore(left, pace=0, tools=counted.tools, gate=allow)

        statuses = {c.status for c in again.conversation.tool_calls.values()}
        assert again.conversation.status in {"aborted", "finished"}
        assert statuses <= {"complete", "aborted"}
        assert again.violations == ()
        assert again.recording.events[: len(left)] == left.events
        assert no_call_is_open(again)
    assert counted.ran == ran


def no_call_is_open(chat: ai.Chat) -> bool:
    """Whether a provider would take the history: each call has its result."""
    told = repr(history_of(chat)[1])
    pairs = {
        ("'type': 'tool_use'", "'type': 'tool_result'"),
        ("'type': 'function_call'", "'type': 'function_call_output'"),
        ("'functionCall'", "'functionResponse'"),
        ("'type': 'function'", "'role': 'tool'"),
    }
    return all(told.count(call) == told.count(answer) for call, answer in pairs)
