"""A place in a stream that moves, and what a move costs."""

from __future__ import annotations

import asyncio
import random
from typing import Any, ClassVar

import pytest

from aistream_nb.conversation.playhead import STRETCH, Playhead
from aistream_nb.errors import AIStreamError

Event = dict[str, Any]


class Head(Playhead):
    """A stream of events at hand, one a second."""

    _NAME: ClassVar[str] = "head"

    def __init__(self, events: list[Event], *, times: Any = None, **more: Any) -> None:
        super().__init__(**more)
        self.told = 0
        self.arrivals = 0
        self.folded = 0
        self.conversation.subscribe(lambda _change: self._count())
        self._extend(events, range(len(events)) if times is None else times)

    def _count(self) -> None:
        self.folded += 1

    def _moved(self) -> None:
        self.told += 1

    def _arrived(self) -> None:
        self.arrivals += 1


def story(messages: int, per: int) -> list[Event]:
    events: list[Event] = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]
    for number in range(messages):
        of = {"messageId": f"m{number}"}
        events.append({"type": "TEXT_MESSAGE_START", "role": "assistant", **of})
        for at in range(per):
            delta = f"{number}.{at} "
            events.append({"type": "TEXT_MESSAGE_CONTENT", "delta": delta, **of})
        events.append({"type": "TEXT_MESSAGE_END", **of})
    return events


def seen(head: Playhead) -> list[tuple[str, str]]:
    return [(it.id, it.text) for it in head.conversation.messages]


def test_a_position_shows_the_same_whichever_way_one_came():
    events = story(12, 60)
    dice = random.Random(2)  # noqa: S311 - walks, not secrets
    wandering = Head(events)
    for _ in range(60):
        position = dice.randrange(len(events) + 1)
        straight = Head(events)
        straight.conversation.receive_all(events[:position])
        wandering.seek(position)
        assert (wandering.position, seen(wandering)) == (position, seen(straight))


def test_a_seek_folds_no_more_than_a_stretch():
    events = story(40, 100)
    head = Head(events)
    head.seek(-1)
    for position in (9, 4000, 150, 2222, 2221, 0, 3999):
        head.folded = 0
        head.seek(position)
        assert head.folded <= STRETCH


def test_many_messages_are_kept_less_often():
    head = Head(story(1500, 1))
    head.seek(len(head))
    distances = [
        after - before
        for before, after in zip(head._marks, head._marks[1:], strict=False)
    ]
    assert min(distances) == STRETCH
    assert distances[-1] >= 3 * STRETCH


def test_what_grows_is_taken_in_where_it_ends():
    events = story(3, 100)
    head = Head(events[:150])
    head.seek(150)
    head._extend(events[150:], [])
    assert len(head.events) == len(events)
    head.seek(len(head))
    head.seek(120)
    assert seen(head) == [
        ("m0", "".join(f"0.{n} " for n in range(100))),
        ("m1", "".join(f"1.{n} " for n in range(16))),
    ]


def test_the_end_is_reached_once_for_each_way_there():
    head = Head(story(1, 3))
    for position in (-1, 99, 99, 1, 99):
        head.seek(position)
    assert (head.arrivals, head.told) == (2, 5)


def test_times_count_from_the_first_event_if_there_are_any():
    events = story(1, 0)
    assert Head(events, times=[5.0, 6.0, 8.5]).times == [0.0, 1.0, 3.5]
    assert Head(events, times=[0.0, 0.0, 0.0]).times == [None, None, None]


async def played(head_times: list[float], **play: Any) -> list[float]:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    head = Head(story(1, 1), times=head_times, sleep=sleep)
    await head.play(**play)
    assert head.position == len(head)
    return waited


async def test_gaps_are_as_long_as_they_were_within_reason():
    assert await played([1.0, 2.0, 60.0, 60.0], speed=2) == [0.0, 0.5, 1.5, 0.0]


async def test_events_without_times_come_at_a_pace_of_their_own():
    assert await played([0.0] * 4) == [0.02] * 4


async def test_the_speed_may_change_while_it_plays():
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        head.speed = 10

    head = Head(story(1, 1), sleep=sleep)
    await head.play()
    assert waited == [0.0, 0.1, 0.1, 0.1]


async def test_a_loop_begins_again_until_it_is_paused():
    ends = 0

    async def sleep(_seconds: float) -> None:
        nonlocal ends
        await asyncio.sleep(0)
        if head.position == len(head):
            ends += 1
            if ends == 2:
                head.pause()

    head = Head(story(1, 1), sleep=sleep)
    playback = head.play(loop=True)
    await playback
    assert (ends, playback.done, head.playing) == (2, True, False)


async def test_it_plays_from_the_start_when_it_is_at_the_end():
    head = Head(story(1, 1), times=[0.0, 0.0, 0.0, 0.001])
    head.seek(-1)
    head.step(5)
    playback = head.play(speed=100)
    assert head.position == 0
    playback.pause()
    await playback
    assert head.position == 0


def test_what_cannot_play_says_why():
    with pytest.raises(AIStreamError, match=r"head\.play needs a running event loop"):
        Head([]).play()
    with pytest.raises(AIStreamError, match=r"speed=-1 must be positive"):
        Head([]).play(speed=-1)


class Action:
    def __init__(self, **fields: Any) -> None:
        self.__dict__ = fields


async def test_a_view_steers_it():
    head = Head(story(1, 1))
    assert head._steer(Action(type="seek", index=2))
    assert (head.position, head.last_event) == (2, head.events[1])
    assert head._steer(Action(type="play", playing=True, speed=4.0))
    assert (head.playing, head.speed) == (True, 4.0)
    assert head._steer(Action(type="play", playing=False, speed=2.0))
    assert (head.playing, head.speed) == (False, 2.0)
    assert not head._steer(Action(type="send"))
