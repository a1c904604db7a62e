"""Frames bring a browser up to date, whatever happens to the conversation."""

from __future__ import annotations

from typing import Any

import pytest
from browser_copy import Copy, FakeConversation, Pair, encoder_of
from hypothesis import given, settings, strategies as st

from aistream_nb.core.parts import MediaPart, TextPart, ToolCallPart
from aistream_nb.widgets.wire_views import ConversationView


@pytest.fixture
def pair() -> Pair:
    made = Pair()
    made.start()
    made.take()
    return made


def test_a_text_is_opened_once_and_then_only_grows(pair: Pair) -> None:
    pair.say("Hel")
    assert pair.kinds() == ["open-message", "open-part"]
    pair.more("lo ")
    pair.more("there")
    (frame,) = pair.take()
    assert (frame.type, frame.text) == ("append-text", "lo there")
    assert pair.take() == ()


def test_the_first_piece_is_urgent_and_the_next_can_wait(pair: Pair) -> None:
    pair.urgent.clear()
    pair.say("a")
    pair.take()
    pair.more("b")
    assert pair.urgent == [True, True, False]


def test_a_part_is_closed_when_another_begins_or_the_run_ends(pair: Pair) -> None:
    pair.say("one", message="m1")
    pair.take()
    pair.receive("TEXT_MESSAGE_END", messageId="m1")
    pair.say("two", message="m2")
    assert "close-part" in pair.kinds()
    pair.finish()
    assert pair.kinds() == ["put-run", "put-turn", "close-part"]


def test_thinking_says_how_long_it_took(pair: Pair) -> None:
    pair.receive("REASONING_START", messageId="t")
    pair.receive("REASONING_MESSAGE_START", messageId="t", role="reasoning")
    pair.receive("REASONING_MESSAGE_CONTENT", messageId="t", delta="hm")
    pair.take()
    pair.now = 4.2
    pair.receive("REASONING_MESSAGE_END", messageId="t")
    pair.receive("REASONING_END", messageId="t")
    pair.say("so", message="m")
    assert pair.kinds()[0] == "rename-message"
    thinking = pair.copy.view["messages"][0]["parts"][0]
    assert (thinking["kind"], thinking["seconds"]) == ("thinking", 4.2)


def test_a_call_is_described_before_its_part_and_its_arguments_grow(pair: Pair) -> None:
    pair.say("x")
    pair.receive(
        "TOOL_CALL_START", toolCallId="c", toolCallName="f", parentMessageId="m"
    )
    kinds = pair.kinds()
    assert kinds.index("put-call") < len(kinds) - kinds[::-1].index("open-part") - 1
    pair.receive("TOOL_CALL_ARGS", toolCallId="c", delta='{"a"')
    pair.receive("TOOL_CALL_ARGS", toolCallId="c", delta=": 1}")
    (frame,) = pair.take()
    assert (frame.type, frame.text) == ("append-arguments", '{"a": 1}')
    pair.receive("TOOL_CALL_END", toolCallId="c")
    pair.receive("TOOL_CALL_RESULT", toolCallId="c", messageId="r", content="done")
    pair.take()
    assert pair.copy.view["calls"]["c"]["status"] == "complete"
    assert pair.copy.view["arguments"]["c"] == '{"a": 1}'


def test_bytes_are_linear_in_the_text(pair: Pair) -> None:
    pair.say("start")
    pair.take()
    sent = 0
    for _ in range(400):
        pair.more("word ")
        sent += sum(len(frame.model_dump_json()) for frame in pair.take())
    assert sent < 400 * 120


def test_a_whole_other_conversation_starts_over(pair: Pair) -> None:
    pair.say("one", message="m1")
    pair.say("two", message="m2")
    pair.take()
    messages = [
        {"id": "m2", "role": "assistant", "content": "two"},
        {"id": "m1", "role": "assistant", "content": "one"},
    ]
    pair.receive("MESSAGES_SNAPSHOT", messages=messages)
    assert pair.kinds() == ["reset"]
    assert [m["id"] for m in pair.copy.view["messages"]] == ["m2", "m1"]


def test_a_message_that_went_is_dropped(pair: Pair) -> None:
    pair.say("one", message="m1")
    pair.say("two", message="m2")
    pair.take()
    messages = [{"id": "m1", "role": "assistant", "content": "one"}]
    pair.receive("MESSAGES_SNAPSHOT", messages=messages)
    assert "drop" in pair.kinds()
    assert [m["id"] for m in pair.copy.view["messages"]] == ["m1"]


def test_forgetting_everything_empties_the_copy(pair: Pair) -> None:
    pair.say("one")
    pair.take()
    pair.conversation.reset()
    pair.take()
    assert pair.copy.view["messages"] == []


