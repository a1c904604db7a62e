from __future__ import annotations

import pytest

from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.wire.events import EVENT_TYPES

WITHOUT_EFFECT = {
    "TEXT_MESSAGE_END",
    "REASONING_START",
    "REASONING_END",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_END",
    "RAW",
    "SUBAGENT_STARTED",
    "SUBAGENT_FINISHED",
    "SUBAGENT_ERROR",
}


def test_every_type_has_a_rule_or_no_effect():
    rules = StreamProcessor()._rules
    idle = {kind for kind in EVENT_TYPES if rules[kind] is rules["RAW"]}
    assert idle == WITHOUT_EFFECT


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_an_event_with_nothing_but_its_type_raises_nothing(kind: str):
    processor = StreamProcessor(message_per_id=True)
    for _ in range(2):
        processor.receive({"type": kind})
    processor.finalize()


def test_explicit_events_end_what_chunks_began():
    processor = StreamProcessor(message_per_id=True)
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "a", "delta": "1"}
    for event in (
        chunk,
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "b", "delta": "2"},
        {**chunk, "delta": "3"},
    ):
        processor.receive(event)
    assert [message.text for message in processor.messages] == ["13", "2"]
