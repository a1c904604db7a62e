from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.messages import Part, TextPart
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.processor.strategies import BatchStrategy

START = {"type": "TEXT_MESSAGE_START", "messageId": "m"}


def text(delta: str) -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta}


def call(call_id: str) -> dict[str, Any]:
    return {"type": "TOOL_CALL_START", "toolCallId": call_id, "toolCallName": "f"}


def args(call_id: str) -> dict[str, Any]:
    return {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": "{}"}


THINK = {"type": "STEP_FINISHED", "stepId": "s", "delta": "hm"}
RESULT = {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "r"}
SEGMENTS: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "deltas of one segment are one part": (
        [text("a"), text("b")],
        ["ab"],
    ),
    "a start begins a part": ([text("a"), START, text("b")], ["a", "b"]),
    "a call ends the segment": ([text("a"), call("c"), text("b")], ["a", "b"]),
    "an update of a call does not": (
        [call("c"), text("a"), args("c"), text("b")],
        ["ab"],
    ),
    "first thinking ends the segment": ([text("a"), THINK, text("b")], ["a", "b"]),
    "more thinking does not": ([THINK, text("a"), THINK, text("b")], ["ab"]),
    "a result ends the segment": (
        [call("c"), text("a"), RESULT, text("b")],
        ["a", "b"],
    ),
    "the same result again does not": (
        [call("c"), RESULT, text("a"), RESULT, text("b")],
        ["ab"],
    ),
}


@pytest.mark.parametrize("size", [1, 100], ids=["shown at once", "held back"])
@pytest.mark.parametrize(("events", "texts"), SEGMENTS.values(), ids=SEGMENTS)
def test_segments(size: int, events: list[dict[str, Any]], texts: list[str]):
    processor = StreamProcessor(strategy=BatchStrategy(size))
    for event in events:
        processor.receive(event)
    processor.finalize()
    parts = processor.messages[0].parts
    assert [part.content for part in parts if isinstance(part, TextPart)] == texts


def test_held_back_text_stands_before_the_part_that_follows_it():
    processor = StreamProcessor(strategy=BatchStrategy(100))
    for event in (text("a"), call("c"), text("b"), THINK):
        processor.receive(event)
    kinds = [part.type for part in processor.messages[0].parts]
    assert kinds == ["text", "tool-call", "text", "thinking"]


def test_a_strategy_sees_the_whole_segment():
    seen: list[str] = []

    class Curious:
        def should_emit(self, delta: str, segment: str) -> bool:
            seen.append(f"{delta}|{segment}")
            return False

    processor = StreamProcessor(strategy=Curious())
    for event in (text("a"), text(""), text("b"), START, text("c")):
        processor.receive(event)
    assert seen == ["a|a", "|a", "b|ab", "c|c"]


def host_part(content: str) -> dict[str, Any]:
    return {"type": "text", "content": content}


def replaced(*parts: dict[str, Any]) -> tuple[Part, ...]:
    """What becomes of a message that the host replaced in the middle of a segment."""
    processor = StreamProcessor()
    processor.receive(text("a"))
    message = {"id": "msg-1", "role": "assistant", "parts": list(parts)}
    processor.set_messages([message])
    processor.receive(text("b"))
    return processor.messages[0].parts


def test_the_segment_takes_the_place_of_the_hosts_last_text():
    assert replaced(host_part("x")) == (TextPart("ab"),)


def test_the_segment_is_appended_where_the_hosts_list_ends_otherwise():
    assert replaced() == (TextPart("ab"),)
    thinking = {"type": "thinking", "content": "t"}
    assert replaced(host_part("x"), thinking)[-1] == TextPart("ab")


def test_a_host_that_replaces_nothing_disturbs_nothing():
    processor = StreamProcessor()
    processor.receive(text("a"))
    processor.set_messages(processor.messages)
    processor.receive(text("b"))
    assert processor.messages[0].parts == (TextPart("ab"),)


def test_a_message_that_the_host_took_away_can_come_back():
    processor = StreamProcessor()
    processor.receive(text("a"))
    kept = processor.messages
    processor.set_messages([])
    processor.receive(text("b"))
    assert processor.messages == ()
    processor.set_messages(kept)
    processor.receive(text("c"))
    assert processor.messages[0].text == "abc"
