from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core.json_text import UnencodableError, encode_json
from aistream_nb.core.wire.frames import AGUIFrames
from aistream_nb.core.wire.sse_encode import SSEEncoder


def text(delta: object, message: object = "m1", **more: object) -> dict[str, Any]:
    event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": delta}
    return event | more


def arguments(delta: str, call: str = "c1") -> dict[str, Any]:
    return {"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": delta}


def frame(event: dict[str, Any]) -> bytes:
    return f"data: {encode_json(event)}\n\n".encode()


def encoded(*events: dict[str, Any]) -> list[bytes]:
    encoder = SSEEncoder()
    return [encoder.encode(event) for event in events]


SHAPES = st.sampled_from(["TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"])
DELTAS = st.one_of(
    st.builds(text, st.text(), st.sampled_from(["m1", "m2", 'a "quoted"\nid'])),
    st.builds(text, st.text(), timestamp=st.integers()),
    st.builds(arguments, st.text(), st.sampled_from(["c1", "m1"])),
    st.fixed_dictionaries({"type": SHAPES, "messageId": st.just("m1")}),
)


@given(st.lists(DELTAS, max_size=12))
def test_a_frame_is_the_same_whatever_came_before_it(events: list[Any]) -> None:
    assert encoded(*events) == [frame(event) for event in events]


@given(st.lists(DELTAS, max_size=12))
def test_reading_the_frames_gives_the_events(events: list[Any]) -> None:
    frames = AGUIFrames().receive(b"".join(encoded(*events)))
    assert [frame.event for frame in frames] == events


def test_text_is_written_as_javascript_writes_it() -> None:
    _, second = encoded(text("a"), text('č "x"\u2028\n🚀\x7f/'))
    assert (
        second
        == (
            'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1",'
            '"delta":"č \\"x\\"\u2028\\n🚀\x7f/"}\n\n'
        ).encode()
    )


def test_half_a_character_is_escaped_in_a_delta_and_in_an_id() -> None:
    events = [text("a"), text("\ud83d"), text("x", "\ude80"), text("y", "\ude80")]
    assert encoded(*events) == [frame(event) for event in events]
    assert b"\\ud83d" in encoded(*events)[1]


@pytest.mark.parametrize("delta", [None, 1, 1.0, ["a"], {"a": 1}])
def test_a_delta_that_is_no_text_is_written_all_the_same(delta: object) -> None:
    events = [text("a"), text(delta)]
    assert encoded(*events) == [frame(event) for event in events]


def test_messages_and_calls_may_take_turns() -> None:
    events = [
        event
        for number in range(3)
        for event in (text("a"), text("b", "m2"), arguments("{}"), text("c", number))
    ]
    assert encoded(*events) == [frame(event) for event in events]


def test_one_that_equals_is_not_one_that_is_written_alike() -> None:
    events = [text("a", 1), text("a", True), text("b", True), text("c", 1.0)]
    assert encoded(*events) == [frame(event) for event in events]


def test_members_in_a_strange_order_are_read_all_the_same() -> None:
    strange = {"delta": "b", "messageId": "m1", "type": "TEXT_MESSAGE_CONTENT"}
    events = [strange, text("a"), strange]
    read = [json.loads(each.removeprefix(b"data: ")) for each in encoded(*events)]
    assert read == events


def test_what_json_cannot_say_is_an_error() -> None:
    with pytest.raises(UnencodableError):
        SSEEncoder().encode({"type": "RAW", "event": object()})
