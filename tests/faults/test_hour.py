"""An hour of streaming, simulated: memory grows with the transcript and nothing else.

The hour is handed in as times, so it lasts seconds. Six windows of ten minutes; in
each the same is said, so each may add the same. What a window adds is counted by the
interpreter's own allocator, after a collection.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, TypeAlias

import pytest
from browser_copy import encoder_of

from aistream_nb.chat.journal import Journal
from aistream_nb.conversation import Conversation
from aistream_nb.core.ordering.verifier import OrderingVerifier
from aistream_nb.recording import Recording
from aistream_nb.tracker import ToolInvocationTracker
from aistream_nb.widgets.pulse import Pulse
from aistream_nb.widgets.transcript import TranscriptWidget

HOUR = 3600.0
WINDOWS = 6
RATE = 0.5
"""Deltas a second; more of them are more of the same."""
DELTA = " ahoy sailor"
MESSAGES = 10
"""In a window; with each a call."""
PER = int(HOUR / WINDOWS * RATE / MESSAGES)
MOST = 1.12
"""Of what the first window after the warm-up adds, the share that a later one may."""

Event: TypeAlias = dict[str, Any]
Take: TypeAlias = Callable[[Event], object]


class Clock:
    """Time that is handed in."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def window(number: int) -> Iterator[Event]:
    """Ten minutes: text in deltas, and a call with its arguments, again and again."""
    run = {"threadId": "t", "runId": f"r{number}"}
    yield {"type": "RUN_STARTED", **run}
    for each in range(MESSAGES):
        of = {"messageId": f"m{number}-{each}"}
        yield {"type": "TEXT_MESSAGE_START", "role": "assistant", **of}
        for _ in range(PER):
            yield {"type": "TEXT_MESSAGE_CONTENT", "delta": DELTA, **of}
        yield {"type": "TEXT_MESSAGE_END", **of}
        call = {"toolCallId": f"c{number}-{each}"}
        yield {"type": "TOOL_CALL_START", "toolCallName": "look", **call}
        yield {"type": "TOOL_CALL_ARGS", "delta": '{"at": "sea"}', **call}
        yield {"type": "TOOL_CALL_END", **call}
        result = {"messageId": f"t{number}-{each}", "content": "seen", **call}
        yield {"type": "TOOL_CALL_RESULT", **result}
    yield {"type": "RUN_FINISHED", **run}


def growth_of(take: Take, clock: Clock) -> list[int]:
    """Bytes that each window left behind."""
    step = HOUR / WINDOWS / (MESSAGES * PER)
    left: list[int] = []
    with traced():
        for number in range(WINDOWS):
            before = _bytes()
            for event in window(number):
                clock.now += step
                take(event)
            left.append(_bytes() - before)
    assert clock.now >= HOUR
    return left


@contextmanager
def traced() -> Generator[None, None, None]:
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def _bytes() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


LETTERS = MESSAGES * PER * len(DELTA)
EVENTS = MESSAGES * (PER + 6) + 2


# ---------------------------------------------------------------- who listens


def a_conversation_and_its_view(clock: Clock) -> Take:
    """Without a recording: what is left is the text and a little for each message."""
    conversation = Conversation()
    encoder = encoder_of(conversation, clock)
    noted: deque[bool] = deque(maxlen=1)
    conversation.subscribe(lambda change: noted.append(encoder.note(change)))
    last = 0.0

    def take(event: Event) -> None:
        nonlocal last
        conversation.receive(event)
        if clock.now - last > 1 / 30:
            last = clock.now
            for frame in encoder.take():
                frame.model_dump_json()

    return take


def a_widget(clock: Clock) -> Take:
    """What a kernel keeps for one open view."""
    conversation = Conversation()
    widget = TranscriptWidget(
        conversation, pulse=Pulse(interval=1 / 30, clock=clock), clock=clock
    )
    vars(widget)["send"] = lambda _told: None
    return conversation.receive


def a_verifier(_clock: Clock) -> Take:
    """Who judges keeps no text."""
    return OrderingVerifier().receive


@pytest.mark.parametrize(
    ("make", "each_letter", "each_message"),
    [
        (a_conversation_and_its_view, 4, 9000),
        (a_widget, 4, 9000),
        (a_verifier, 0, 4000),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_an_hour_leaves_its_text_and_nothing_else(
    make: Callable[[Clock], Take], each_letter: int, each_message: int
):
    clock = Clock()
    left = growth_of(make(clock), clock)
    assert max(left[1:]) <= LETTERS * each_letter + MESSAGES * each_message
    assert max(left[2:]) <= MOST * left[1] + 20_000, left


def test_an_hour_of_a_chat_leaves_its_recording_and_its_text():
    """A recording keeps each event; beside it there is no second one."""
    clock = Clock()
    journal = Journal({}, clock=clock, strict=False)
    whole = growth_of(journal.emit, clock)
    clock = Clock()
    recording = Recording(clock=clock)
    alone = growth_of(
        lambda event: recording.append({**event, "timestamp": round(clock.now * 1000)}),
        clock,
    )
    for both, one in zip(whole[1:], alone[1:], strict=True):
        assert both <= one + 4 * LETTERS + MESSAGES * 9000
    assert max(whole[2:]) <= MOST * whole[1]
    assert len(journal.recording) == WINDOWS * EVENTS


def test_an_hour_without_a_word_leaves_nothing():
    """A state that is said again and again, and nobody who speaks."""
    conversation, clock = Conversation(), Clock()
    encoder = encoder_of(conversation, clock)
    noted: deque[bool] = deque(maxlen=1)
    conversation.subscribe(lambda change: noted.append(encoder.note(change)))
    left: list[int] = []
    with traced():
        for _ in range(WINDOWS):
            before = _bytes()
            for second in range(600):
                clock.now += 1
                patch = [{"op": "add", "path": "/second", "value": second}]
                conversation.receive({"type": "STATE_DELTA", "delta": patch})
                encoder.take()
            left.append(_bytes() - before)
    # Ten bytes for each event would be more, in every window; a cache grows in one.
    assert median(left[1:]) < 6000, left


async def test_an_hour_of_snapshots_leaves_its_last_one():
    """Snapshots of one conversation, each new: a tracker keeps what it must know."""
    ran: list[object] = []

    class Tool:
        def execute(self, arguments: object, _context: object) -> str:
            ran.append(arguments)
            return "seen"

    tracker = ToolInvocationTracker({"look": Tool()}, on_result=lambda _: None)
    call = {"type": "tool-call", "toolCallId": "c", "toolName": "look", "result": 1}
    left: list[int] = []
    with traced():
        for _ in range(WINDOWS):
            before = _bytes()
            for number in range(600):
                text = {"type": "text", "text": f"{number} " + DELTA * 50}
                content = [{**call, "argsText": "{}"}, text]
                message = {"id": "m", "role": "assistant", "content": content}
                tracker.set_state({"messages": [message], "isRunning": True})
            left.append(_bytes() - before)
    await tracker.aclose()
    assert ran == []
    # Ten bytes for each event would be more, in every window; a cache grows in one.
    assert median(left[1:]) < 6000, left
