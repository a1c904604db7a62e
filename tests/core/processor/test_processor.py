from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from ag_ui import core as sdk

from aistream_nb.core.messages import (
    MediaPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
)
from aistream_nb.core.processor.callbacks import Problem
from aistream_nb.core.processor.processor import StreamProcessor, counted_ids
from aistream_nb.core.values import ABSENT

ASK = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}
ARGS = {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"n": 1}'}
END = {"type": "TOOL_CALL_END", "toolCallId": "c"}


def text(delta: str, message_id: str = "m") -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


def fold(*events: Any, **options: Any) -> StreamProcessor:
    processor = StreamProcessor(**options)
    for event in events:
        processor.receive(event)
    return processor


def test_an_event_may_be_text_or_an_object_of_the_official_package():
    started = sdk.TextMessageStartEvent(
        type=sdk.EventType.TEXT_MESSAGE_START, message_id="m", role="assistant"
    )
    written = '{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "a"}'
    processor = fold(started, written, message_per_id=True)
    assert processor.messages[0].id == "m"
    assert processor.text_of("m") == "a"


def test_ids_are_counted_and_times_unknown_unless_told_otherwise():
    assert fold(text("a")).messages[0].id == "msg-1"
    assert fold(text("a")).messages[0].created_at is None
    told = fold(text("a"), id_factory=counted_ids("x"), now=lambda: 7)
    assert (told.messages[0].id, told.messages[0].created_at) == ("x1", 7)


def test_an_unknown_type_has_no_effect_and_is_no_problem():
    problems: list[Problem] = []
    processor = fold(
        {"type": "NEVER_HEARD_OF"}, callbacks={"on_problem": problems.append}
    )
    assert (processor.messages, problems) == ((), [])


def test_a_problem_tells_where_it_was():
    problems: list[Problem] = []
    fold(
        text("a"),
        {"type": "TEXT_MESSAGE_CONTENT", "delta": 7},
        callbacks={"onProblem": problems.append},
    )
    assert problems == [
        Problem(
            index=1,
            event_type="TEXT_MESSAGE_CONTENT",
            field="delta",
            came="int",
            assumed='""',
        )
    ]


def test_each_process_is_a_new_turn():
    processor = StreamProcessor()
    processor.process([text("one")])
    result = processor.process([text("two")])
    assert [message.text for message in processor.messages] == ["one", "two"]
    assert result.content == "two"


async def test_a_stream_that_is_waited_for_comes_to_the_same():
    async def arriving() -> AsyncIterator[dict[str, Any]]:
        for delta in ("a", "b"):
            yield text(delta)

    processor = StreamProcessor(recording=True)
    result = await processor.aprocess(arriving())
    assert result.content == "ab"
    assert processor.recording is not None
    assert processor.recording.result == result.to_wire()


def test_what_is_recorded_is_whole_also_in_the_middle_of_a_text_and_after_a_reset():
    processor = fold(text("a"), text("b"))
    receive = processor.receive
    processor.start_recording()
    receive(text("c"))
    receive(text("d"))
    processor.reset()
    receive(text("e"))
    receive(text("f"))
    assert processor.recording is not None
    recorded = [event["delta"] for event in processor.recording.events]
    assert recorded == ["c", "d", "e", "f"]
    assert [message.text for message in processor.messages] == ["ef"]


def test_a_chunk_that_is_open_ends_where_other_text_goes_on():
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "a", "delta": "2"}
    processor = fold(text("1"), text("1"), chunk, text("3"), {**chunk, "delta": "4"})
    parts = [part for message in processor.messages for part in message.parts]
    assert [part.to_wire()["content"] for part in parts] == ["11", "23", "4"]


def test_what_a_source_raises_is_not_caught_and_what_came_stays():
    def failing() -> Any:
        yield text("a")
        raise OSError("gone")

    processor = StreamProcessor()
    with pytest.raises(OSError, match="gone"):
        processor.process(failing())
    assert processor.text_of("msg-1") == "a"


def test_changes_are_told_once():
    processor = fold(text("a"))
    assert processor.take_changes() == ("msg-1",)
    assert processor.take_changes() == ()
    processor.receive(text("b"))
    assert processor.take_changes() == ("msg-1",)


def test_a_message_that_went_is_among_the_changes():
    processor = fold(text("a"))
    processor.take_changes()
    processor.clear_messages()
    assert processor.take_changes() == ("msg-1",)
    assert processor.message("msg-1") is None
    assert processor.text_of("msg-1") == ""


def test_messages_that_stay_are_the_same_objects():
    old = UIMessage(id="u", role="user", parts=(TextPart("q"),))
    processor = fold(text("a"), initial_messages=[old])
    before = processor.messages
    assert before[0] is old
    assert processor.messages is before
    processor.receive(text("b"))
    assert processor.messages[0] is old
    assert processor.messages[1] is not before[1]
    assert before[1].text == "a"


def test_a_view_of_the_arguments_grows_without_being_made_again():
    processor = fold(ASK)
    assert processor.parsed_arguments("c") is ABSENT
    processor.receive({**ARGS, "delta": '{"list": [1'})
    view = processor.parsed_arguments("c")
    assert view == {"list": [1]}
    processor.receive({**ARGS, "delta": ", 2"})
    assert processor.parsed_arguments("c") is view
    assert processor.parsed_arguments("unknown") is ABSENT


