from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import aistream_nb as ai
from aistream_nb.errors import AIStreamError, RecordingError
from aistream_nb.providers.offline import OFFLINE_PROMPT
from aistream_nb.recording import Recording
from aistream_nb.widgets.kernel import KernelEnvironment


async def run() -> Recording:
    chat = ai.Chat("offline", pace=0)
    await chat.send(OFFLINE_PROMPT)
    return chat.recording


def seen(player: ai.Player) -> object:
    conversation = player.conversation
    return (
        [(m.id, m.role, m.parts) for m in conversation.messages],
        [(c.id, c.status) for c in conversation.tool_calls.values()],
        conversation.status,
    )


async def test_a_position_shows_the_same_whichever_way_it_was_reached():
    recording = await run()
    straight = ai.Player(recording)
    wandering = ai.Player(recording)

    for position in range(0, len(straight) + 1, 7):
        straight.seek(position)
        wandering.seek(len(wandering))
        wandering.seek(position)
        assert seen(straight) == seen(wandering)


async def test_a_file_plays_as_what_was_saved(tmp_path: Path):
    recording = await run()
    player = ai.Player(recording.save(tmp_path / "run.jsonl"))
    player.seek(len(player))

    assert player.conversation.messages[-1].text.startswith("Take the ferry.")
    assert player.events == recording.events
    assert repr(player) == f"Player('run.jsonl', {len(player)} of {len(player)} events)"


def test_a_file_that_is_none_is_a_clear_error(tmp_path: Path):
    with pytest.raises(RecordingError, match=r"missing\.jsonl"):
        ai.Player(tmp_path / "missing.jsonl")


EVENTS = [
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    *(
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": letter}
        for letter in "abc"
    ),
]


def test_positions_outside_mean_the_nearest_end():
    player = ai.Player(Recording.of(EVENTS))

    assert player.last_event is None
    for position, expected in ((99, 4), (-1, 3), (-99, 0)):
        player.seek(position)
        assert player.position == expected


def test_steps_go_on_and_back_and_stop_at_the_ends():
    player = ai.Player(Recording.of(EVENTS))

    assert player.step() == EVENTS[0]
    assert player.step(2) == EVENTS[2]
    assert player.step(-1) == EVENTS[1]
    assert player.conversation.messages[0].text == "a"
    assert player.step(-9) is None


async def test_playing_waits_as_long_as_it_was_recorded():
    times = iter([0.0, 0.0, 1.0, 1.5, 100.0])
    recording = Recording(clock=lambda: next(times))
    for event in EVENTS:
        recording.append(event)
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    player = ai.Player(recording, sleep=sleep)
    await player.play(speed=2)

    assert waited == [0.0, 0.5, 0.25, 1.5]  # a long pause is cut to three seconds
    assert player.position == 4
    assert not player.playing


async def test_playing_at_the_end_starts_over():
    player = ai.Player(Recording.of(EVENTS))
    player.seek(4)

    playback = player.play()
    await playback

    assert player.position == 4
    assert playback.done


async def test_a_loop_plays_again_until_it_is_paused():
    ends = 0

    async def sleep(seconds: float) -> None:
        nonlocal ends
        ends += seconds == 1.0
        if ends == 2:
            player.pause()
        await asyncio.sleep(0)

    player = ai.Player(Recording.of(EVENTS), sleep=sleep)
    await player.play(loop=True)

    assert ends == 2
    assert player.position == len(player)


async def test_a_pause_keeps_the_position():
    reached = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        reached.set()
        await asyncio.Event().wait()

    player = ai.Player(Recording.of(EVENTS), sleep=sleep)
    playback = player.play()
    await reached.wait()
    assert player.playing

    playback.pause()
    await playback
    player.pause()
    player.pause()

    assert player.position == 0
    assert not player.playing


def test_playing_needs_a_loop():
    with pytest.raises(AIStreamError, match="event loop"):
        ai.Player(Recording.of(EVENTS)).play()


@pytest.mark.parametrize("speed", [0, -1, float("nan")])
async def test_a_speed_must_be_positive(speed: float):
    with pytest.raises(AIStreamError, match="positive"):
        ai.Player(Recording.of(EVENTS)).play(speed=speed)


def test_a_player_has_a_static_form():
    player = ai.Player(Recording.of(EVENTS))
    player.seek(4)
    forms = player._repr_mimebundle_()

    assert "abc" in forms["text/plain"]
    assert set(forms) == {"text/plain", "text/html"}


async def test_a_view_can_seek_and_play():
    player = ai.Player(Recording.of(EVENTS))

    class Action:
        type, index, playing, speed = "seek", 2, True, 1.0

    assert player._act(Action) == ""
    assert player.position == 2
    Action.type = "play"
    assert player._act(Action) == ""
    assert player.playing
    Action.playing = False
    assert player._act(Action) == ""
    assert not player.playing
    Action.type = "send"
    assert player._act(Action) == "A recording can only be played."


def test_a_recording_that_was_cut_off_says_where_and_leaves_nothing_spinning():
    events = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "book"},
    ]
    player = ai.Player(Recording.of(events))
    cut = "cut off after event 2 (TOOL_CALL_START)"

    assert (player.ending, repr(player)) == (
        cut,
        f"Player('recording', 0 of 2 events, {cut})",
    )
    player.seek(2)
    player.seek(2)
    assert player.conversation.status == "error"
    assert player.conversation.error == f"the recording is {cut}"
    assert player.conversation.tool_calls["c"].status == "aborted"
    player.step(-1)
    assert player.conversation.status == "running"


def test_where_a_front_end_may_be_the_player_has_a_live_view(
    monkeypatch: pytest.MonkeyPatch,
):
    place = KernelEnvironment(kind="ipykernel", frontend_comms=True, stdin_allowed=True)
    monkeypatch.setattr("aistream_nb.widgets.forms.environment", lambda: place)
    player = ai.Player(Recording.of(EVENTS))

    forms, again = player._repr_mimebundle_(), player._repr_mimebundle_()

    assert forms == again
    assert "application/vnd.jupyter.widget-view+json" in forms
    player.seek(2)
    assert player._view().get_state()["_snapshot"]["conversation"]["inspect"][
        "position"
    ] == len("ab")
