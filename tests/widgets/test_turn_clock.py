"""The times of a turn: those of its events, else those that were seen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from aistream_nb.widgets.turn_clock import TurnClock


class Watch:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def conversation(**members: Any) -> Any:
    return SimpleNamespace(**{"usage": {}, **members})


def test_times_are_measured_where_the_conversation_has_none() -> None:
    watch = Watch()
    clock = TurnClock(watch)
    clock.start(conversation(usage={"outputTokens": 5}))
    watch.now = 100.5
    clock.opened(("m", 0))
    watch.now = 102.5
    turn = clock.end(conversation(usage={"outputTokens": 45, "inputTokens": 7}))
    assert turn.first_text_seconds == 0.5
    assert (turn.output_tokens, turn.input_tokens) == (40, 7)
    assert turn.tokens_per_second == 20.0


def test_a_conversation_that_knows_its_times_is_believed() -> None:
    clock = TurnClock(Watch())
    clock.start(conversation())
    timing = {"started": 10.0, "first_token": 11.0, "ended": 13.0}
    turn = clock.end(
        conversation(timing=timing, usage={"output_tokens": 8}, model="m-1")
    )
    assert turn.first_text_seconds == 1.0
    assert turn.tokens_per_second == 4.0
    assert turn.model == "m-1"


def test_what_was_not_seen_is_not_said() -> None:
    clock = TurnClock(Watch())
    turn = clock.end(SimpleNamespace())
    assert turn.first_text_seconds is None
    assert turn.tokens_per_second is None
    assert turn.output_tokens is None
    clock.opened(("m", 0))
    assert clock.closed(("m", 0)) is None
    assert clock.closed(("m", 1)) is None


def test_a_part_is_timed_under_the_new_id_of_its_message() -> None:
    watch = Watch()
    clock = TurnClock(watch)
    clock.start(conversation())
    clock.opened(("m", 0))
    clock.opened(("n", 0))
    clock.renamed("m", "x")
    watch.now = 101.25
    assert clock.closed(("x", 0)) == 1.25
    assert clock.closed(("n", 0)) == 1.25
