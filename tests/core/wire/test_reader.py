from __future__ import annotations

import itertools

from aistream_nb.core.wire.reader import RETIRED_TYPES, EventReader
from aistream_nb.core.wire.schema import EVENT_FIELDS


def test_a_clean_event_stands_for_itself():
    event = {"type": "RUN_ERROR", "message": "gone"}
    reading = EventReader().receive(event)
    assert reading.events == (event,)
    assert reading.events[0] is reading.event


def test_thinking_becomes_reasoning_with_one_id_for_each_span_and_message():
    numbers = itertools.count()
    reader = EventReader(new_id=lambda: f"id{next(numbers)}")
    made = [
        reader.receive({"type": kind, **fields}).events[0]
        for kind, fields in (
            ("THINKING_START", {"title": "plan"}),
            ("THINKING_TEXT_MESSAGE_START", {}),
            ("THINKING_TEXT_MESSAGE_CONTENT", {"delta": "hm"}),
            ("THINKING_TEXT_MESSAGE_END", {}),
            ("THINKING_END", {}),
        )
    ]
    assert [event["type"] for event in made] == [
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
    ]
    assert [event["messageId"] for event in made] == ["id0", "id1", "id1", "id1", "id0"]
    assert made[1]["role"] == "reasoning"
    assert "title" not in made[0]


def test_thinking_that_was_not_started_gets_an_id_all_the_same():
    reading = EventReader().receive({"type": "THINKING_END"})
    assert reading.events[0]["messageId"] == "thinking-1"
    assert reading.retired == "THINKING_END"


def test_every_retired_type_has_a_type_of_today():
    assert set(RETIRED_TYPES.values()) <= set(EVENT_FIELDS)
    assert not set(RETIRED_TYPES) & set(EVENT_FIELDS)


def test_what_cannot_be_read_is_guessed_if_it_says_what_it_is_about():
    reader = EventReader()
    told = reader.receive({"type": "TOOL_CALL_START", "toolCallId": "c1"})
    assert told.events == ()
    assert told.guess == {
        "type": "TOOL_CALL_START",
        "toolCallId": "c1",
        "toolCallName": "",
    }
    assert reader.receive({"type": "TOOL_CALL_START"}).guess is None
    assert reader.receive({"type": "STATE_DELTA"}).guess is None
    assert reader.receive({"type": "PING"}).guess is None


def test_chunks_are_expanded_after_their_fields_were_cleaned():
    reading = EventReader().receive(
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "delta": "x", "mood": 1}
    )
    assert [event["type"] for event in reading.events] == [
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
    ]
    assert [gone.path for gone in reading.removed] == ["/mood"]
