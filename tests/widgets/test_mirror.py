"""What a browser was told: how it is compared, and how it is cut."""

from __future__ import annotations

import pytest
from browser_copy import FakeConversation, FakeMessage, encoder_of

from aistream_nb.core.parts import TextPart, ThinkingPart, ToolCallPart
from aistream_nb.widgets.mirror import (
    SentMessage,
    SentPart,
    continues,
    fitting,
    whole_text,
)
from aistream_nb.widgets.wire_views import TextPartView


def test_a_snapshot_can_be_cut_and_says_so() -> None:
    fake = FakeConversation()
    for number in range(5):
        fake.put(f"m{number}", TextPart("x" * 100))
    encoder = encoder_of(fake)
    encoder.take()
    assert encoder.snapshot(limit=2).cut == 3
    small = fitting(encoder.snapshot(), limit=450)
    assert 0 < len(small.messages) < 5
    assert small.cut == 5 - len(small.messages)
    assert len(fitting(encoder.snapshot(), limit=1).messages) == 1
    assert fitting(encoder.snapshot(), limit=10**6).cut == 0


def test_a_cut_view_keeps_only_the_calls_that_it_shows() -> None:
    fake = FakeConversation()
    for name in ("one", "two"):
        fake.put(f"m-{name}", ToolCallPart(id=name, name="f"), TextPart("x" * 300))
        fake.tool_calls[name] = FakeCall(name)
    encoder = encoder_of(fake)
    encoder.take()
    small = fitting(encoder.snapshot(), limit=500)
    assert [message.id for message in small.messages] == ["m-two"]
    assert set(small.calls) == set(small.arguments) == {"two"}


class FakeCall:
    name = "f"
    arguments = "{}"
    status = "ready"

    def __init__(self, call_id: str) -> None:
        self.id = call_id


@pytest.mark.parametrize(
    ("role", "parts", "same"),
    [
        ("assistant", (TextPart("one and more"),), True),
        ("assistant", (TextPart("one"), TextPart("two")), True),
        ("assistant", (TextPart("another"),), False),
        ("assistant", (ThinkingPart("one"),), False),
        ("assistant", (), False),
        ("user", (TextPart("one"),), False),
    ],
)
def test_a_message_continues_one_that_says_the_beginning(
    role: str, parts: tuple[TextPart, ...], *, same: bool
) -> None:
    part = TextPart("one")
    sent = SentMessage("assistant", [SentPart(part, "one", TextPartView(text="one"))])
    assert continues(sent, FakeMessage("n", role, parts)) is same


def test_a_text_ends_with_a_whole_character() -> None:
    assert whole_text(TextPart("a\ud83d")) == "a"
    assert whole_text(TextPart("a\ude00")) == "a\ude00"
    assert whole_text(TextPart("")) == ""
    assert whole_text(ToolCallPart(id="c", name="f")) is None
