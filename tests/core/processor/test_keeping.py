"""A state that was kept is the state that one goes back to."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from event_soups import MODES, Event, Mode, brewed, fold, seen, streams, text_event
from hypothesis import given

from aistream_nb.core.processor.processor import StreamProcessor, counted_ids

Step = Callable[[StreamProcessor], object]


def receiving(event: Event) -> Step:
    return lambda processor: processor.receive(event)


HOST: list[Step] = [
    lambda processor: processor.prepare(),
    lambda processor: processor.finalize(),
    lambda processor: processor.add_tool_result("a", {"n": 1}),
    lambda processor: processor.add_tool_approval_response("p", approved=True),
    lambda processor: processor.set_messages(processor.messages[1:]),
    lambda processor: processor.remove_messages_after(0),
    lambda processor: processor.add_user_message("q"),
    lambda processor: processor.take_changes(),
]
STORIES: list[list[Event]] = [
    [{"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": letter}]
    for letter in "abc"
] + [
    [text_event("\ud83d"), text_event("\ude80 up")],
    [
        {
            "type": "CUSTOM",
            "name": "structured-output.start",
            "value": {"messageId": "a"},
        },
        text_event('{"n":', "a"),
        text_event(" 1}", "a"),
        {"type": "RUN_ERROR", "message": "gone"},
    ],
    [
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"to": "Par'},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": 'is"}'},
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "7"},
    ],
    [
        {"type": "TOOL_CALL_RESULT", "toolCallId": "early", "content": "7"},
        {"type": "TOOL_CALL_START", "toolCallId": "early", "toolCallName": "f"},
    ],
    [
        {"type": "STEP_STARTED", "stepName": "s"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "hm"},
        {
            "type": "REASONING_ENCRYPTED_VALUE",
            "subtype": "message",
            "entityId": "r",
            "encryptedValue": "seal",
        },
    ],
    [
        {"type": "THINKING_START"},
        {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "so"},
        {"type": "THINKING_START"},
        {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "then"},
    ],
    [
        {"type": "TEXT_MESSAGE_START", "messageId": "u", "role": "user"},
        {"type": "TEXT_MESSAGE_START", "messageId": "v", "role": "user"},
        text_event("I said", "u"),
        text_event("and this", "v"),
    ],
    [{"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}}],
    [
        {
            "type": "ACTIVITY_SNAPSHOT",
            "messageId": "y",
            "activityType": "z",
            "content": 1,
        }
    ],
]


def walk(dice: random.Random, steps: list[Step], mode: Mode) -> None:
    """Go through the steps, back to what was kept, and on again; always the same."""
    straight = StreamProcessor(**mode)
    expected = [seen(straight)]
    for step in steps:
        step(straight)
        expected.append(seen(straight))
    wandering = StreamProcessor(**mode)
    kept: dict[int, Any] = {0: wandering.keep()}
    at = 0
    for _ in range(3 * len(steps)):
        if at == len(steps) or dice.random() < 0.15:
            at = dice.choice(list(kept))
            wandering.put_back(kept[at])
        else:
            steps[at](wandering)
            at += 1
            if dice.random() < 0.4:
                kept[at] = wandering.keep()
        if dice.random() < 0.7:  # looking is no event
            assert seen(wandering) == expected[at]
        if dice.random() < 0.3:
            wandering.take_changes()


@MODES
def test_what_goes_on_after_going_back_is_what_went_on_before(mode: Mode):
    dice = random.Random(11)  # noqa: S311 - walks, not secrets
    for _ in range(200):
        steps: list[Step] = []
        for _ in range(dice.randrange(1, 6)):
            some = dice.choice([brewed(dice), dice.choice(STORIES)])
            steps += map(receiving, some)
            steps += dice.choices(HOST, k=dice.randrange(2))
        walk(dice, steps, mode)


@MODES
@given(stream=streams())
def test_any_stream_can_be_gone_back_in(mode: Mode, stream: list[Event]):
    dice = random.Random(3)  # noqa: S311 - walks, not secrets
    walk(dice, list(map(receiving, stream)), mode)


def test_ids_that_were_made_up_are_made_up_again():
    processor = StreamProcessor(message_per_id=True)
    start = processor.keep()
    for _ in range(2):
        processor.receive({"type": "TEXT_MESSAGE_CONTENT", "delta": "Ahoy"})
        assert [message.id for message in processor.messages] == ["msg-1"]
        processor.put_back(start)


def test_foreign_ids_are_for_those_who_make_them():
    processor = StreamProcessor(id_factory=iter(("one", "two")).__next__)
    start = processor.keep()
    processor.receive(text_event("a"))
    processor.put_back(start)
    processor.receive(text_event("a"))
    assert [message.id for message in processor.messages] == ["two"]


def test_what_did_not_change_stays_the_same_object():
    events = [text_event("Ahoy", name) for name in "abc"]
    processor = fold(events[:2], message_per_id=True)
    kept = processor.keep()
    processor.receive(events[2])
    before = processor.messages
    processor.take_changes()
    processor.put_back(kept)
    assert processor.messages[0] is before[0]
    assert processor.take_changes() == ("c",)


def test_a_kept_state_shares_what_did_not_change():
    processor = fold([text_event("Ahoy", name) for name in "ab"], message_per_id=True)
    first = processor.keep()
    processor.receive(text_event("!", "b"))
    second = processor.keep()
    assert first.drafts[0] is second.drafts[0]
    assert first.drafts[1] is not second.drafts[1]


def test_a_growing_text_is_kept_once():
    processor = StreamProcessor(message_per_id=True)
    pieces: set[int] = set()
    kept: list[Any] = []
    for _ in range(50):
        processor.receive(text_event("ahoy "))
        kept.append(processor.keep())
    for one in kept:
        pieces |= {id(piece) for piece in one.drafts[0].parts[0].pending}
    assert len(pieces) == 50


def test_ids_are_counted():
    make = counted_ids("m-")
    assert [make(), make()] == ["m-1", "m-2"]


def test_a_new_processor_can_be_put_where_another_one_was():
    chunk = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f"}
    first, second = (StreamProcessor(message_per_id=True) for _ in range(2))
    first.receive(chunk)
    second.put_back(first.keep())
    for processor in (first, second):
        processor.receive({"type": "RUN_FINISHED"})
    assert seen(first) == seen(second)
