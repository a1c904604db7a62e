"""A saved conversation is gone on with, and nothing of it happens a second time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from chat_kit import Agent, offline, somebody, until
from restore_kit import Counted, allow, history_of, no_call_is_open

import aistream_nb as ai
from aistream_nb.chat.ids import counted_ids
from aistream_nb.errors import AIStreamError, RecordingError
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT
from aistream_nb.testing import replay
from aistream_nb.tools.travel import offline_tools

VENDORS = ["anthropic", "openai", "xai", "gemini", "ollama"]


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


async def test_results_are_cut_as_they_were_when_a_chat_goes_on_or_is_replayed():
    tools = offline_tools()
    chat = ai.Chat("offline", pace=0, tools=tools, gate=allow, max_result_chars=20)
    await chat.send(OFFLINE_PROMPT)

    again = ai.Chat.restore(chat.recording, pace=0, tools=tools, gate=allow)
    await again.retry()

    results = [call.result for call in again.conversation.tool_calls.values()]
    assert results
    assert all("max_result_chars" in str(result) for result in results)
    assert replay(chat.recording, tools=tools).check()


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


# ---------------------------------------------------------------- a kernel that died


def killed_behind(recording: ai.Recording, what: str) -> ai.Recording:
    """What is left if the kernel died behind the first entry of a kind."""
    for at, entry in enumerate(recording.entries):
        event = entry.event or {}
        if what in {event.get("type"), event.get("name")}:
            return torn(recording, at + 1)
    raise AssertionError(what)


async def asked_and_killed(vendor: str, what: str, counted: Counted) -> ai.Recording:
    gate = ai.ApprovalGate(ids=lambda: "approval_1")
    chat = ai.Chat(f"offline:{vendor}", pace=0, tools=counted.tools, gate=gate)
    chat._view.audience = somebody  # a person watches
    run = chat.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(chat.waiting))
    chat.approve()
    await run
    return killed_behind(chat.recording, what)


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize(
    ("what", "is_known"),
    [
        ("TEXT_MESSAGE_CONTENT", ""),
        ("TOOL_CALL_ARGS", ""),
        ("aistream:asked", "not run: the run ended before this call was answered"),
        ("aistream:executing", "the run ended while it ran"),
    ],
)
async def test_a_run_that_a_kill_tore_is_gone_on_with_and_can_be_replayed(
    vendor: str, what: str, is_known: str
):
    counted = Counted()
    left = await asked_and_killed(vendor, what, counted)
    ran = Counter(counted.ran)

    again = ai.Chat.restore(left, pace=0, tools=counted.tools, gate=allow)

    assert again.conversation.status == "aborted"
    assert not again.waiting
    assert is_known in repr(history_of(again)[1])
    assert counted.ran == ran
    reply = await again.send("And on Sunday?")
    assert reply.status == "finished"
    assert again.violations == ()
    outcome = replay(again.recording, tools=offline_tools())
    assert outcome.check()
    later = ai.Chat.restore(again.recording, pace=0, tools=counted.tools, gate=allow)
    assert history_of(later) == history_of(again)


async def test_a_call_that_waited_for_a_person_waits_no_more_and_does_not_run():
    counted = Counted()
    left = await asked_and_killed("anthropic", "aistream:asked", counted)
    counted.ran.clear()

    gate = ai.ApprovalGate()
    again = ai.Chat.restore(left, pace=0, tools=counted.tools, gate=gate)
    (booking,) = [
        c for c in again.conversation.tool_calls.values() if c.name == "book_ferry"
    ]

    assert booking.status == "aborted"
    assert again.approve() == "No call waits."
    assert not counted.ran


async def test_a_new_question_takes_no_id_of_an_old_one():
    counted = Counted()
    left = await asked_and_killed("anthropic", "aistream:asked", counted)
    gate = ai.ApprovalGate()
    again = ai.Chat.restore(left, pace=0, tools=counted.tools, gate=gate)
    again._view.audience = somebody  # a person watches

    run = again.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(again.waiting))

    assert again.waiting[0].approval_id == "approval_2"
    assert again.deny(reason="no") == "decided"
    await run
    ids = [m.id for m in again.conversation.messages]
    assert len(ids) == len(set(ids))
    runs = [e["runId"] for e in again.recording.events if e["type"] == "RUN_STARTED"]
    assert runs == ["run_1", "run_2"]
    assert {e.get("threadId") for e in again.recording.events} == {
        left.events[0]["threadId"],
        None,
    }


# ---------------------------------------------------------------- another agent


@pytest.mark.parametrize("vendor", VENDORS)
async def test_another_provider_goes_on_and_is_told_the_calls_in_its_own_words(
    vendor: str,
):
    counted = Counted()
    chat = live("gemini" if vendor == "anthropic" else "anthropic", counted)
    await chat.send(OFFLINE_BOOKING_PROMPT)
    ran = Counter(counted.ran)

    again = ai.Chat.restore(
        chat.recording,
        agent=f"offline:{vendor}",
        pace=0,
        tools=counted.tools,
        gate=allow,
    )

    assert counted.ran == ran
    told = repr(history_of(again)[1])
    assert "book_ferry" in told
    assert "signature" not in told.lower()
    assert no_call_is_open(again)
    reply = await again.send(OFFLINE_PROMPT)
    assert reply.status == "finished"
    with pytest.raises(RecordingError, match=r"two agents.*offline:"):
        replay(again.recording, tools=offline_tools())
    later = ai.Chat.restore(again.recording, pace=0, tools=counted.tools, gate=allow)
    assert history_of(later) == history_of(again)


async def test_bare_events_are_gone_on_with_by_whoever_is_named():
    ids = {"threadId": "t", "runId": "r"}
    question = [{"type": "text", "text": "Hi"}]
    system = {"id": "s", "role": "system", "content": "Be brief."}
    said = {"messages": [system, {"id": "q", "role": "user", "content": question}]}
    recording = ai.Recording.of(
        [
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": "hello", "delta": "Welcome!"},
            {"type": "RUN_STARTED", **ids, "input": {**ids, **said}},
            {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "look"},
            {"type": "TEXT_MESSAGE_START", "messageId": "e", "role": "assistant"},
            {"type": "TEXT_MESSAGE_END", "messageId": "e"},
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Hello."},
            {"type": "RUN_FINISHED", **ids},
        ]
    )

    with pytest.raises(AIStreamError, match="does not say who the agent was"):
        ai.Chat.restore(recording)
    again = ai.Chat.restore(recording, agent="offline", pace=0)

    first, tail, _ = history_of(again)
    assert first == "Hi"
    assert "not run: the run ended before this call was answered" in repr(tail)
    assert tail[-1] == {"role": "assistant", "content": "Hello."}
    assert (await again.send("And?")).status == "finished"


async def test_an_empty_recording_is_a_chat_that_begins():
    again = ai.Chat.restore(ai.Recording.of([]), agent="offline", pace=0)

    assert (await again.send(OFFLINE_PROMPT)).status == "finished"


def test_an_agent_that_cannot_take_up_a_conversation_says_so(tmp_path: Path):
    with pytest.raises(AIStreamError, match="cannot take up a saved conversation"):
        ai.Chat.restore(ai.Recording.of([]), agent=Agent())
    with pytest.raises(RecordingError, match="cannot be read"):
        ai.Chat.restore(tmp_path / "nothing.jsonl")


async def test_a_strict_chat_does_not_end_for_what_was_saved():
    left = await asked_and_killed("anthropic", "TOOL_CALL_ARGS", Counted())

    again = ai.Chat.restore(left, pace=0, strict=True)

    assert (await again.send(OFFLINE_PROMPT)).status == "finished"


async def test_an_earlier_question_can_be_asked_anew_in_a_restored_chat():
    chat = offline()
    await chat.send(OFFLINE_PROMPT)
    await chat.send("And on Sunday?")
    again = ai.Chat.restore(chat.recording, pace=0)

    first = again.conversation.messages[0]
    await again.edit(first.id, OFFLINE_PROMPT)

    assert [m.role for m in again.conversation.messages].count("user") == 1


# ---------------------------------------------------------------- files


async def test_a_file_whose_last_line_is_torn_is_gone_on_with(tmp_path: Path):
    counted = Counted()
    chat = live("anthropic", counted)
    path = tmp_path / "growing.jsonl"
    chat.recording.record_to(path)
    await chat.send(OFFLINE_BOOKING_PROMPT)
    chat.recording.close()
    whole = path.read_bytes()
    ran = Counter(counted.ran)

    for part in range(1, 8):
        left = tmp_path / f"left_{part}.jsonl"
        left.write_bytes(whole[: len(whole) * part // 8])
        again = ai.Chat.restore(left, pace=0, tools=counted.tools, gate=allow)

        assert again.conversation.status == "aborted"
        assert no_call_is_open(again)
        assert left.read_bytes() == whole[: len(whole) * part // 8]
    assert counted.ran == ran


async def test_a_restored_chat_can_go_on_in_the_same_file(tmp_path: Path):
    chat = offline()
    path = chat.recording.save(tmp_path / "chat.jsonl")
    chat.recording.record_to(path)
    await chat.send(OFFLINE_PROMPT)
    chat.recording.close()

    again = ai.Chat.restore(path, pace=0)
    again.recording.record_to(path)
    await again.send("And on Sunday?")
    again.recording.close()

    later = ai.Chat.restore(path, pace=0)
    assert history_of(later) == history_of(again)
    assert replay(path, tools=offline_tools()).check()
