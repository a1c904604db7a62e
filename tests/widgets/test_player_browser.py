"""A recording in a real browser: play it, step through it, drag it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from aistream_nb import Player
from aistream_nb.recording import Recording
from aistream_nb.widgets.player import PlayerWidget
from aistream_nb.widgets.pulse import Pulse

pytestmark = pytest.mark.browser

WORDS = ["A", "recording", "plays", "as", "it", "was", "heard"]
EVENTS: list[dict[str, Any]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    *(
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": f"{word} "}
        for word in WORDS
    ),
    {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "delete_file"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
    {
        "type": "CUSTOM",
        "name": "approval-requested",
        "value": {
            "toolCallId": "c",
            "toolName": "delete_file",
            "input": {},
            "approval": {"id": "a", "needsApproval": True},
        },
    },
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]
ASKED = len(EVENTS) - 1
SLIDER = ".aistream-player input[type=range]"


@pytest.fixture
def player(host: Any) -> Iterator[Player]:
    made = Player(Recording.of(EVENTS), sleep=lambda _seconds: asyncio.sleep(0))
    made._widget = PlayerWidget(made, on_action=made._act, pulse=Pulse(interval=0))
    host.show(made._widget)
    yield made
    made._widget.close()


def settle(host: Any) -> None:
    for _ in range(3):
        host.evaluate("() => new Promise((done) => setTimeout(done, 20))")
        host.pump()


def test_the_slider_and_the_steps_move_it(host: Any, player: Player) -> None:
    assert "0 of" in host.text(".aistream-player")
    host.fill(SLIDER, "4")
    settle(host)
    assert player.position == 4
    assert host.text(".aistream-prose").strip() == "A recording"
    host.click("[aria-label='One event on']")
    settle(host)
    assert host.text(".aistream-prose").strip() == "A recording plays"
    host.click("[aria-label='One event back']")
    host.click("[aria-label='One event back']")
    settle(host)
    assert host.text(".aistream-prose").strip() == "A"
    assert host.errors() == []


def test_python_moves_the_slider_too(host: Any, player: Player) -> None:
    player.seek(6)
    settle(host)
    assert host.evaluate("(it) => document.querySelector(it).value", SLIDER) == "6"
    assert f"6 of {len(EVENTS)}" in host.text(".aistream-player")


async def test_the_button_says_what_it_does(host: Any, player: Player) -> None:
    playback = player.play(4)
    host.wait("text=Pause")
    await playback
    await asyncio.sleep(0)
    host.wait("text=Play")
    assert host.evaluate("() => document.querySelector('select').value") == "4"
    host.picture("player")


def test_a_question_of_a_recording_has_no_buttons(host: Any, player: Player) -> None:
    player.seek(ASKED)
    settle(host)
    assert "waiting for you" in host.text(".aistream-call")
    assert host.count(".aistream-approval") == 0
    assert host.count(".aistream-paused") == 1


def test_a_view_that_opens_late_stands_where_the_player_stands(
    host: Any, player: Player
) -> None:
    player.seek(5)
    assert player._widget is not None
    state = player._widget.get_state("_snapshot")["_snapshot"]["conversation"]
    assert (state["inspect"]["position"], state["inspect"]["count"]) == (
        5,
        len(EVENTS),
    )