def test_half_of_a_surrogate_pair_waits_for_the_other_half(pair: Pair) -> None:
    whole = "😀"
    first, second = whole.encode("utf-16-le")[:2], whole.encode("utf-16-le")[2:]
    halves = [half.decode("utf-16-le", "surrogatepass") for half in (first, second)]
    fake = FakeConversation()
    fake.put("m", TextPart("a" + halves[0]))
    encoder, copy = encoder_of(fake), Copy()
    copy.apply(encoder.take())
    assert copy.view["messages"][0]["parts"][0]["text"] == "a"
    fake.put("m", TextPart("a" + whole))
    encoder.note_everything()
    copy.apply(encoder.take())
    assert copy.view["messages"][0]["parts"][0]["text"] == "a" + whole


def test_parts_that_change_their_kind_or_shrink_are_replaced() -> None:
    fake = FakeConversation()
    encoder, copy = encoder_of(fake), Copy()
    image = MediaPart(type="image", source={"type": "url", "value": "https://x/y"})
    steps: list[tuple[Any, ...]] = [
        (TextPart("one"), TextPart("two"), TextPart("three")),
        (TextPart("one"), TextPart("2")),
        (TextPart("one"), image),
        (TextPart("one"), image),
        (TextPart("one"), ToolCallPart(id="c", name="f")),
        (),
    ]
    for parts in steps:
        fake.put("m", *parts)
        encoder.note_everything()
        copy.apply(encoder.take())
        assert (
            copy.view["messages"]
            == encoder.snapshot().model_dump(mode="json")["messages"]
        )
    assert copy.view["messages"][0]["parts"] == []


IDS = st.sampled_from(["m1", "m2", "m3"])
CALLS = st.sampled_from(["c1", "c2"])
TEXT = st.text(alphabet='ab😀\ud83d"{}: ,1', max_size=6)
EVENTS = st.one_of(
    st.just({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
    st.just({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    st.just({"type": "RUN_ERROR", "message": "no"}),
    st.builds(
        lambda kind, message: {"type": kind, "messageId": message, "role": "assistant"},
        st.sampled_from(["TEXT_MESSAGE_START", "TEXT_MESSAGE_END"]),
        IDS,
    ),
    st.builds(
        lambda kind, message, text: {"type": kind, "messageId": message, "delta": text},
        st.sampled_from(["TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"]),
        IDS,
        TEXT,
    ),
    st.builds(
        lambda call, message: {
            "type": "TOOL_CALL_START",
            "toolCallId": call,
            "toolCallName": "f",
            "parentMessageId": message,
        },
        CALLS,
        IDS,
    ),
    st.builds(
        lambda call, text: {
            "type": "TOOL_CALL_ARGS",
            "toolCallId": call,
            "delta": text,
        },
        CALLS,
        TEXT,
    ),
    st.builds(
        lambda call, text: {
            "type": "TOOL_CALL_RESULT",
            "toolCallId": call,
            "messageId": "r",
            "content": text,
        },
        CALLS,
        TEXT,
    ),
    st.builds(
        lambda ids: {
            "type": "MESSAGES_SNAPSHOT",
            "messages": [{"id": i, "role": "assistant", "content": i} for i in ids],
        },
        st.lists(IDS, unique=True, max_size=3),
    ),
)


@given(st.lists(st.tuples(EVENTS, st.booleans()), max_size=25))
@settings(max_examples=150, deadline=None)
def test_a_copy_that_follows_the_frames_equals_a_snapshot_at_every_step(
    steps: list[tuple[dict[str, Any], bool]],
) -> None:
    pair = Pair()
    for event, flush in steps:
        pair.conversation.receive(event)
        if flush:
            pair.take()
            agree(pair)
    pair.take()
    agree(pair)
    fresh = encoder_of(pair.conversation)
    fresh.take()
    assert plain(fresh.snapshot()) == plain(pair.encoder.snapshot())


def agree(pair: Pair) -> None:
    snapshot = pair.encoder.snapshot().model_dump(mode="json")
    named = {
        part["call"]
        for message in pair.copy.view["messages"]
        for part in message["parts"]
        if part["kind"] == "call"
    }
    assert pair.copy.view["messages"] == snapshot["messages"]
    assert pair.copy.view["run"] == snapshot["run"]
    for call in named & set(snapshot["calls"]):
        assert pair.copy.view["calls"][call] == snapshot["calls"][call]
        assert pair.copy.view["arguments"][call] == snapshot["arguments"][call]


def plain(view: ConversationView) -> Any:
    """Without what only a view knows that was there: times, and what is open."""
    return [
        (m.id, m.role, [(p.kind, getattr(p, "text", None)) for p in m.parts])
        for m in view.messages
    ]
