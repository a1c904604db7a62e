from __future__ import annotations

import pytest

from aistream_nb.core.messages import (
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UIMessage,
    role_of,
)
from aistream_nb.core.processor.processor import StreamProcessor

CALL = ToolCallPart(id="c", name="f", input={"n": 1})
MESSAGE = UIMessage(
    id="m",
    role="assistant",
    parts=(TextPart("a"), ThinkingPart("t"), CALL, TextPart("b"), ThinkingPart("u")),
    created_at="2024-01-01T00:00:00Z",
    metadata={"k": 1},
)


def test_a_message_tells_its_text_thinking_and_calls():
    assert MESSAGE.text == "ab"
    assert MESSAGE.thinking == "tu"
    assert MESSAGE.tool_calls == (CALL,)


def test_the_text_of_one_part_is_that_text():
    text = "a" * 100
    assert UIMessage(id="m", role="user", parts=(TextPart(text),)).text is text


def test_a_message_comes_back_as_it_went():
    assert UIMessage.from_wire(MESSAGE.to_wire(with_input=True)) == MESSAGE


def test_absent_members_are_not_on_the_wire():
    wire = UIMessage(id="m", role="user").to_wire()
    assert wire == {"id": "m", "role": "user", "parts": []}


def test_a_malformed_message_is_read_as_far_as_it_goes():
    wire = {"id": 7, "role": "nobody", "parts": "none", "metadata": 7}
    assert UIMessage.from_wire(wire) == UIMessage(id="", role="assistant")


def test_a_message_cannot_be_changed():
    with pytest.raises(AttributeError):
        MESSAGE.id = "n"  # pyright: ignore[reportAttributeAccessIssue] - the point


@pytest.mark.parametrize(
    ("word", "role"),
    [
        ("user", "user"),
        ("system", "system"),
        ("developer", "assistant"),
        (7, "assistant"),
    ],
)
def test_an_unknown_role_is_an_assistant(word: object, role: str):
    assert role_of(word) == role


def test_halves_of_a_character_meet_though_another_part_is_between_them():
    parts = (TextPart("a\ud83d"), ThinkingPart("hm\ud83d"), TextPart("\ude80b"))
    message = UIMessage(id="m", role="assistant", parts=parts)
    assert (message.text, message.thinking) == ("a\U0001f680b", "hm\ud83d")
    processor = StreamProcessor(initial_messages=[message])
    assert processor.text_of("m") == "a\U0001f680b"
