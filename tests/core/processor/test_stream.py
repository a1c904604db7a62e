from __future__ import annotations

from typing import Any

from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.processor.strategies import BatchStrategy, ImmediateStrategy
from aistream_nb.core.processor.stream import CallRecord
from aistream_nb.core.values import ABSENT

MESSAGE = MessageDraft(id="m", role="assistant")


def text(delta: str) -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta}


def test_a_record_says_nothing_of_arguments_that_did_not_begin():
    record = CallRecord(id="c", name="f", index=0, message=MESSAGE)
    assert record.parsed(None) is ABSENT
    record.complete()
    assert record.parsed(None) is ABSENT
    assert record.state == "input-complete"


def test_a_given_input_holds_until_more_arguments_come():
    record = CallRecord(id="c", name="f", index=0, message=MESSAGE)
    record.given = None
    assert record.parsed(None) is None
    record.append("[1")
    assert record.parsed(None) == [1]


def test_a_prepared_stream_starts_from_nothing():
    processor = StreamProcessor(strategy=BatchStrategy(2))
    processor.receive(text("lost only if nobody finalised"))
    processor.prepare()
    assert processor.current_id is None
    assert processor.state == StreamProcessor().state
    processor.receive(text("a"))
    assert processor.messages[-1].text == ""
    processor.receive(text("b"))
    assert processor.messages[-1].text == "ab"


def test_the_stream_begins_and_changes_in_order():
    told: list[str] = []
    processor = StreamProcessor(
        callbacks={
            "on_stream_start": lambda: told.append("start"),
            "on_change": lambda _: told.append("change"),
            "on_messages_change": lambda _: told.append("messages"),
            "on_text_update": lambda *_: told.append("text"),
        }
    )
    processor.receive(text("a"))
    assert told == ["start", *["change", "messages"] * 2, "text"]


def test_a_strategy_made_of_ours_is_asked_all_the_same():
    class Patient(ImmediateStrategy):
        def should_emit(self, delta: str, segment: str) -> bool:
            return super().should_emit(delta, segment) and segment.endswith("!")

    processor = StreamProcessor(strategy=Patient())
    processor.receive({"type": "TEXT_MESSAGE_CONTENT", "delta": "A"})
    assert processor.messages[0].text == ""
    processor.receive({"type": "TEXT_MESSAGE_CONTENT", "delta": "hoy!"})
    assert processor.messages[0].text == "Ahoy!"
