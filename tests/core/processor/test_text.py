from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.messages import UIMessage
from aistream_nb.core.processor.processor import StreamProcessor


def start(message_id: str, role: str = "assistant") -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": role}


def text(message_id: str, delta: str) -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


ASK = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}


def fold(*events: dict[str, Any], **options: Any) -> StreamProcessor:
    processor = StreamProcessor(message_per_id=True, **options)
    for event in events:
        processor.receive(event)
    return processor


def shown(processor: StreamProcessor) -> dict[str, str]:
    return {message.id: message.text for message in processor.messages}


def test_a_start_alone_makes_no_message():
    processor = fold(start("a"), start("b"))
    assert processor.messages == ()
    assert processor.current_id is None


def test_each_id_is_a_message_of_its_own():
    processor = fold(start("a"), text("a", "1"), start("b"), text("b", "2"))
    assert shown(processor) == {"a": "1", "b": "2"}
    assert processor.current_id == "b"


def test_messages_that_are_open_together_keep_their_roles():
    processor = fold(
        start("a", "user"), start("b"), text("a", "1"), text("b", "2"), text("a", "3")
    )
    assert shown(processor) == {"a": "13", "b": "2"}
    assert [message.role for message in processor.messages] == ["user", "assistant"]
    assert processor.result.content == "132"


def test_content_that_nobody_announced_makes_its_message():
    assert shown(fold(text("a", "1"), text("b", "2"))) == {"a": "1", "b": "2"}


def test_content_without_an_id_goes_on():
    bare = {"type": "TEXT_MESSAGE_CONTENT", "delta": "2"}
    assert shown(fold(start("a"), text("a", "1"), bare)) == {"a": "12"}


def test_a_start_without_an_id_begins_a_part():
    processor = fold(text("a", "1"), {"type": "TEXT_MESSAGE_START"}, text("a", "2"))
    assert len(processor.messages[0].parts) == 2


def test_a_made_up_message_takes_over_the_first_id():
    processor = fold(ASK)
    processor.take_changes()
    processor.receive(start("a"))
    processor.receive(text("a", "1"))
    assert shown(processor) == {"a": "1"}
    assert processor.take_changes() == ("msg-1", "a")
    assert processor.message("msg-1") is None


def test_a_message_of_another_role_does_not_take_it_over():
    processor = fold(ASK, start("u", "user"), text("u", "q"))
    assert list(shown(processor)) == ["msg-1", "u"]


def test_a_message_that_the_host_removed_is_not_renamed():
    processor = fold(ASK)
    processor.set_messages([])
    processor.receive(start("a"))
    processor.receive(text("a", "1"))
    assert shown(processor) == {"a": "1"}


def test_content_without_a_start_goes_to_a_made_up_message():
    assert shown(fold(ASK, text("a", "1"))) == {"msg-1": "1"}


def test_calls_after_a_start_belong_to_the_message_it_names():
    processor = fold(text("a", "1"), start("b"), ASK)
    assert processor.messages[1].id == "b"
    assert processor.messages[1].tool_calls[0].id == "c"


def test_a_reloaded_message_goes_on_where_it_stopped():
    old = UIMessage.from_wire(
        {"id": "a", "role": "assistant", "parts": [{"type": "text", "content": "1"}]}
    )
    processor = fold(text("a", "2"), text("a", "3"), initial_messages=[old])
    assert shown(processor) == {"a": "123"}
    assert processor.result.content == "123"
    assert len(processor.messages[0].parts) == 1
    assert processor.current_id == "a"


def test_a_reloaded_message_that_ends_otherwise_gets_a_part():
    old = {"id": "a", "role": "assistant", "parts": [{"type": "thinking"}]}
    processor = fold(text("a", "2"), initial_messages=[old])
    assert len(processor.messages[0].parts) == 2


def test_a_message_goes_on_in_the_next_stream():
    processor = fold(start("a"), text("a", "1"))
    processor.prepare()
    processor.receive(text("a", "2"))
    assert shown(processor) == {"a": "12"}
    assert processor.result.content == "12"


def test_an_empty_delta_changes_no_message():
    processor = fold(text("a", "1"))
    before = processor.messages
    processor.receive(text("a", ""))
    assert processor.messages is before


def test_a_notice_says_which_message_changed():
    notices: list[str | None] = []
    fold(text("a", "1"), text("a", "2"), callbacks={"on_change": notices.append})
    assert notices == ["a", "a", "a"]


def test_whoever_wants_the_text_gets_it_after_every_delta():
    told: list[tuple[str, str]] = []
    fold(
        text("a", "1"),
        text("a", "2"),
        callbacks={"on_text_update": lambda *update: told.append(update)},
    )
    assert told == [("a", "1"), ("a", "12")]


def test_a_delta_is_seen_though_the_message_was_touched_since_it_was_seen():
    processor = fold(
        ASK | {"parentMessageId": "a"},
        {
            "type": "CUSTOM",
            "name": "approval-requested",
            "value": {
                "toolCallId": "c",
                "toolName": "f",
                "input": {},
                "approval": {"id": "q", "needsApproval": True},
            },
        },
        text("a", "1"),
    )
    assert shown(processor) == {"a": "1"}
    processor.add_tool_approval_response("q", approved=True)
    processor.receive(text("a", "2"))
    assert shown(processor) == {"a": "12"}


RUN: dict[str, Any] = {"type": "RUN_STARTED"}
THOUGHT = {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "hm"}


def ignore(*_: object) -> None:
    """Listen, and do nothing."""


LISTENERS: list[dict[str, Any]] = [{}, {"on_text_update": ignore}]


@pytest.mark.parametrize("callbacks", LISTENERS, ids=["nobody", "somebody"])
def test_text_that_goes_on_in_a_new_run_keeps_the_thinking_after_it(
    callbacks: dict[str, Any],
):
    events = [text("a", "1"), RUN, text("a", "2"), THOUGHT]
    message = fold(*events, callbacks=callbacks).messages[0]
    assert [part.type for part in message.parts] == ["text", "thinking"]


@pytest.mark.parametrize("callbacks", LISTENERS, ids=["nobody", "somebody"])
def test_an_empty_delta_changes_nothing(callbacks: dict[str, Any]):
    notices: list[str | None] = []
    callbacks = {**callbacks, "on_change": notices.append}
    processor = fold(text("a", "1"), callbacks=callbacks)
    before, heard = processor.messages, len(notices)
    processor.receive(text("a", ""))
    assert processor.messages is before
    assert len(notices) == heard


@pytest.mark.parametrize("delta", [None, 7, ["x"], {"x": 1}])
def test_a_delta_that_is_no_text_is_none(delta: Any):
    assert shown(fold(text("a", "1"), text("a", delta), text("a", "2"))) == {"a": "12"}


def test_what_a_notice_raises_is_the_caller_s_and_the_text_is_there_once():
    def refuse(_: str | None) -> None:
        raise KeyError("delta")

    processor = fold(text("a", "1"))
    processor = StreamProcessor(
        message_per_id=True,
        callbacks={"on_change": refuse},
        initial_messages=processor.messages,
    )
    for delta in "23":
        with pytest.raises(KeyError):
            processor.receive(text("a", delta))
    assert shown(processor) == {"a": "123"}
