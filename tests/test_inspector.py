"""Inspector: any position of any stream, and what is wrong with it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aistream_nb.conversation import Conversation
from aistream_nb.errors import AIStreamError
from aistream_nb.inspector import Inspector
from aistream_nb.player import Player
from aistream_nb.recording import Recording
from aistream_nb.showing import show

EVENTS: list[dict[str, Any]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hel"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "lo"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]


def text(inspector: Inspector) -> str:
    messages = inspector.conversation.messages
    return str(messages[-1].text) if messages else ""


def test_a_position_shows_the_same_whichever_way_one_came() -> None:
    inspector = Inspector(EVENTS)
    assert inspector.last_event is None
    forwards = []
    for _ in EVENTS:
        inspector.step()
        forwards.append(text(inspector))
    backwards = [text(inspector)]
    while inspector.position > 1:
        inspector.step(-1)
        backwards.append(text(inspector))
    assert backwards[::-1] == forwards
    assert inspector.last_event == EVENTS[0]


@pytest.mark.parametrize(("asked", "position"), [(-1, 5), (99, 6), (-99, 0), (0, 0)])
def test_a_position_outside_is_the_nearest_end(asked: int, position: int) -> None:
    inspector = Inspector(EVENTS)
    inspector.seek(3)
    inspector.seek(asked)
    assert inspector.position == position


def test_it_reads_files_and_recordings(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    Recording.of(EVENTS).save(path)
    assert len(Inspector(path)) == len(Inspector(Recording.load(path))) == len(EVENTS)


def test_violations_carry_their_meaning_and_where_it_began() -> None:
    inspector = Inspector([EVENTS[0], EVENTS[1], EVENTS[5]], profile="client")
    (found, *_) = inspector.violations
    assert found.index == 2
    assert found.meaning
    assert found.fix
    assert repr(inspector).endswith("of 3 events, 1 violation)")


def test_what_is_wrong_with_the_stream_as_a_whole_is_found() -> None:
    found = Inspector(EVENTS[:4], profile="teach").violations
    assert any(violation.index == -1 for violation in found)


def test_times_are_those_of_the_recording_if_it_has_any() -> None:
    assert Inspector(EVENTS).times == [None] * len(EVENTS)
    now = [0.0]
    recording = Recording(clock=lambda: now[0])
    for event in EVENTS:
        now[0] += 0.5
        recording.append(event)
    times = Inspector(recording).times
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(2.5)


class Chat:
    """As much of a chat as an inspector looks at."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.recording = Recording(clock=lambda: 0.0)

    def receive(self, event: dict[str, Any]) -> None:
        self.recording.append(event)
        self.conversation.receive(event)


def test_a_chat_is_followed_as_long_as_one_is_at_its_end() -> None:
    chat = Chat()
    inspector = Inspector(chat)
    assert inspector.live
    for event in EVENTS[:3]:
        chat.receive(event)
    assert inspector.position == 3
    inspector.seek(2)
    for event in EVENTS[3:]:
        chat.receive(event)
    assert (inspector.position, len(inspector)) == (2, 6)
    assert inspector.conversation is not chat.conversation


def test_what_is_only_shown_or_played_does_not_grow() -> None:
    for source in (Player(Recording.of(EVENTS)), show(EVENTS)):
        inspector = Inspector(source)
        assert (inspector.live, len(inspector)) == (False, len(EVENTS))


async def test_it_plays_to_its_end_and_over_again() -> None:
    inspector = Inspector(EVENTS)
    playing = inspector.play(speed=1000)
    assert inspector.playing
    await playing
    assert inspector.position == len(EVENTS)
    inspector.play(speed=0.001)
    assert inspector.position == 0
    inspector.pause()
    inspector.pause()
    assert not inspector.playing


def test_playing_needs_a_loop_and_a_speed() -> None:
    inspector = Inspector(EVENTS)
    with pytest.raises(AIStreamError, match="needs a running event loop"):
        inspector.play()
    with pytest.raises(AIStreamError, match="must be positive"):
        inspector.play(speed=0)