def test_the_state_keeps_what_it_showed():
    processor = fold(ASK, {**ARGS, "delta": '{"list": [1'})
    before = processor.state
    processor.receive({**ARGS, "delta": ", 2]}"})
    assert before.tool_calls[0].parsed_arguments == {"list": [1]}


def test_deep_and_long_arguments_cost_what_they_are():
    deep = "[" * 20_000
    processor = fold(ASK, *({**ARGS, "delta": deep} for _ in range(3)), END)
    assert processor.messages[0].tool_calls[0].input is ABSENT
    long = fold(ASK, *({**ARGS, "delta": "x" * 1_000} for _ in range(2_000)), END)
    assert len(long.messages[0].tool_calls[0].arguments) == 2_000_000


def test_another_parser_reads_the_arguments():
    class Length:
        def parse(self, text: str) -> object:
            return len(text)

    processor = fold(ASK, ARGS, json_parser=Length())
    assert processor.state.tool_calls[0].parsed_arguments == 8
    assert processor.parsed_arguments("c") == 8


def test_what_a_callback_raises_goes_to_the_caller_and_what_changed_stays():
    def refuse(*_: object) -> None:
        raise RuntimeError("no")

    processor = StreamProcessor(callbacks={"on_text_update": refuse})
    with pytest.raises(RuntimeError, match="no"):
        processor.receive(text("a"))
    assert processor.messages[0].text == "a"


def test_a_callback_may_take_the_message_away():
    processor: StreamProcessor

    def clear() -> None:
        processor.clear_messages()

    processor = StreamProcessor(callbacks={"on_stream_start": clear})
    processor.receive(text("a"))
    processor.receive(ASK)
    processor.receive({"type": "STEP_FINISHED", "stepId": "s", "delta": "t"})
    processor.receive({"type": "REASONING_MESSAGE_CONTENT", "delta": "t"})
    assert processor.messages == ()
    assert processor.start() is None


def test_a_user_says_text_or_parts():
    processor = StreamProcessor()
    image = {"type": "image", "source": {"type": "url", "value": "https://x.test"}}
    first = processor.add_user_message("Ahoy")
    second = processor.add_user_message([image, TextPart("?")], message_id="u")
    assert first == UIMessage(id="msg-1", role="user", parts=(TextPart("Ahoy"),))
    assert second.id == "u"
    assert isinstance(second.parts[0], MediaPart)
    assert processor.messages == (first, second)


def test_a_result_for_nobody_is_told_and_changes_nothing():
    problems: list[Problem] = []
    processor = fold(text("a"), callbacks={"on_problem": problems.append})
    before = processor.messages
    assert processor.add_tool_result("ghost", 1) is False
    assert processor.messages is before
    assert [problem.field for problem in problems] == ["tool_call_id"]


def test_a_result_of_the_host_stands_beside_its_call():
    processor = fold(ASK, ARGS, END)
    assert processor.are_all_tools_complete() is False
    assert processor.add_tool_result("c", {"ok": True}) is True
    call, result = processor.messages[0].parts
    assert isinstance(call, ToolCallPart)
    assert call.output == {"ok": True}
    assert result == ToolResultPart(tool_call_id="c", content='{"ok":true}')
    assert processor.are_all_tools_complete() is True


def test_the_last_assistant_alone_decides_whether_tools_are_complete():
    processor = fold(ASK, END)
    processor.add_user_message("well?")
    assert processor.are_all_tools_complete() is False
    assert StreamProcessor().are_all_tools_complete() is True
    users = [{"id": "u", "role": "user", "parts": []}]
    assert StreamProcessor(initial_messages=users).are_all_tools_complete() is True


def test_a_reset_processor_is_a_new_one():
    processor = fold(text("a"), ASK, {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}})
    processor.reset()
    assert processor.messages == ()
    assert processor.state == StreamProcessor().state
    assert processor.shared_state == {}
    assert processor.current_id is None


def test_a_stream_can_begin_with_its_message_there():
    processor = StreamProcessor()
    assert processor.start() == "msg-1"
    processor.receive(text("a"))
    assert [message.text for message in processor.messages] == ["a"]


def test_retired_thinking_is_thinking():
    kinds = ("THINKING_START", "THINKING_TEXT_MESSAGE_START")
    processor = fold(
        *({"type": kind} for kind in kinds),
        {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "hm"},
    )
    assert processor.messages[0].thinking == "hm"


def test_chunks_are_starts_and_contents_and_ends():
    call = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c"}
    processor = fold(
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "a"},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "b"},
        {"type": "RAW", "event": 1},
        {**call, "toolCallName": "f", "delta": "{"},
        {**call, "delta": "}"},
        {"type": "RUN_FINISHED"},
        message_per_id=True,
    )
    message = processor.messages[0]
    assert (message.id, message.text) == ("m", "ab")
    assert message.tool_calls[0].input == {}


def test_the_model_is_told_the_conversation():
    processor = fold(text("a"))
    processor.add_user_message("q")
    assert processor.to_model_messages() == [
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "q"},
    ]
    assert processor.to_model_messages(faithful=True)[0]["id"] == "msg-1"


def test_older_messages_come_first_and_known_ids_once():
    processor = StreamProcessor(initial_messages=[{"id": "b", "role": "user"}])
    older = [{"id": name, "role": "user", "parts": []} for name in ("a", "b", "a")]
    processor.prepend_messages(older)
    assert [message.id for message in processor.messages] == ["a", "b"]