async def test_gaps_are_as_long_as_they_were_within_reason() -> None:
    now = [0.0]
    recording = Recording(clock=lambda: now[0])
    for event, at in zip(EVENTS, (0, 1, 100, 100, 100, 101), strict=True):
        now[0] = float(at)
        recording.append(event)
    inspector = Inspector(recording)
    await inspector.play(speed=10_000)
    assert inspector.position == len(EVENTS)


def test_a_view_steers_it_and_hears_of_every_move() -> None:
    inspector = Inspector(EVENTS)
    widget = inspector.widget()
    assert inspector.widget() is widget
    act = inspector._act
    assert act(SimpleNamespace(type="seek", index=2)) == ""  # type: ignore[arg-type] # as much of an action as is read
    assert inspector.position == 2
    assert widget.get_state()["_snapshot"]["seq"] > 0
    assert act(SimpleNamespace(type="play", playing=False, speed=1)) == ""  # type: ignore[arg-type] # as above
    assert "only looks" in act(SimpleNamespace(type="send"))  # type: ignore[arg-type] # as above


async def test_a_view_can_start_playing() -> None:
    inspector = Inspector(EVENTS)
    inspector._act(SimpleNamespace(type="play", playing=True, speed=1000))  # type: ignore[arg-type] # as above
    assert inspector.playing
    assert inspector._playing is not None
    await asyncio.wait([inspector._playing])
    assert not inspector.playing


def test_it_is_displayed_in_words_where_nothing_else_can_be() -> None:
    inspector = Inspector(EVENTS)
    inspector.seek(4)
    said = inspector._repr_mimebundle_()["text/plain"]
    assert said.endswith("After event 3:\nHello")


def test_going_back_over_many_events_shows_the_same() -> None:
    events = [
        EVENTS[0],
        EVENTS[1],
        *[{**EVENTS[2], "delta": f"{number} "} for number in range(450)],
        *EVENTS[4:],
    ]
    there, again = Inspector(events), Inspector(events)
    again.seek(-1)
    for position in (452, 333, 300, 101, 100, 99, 3):
        there.seek(0)
        there.seek(position)
        again.seek(position)
        assert text(again) == text(there)
        assert again.conversation.messages[-1].parts == (
            there.conversation.messages[-1].parts
        )


def test_the_request_that_a_stream_answers_is_judged_at_its_start() -> None:
    asked = {"id": "i", "reason": "tool_call", "toolCallId": "c"}
    found = Inspector(EVENTS, run_input={}, interrupts=[asked]).violations
    (uncovered,) = [one for one in found if one.rule == "input.interrupt_uncovered"]
    assert (uncovered.index, uncovered.at) == (-1, 0)


def test_what_the_end_breaks_is_seen_at_the_end() -> None:
    inspector = Inspector(EVENTS[:4])
    found = inspector.violations[-1]
    assert (found.rule, found.index, found.at) == ("stream.truncated", -1, 4)


def test_an_older_dialect_is_read_as_what_it_is() -> None:
    old = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolName": "f"},
        {"type": "TOOL_CALL_END", "toolCallId": "c", "toolName": "f"},
        {"type": "RUN_FINISHED", "runId": "r", "finishReason": "stop"},
    ]
    levels = {one.level for one in Inspector(old).violations}
    assert "fatal" in levels
    assert "fatal" not in {
        one.level for one in Inspector(old, dialect="tanstack").violations
    }


def test_the_bytes_of_an_answer_are_rows_and_their_frames_are_judged() -> None:
    body = b'data: {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}\n\n'
    inspector = Inspector(body + b"data: oops\n\n", content_type="text/plain")
    assert [event["type"] for event in inspector.events] == [
        "RUN_STARTED",
        "(no event)",
    ]
    places = {one.rule: one.at for one in inspector.violations}
    assert places["transport.content_type"] == 0
    assert places["frame.bad_json"] == places["stream.truncated"] == 2


def test_a_profile_that_is_none_is_told() -> None:
    misspelt: Any = "tech"
    with pytest.raises(AIStreamError, match="Did you mean 'teach'"):
        Inspector(EVENTS, profile=misspelt)


def test_a_fix_is_tried_under_the_same_circumstances() -> None:
    inspector = Inspector(EVENTS, profile="client", dialect="tanstack")
    verifier = inspector.new_verifier()
    assert (verifier.profile, verifier.violations) == ("teach", ())
