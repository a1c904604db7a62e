from __future__ import annotations

from typing import Any

from aistream_nb.core.messages import UIMessage
from aistream_nb.core.processor.callbacks import Problem
from aistream_nb.core.processor.processor import StreamProcessor

START = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}
ARGS = {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{"}
ASK = {"id": "c", "function": {"name": "f", "arguments": ""}}
ANSWER = {"id": "x", "role": "tool", "toolCallId": "c", "content": "7"}


def row(message_id: str, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"id": message_id, "role": role, "content": message_id, **more}


def run(*rows: Any) -> dict[str, Any]:
    return {"type": "RUN_STARTED", "input": {"messages": list(rows)}}


def snapshot(*rows: Any) -> dict[str, Any]:
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(rows)}


def text(delta: str, message_id: str = "m") -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


def fold(*events: dict[str, Any], **options: Any) -> StreamProcessor:
    processor = StreamProcessor(message_per_id=True, **options)
    for event in events:
        processor.receive(event)
    return processor


def ids(processor: StreamProcessor) -> list[str]:
    return [message.id for message in processor.messages]


def test_a_run_shows_what_it_was_asked():
    notices: list[str | None] = []
    processor = fold(run(row("u")), callbacks={"on_change": notices.append})
    assert processor.messages[0].text == "u"
    assert notices == [None]


def test_what_is_known_is_not_shown_again():
    processor = fold(run(row("u")), text("a"))
    before = processor.messages
    processor.receive(run(row("u"), row("m", "assistant"), 7, {"role": "user"}))
    assert processor.messages is before


def test_reasoning_comes_with_the_message_it_precedes():
    thought = {"id": "r", "role": "reasoning", "content": "hm"}
    processor = fold(run(thought, row("a", "assistant")))
    assert processor.messages[0].thinking == "hm"
    processor.receive(run(thought, row("a", "assistant"), row("b", "assistant")))
    assert ids(processor) == ["a", "b"]
    assert processor.messages[1].thinking == ""


def test_activities_are_no_history():
    assert ids(fold(run(row("x", "activity")))) == []


def test_a_result_that_the_host_gave_reaches_its_call():
    processor = fold({**START, "parentMessageId": "m"})
    processor.receive(run(ANSWER))
    assert processor.messages[0].tool_calls[0].output == 7
    before = processor.messages
    processor.receive(run({**ANSWER, "content": "8"}))
    assert processor.messages is before


def test_a_result_without_its_call_is_a_message():
    assert ids(fold(run(ANSWER, {"role": "tool"}))) == ["x"]


def test_a_run_without_messages_shows_nothing():
    for given in (None, 7, {}, {"messages": 7}):
        assert ids(fold({"type": "RUN_STARTED", "input": given})) == []


def test_a_snapshot_is_the_history():
    processor = fold(text("a"), snapshot(row("u"), row("a", "assistant")))
    assert ids(processor) == ["u", "a"]
    assert processor.current_id is None
    assert processor.result.content == ""


def test_text_goes_on_in_the_message_that_the_snapshot_has():
    processor = fold(text("1"), snapshot(row("m", "assistant")), text("2"))
    assert processor.messages[0].text == "m2"


def test_a_call_goes_on_if_the_snapshot_has_it():
    started = {**START, "parentMessageId": "a"}
    asked = row("a", "assistant", toolCalls=[ASK])
    processor = fold(started, ARGS, snapshot(asked), {**ARGS, "delta": "}"})
    assert processor.messages[0].tool_calls[0].arguments == "{}"


def test_a_call_goes_on_also_where_a_stream_is_one_message():
    processor = StreamProcessor()
    for event in (START, ARGS, snapshot(row("a", "assistant", toolCalls=[ASK]))):
        processor.receive(event)
    processor.receive({**ARGS, "delta": "}"})
    assert processor.messages[0].tool_calls[0].arguments == "{}"


def test_a_call_ends_if_the_snapshot_lacks_it():
    processor = fold(START, ARGS, snapshot(row("a", "assistant")), ARGS)
    assert processor.messages[0].tool_calls == ()


def test_a_snapshot_that_is_none_changes_nothing_and_is_told():
    problems: list[Problem] = []
    processor = fold(text("a"), callbacks={"on_problem": problems.append})
    before = processor.messages
    processor.receive({"type": "MESSAGES_SNAPSHOT", "messages": 7})
    assert processor.messages is before
    assert [problem.field for problem in problems] == ["messages"]


def users(*names: str) -> list[UIMessage]:
    return [UIMessage(id=name, role="user") for name in names]


def test_messages_can_be_cut_off():
    processor = fold(initial_messages=users("a", "b", "c", "d"))
    processor.remove_messages_after(10)
    assert ids(processor) == ["a", "b", "c", "d"]
    processor.remove_messages_after(2)
    assert ids(processor) == ["a", "b", "c"]
    processor.remove_messages_after(-2)
    assert ids(processor) == ["a", "b"]
    processor.remove_messages_after(-1)
    assert ids(processor) == []


def test_a_message_that_was_cut_off_takes_its_content_with_it():
    processor = StreamProcessor(initial_messages=users("u"))
    processor.receive(text("1"))
    processor.remove_messages_after(0)
    processor.receive(text("2"))
    assert ids(processor) == ["u"]
    assert processor.current_id == "msg-1"


def test_a_message_that_was_cut_off_is_made_again_when_it_is_named():
    processor = fold(text("1"), initial_messages=users("u"))
    processor.remove_messages_after(0)
    processor.receive(text("2"))
    assert ids(processor) == ["u", "m"]
    assert processor.text_of("m") == "2"


def test_a_call_that_was_replaced_goes_on():
    processor = fold({**START, "parentMessageId": "a"}, ARGS)
    processor.set_messages([message.to_wire() for message in processor.messages])
    processor.receive({**ARGS, "delta": "}"})
    assert processor.messages[0].tool_calls[0].arguments == "{}"


def test_messages_that_are_open_together_go_on_after_they_were_replaced():
    processor = fold(text("1", "a"), text("2", "b"), START)
    processor.set_messages([message.to_wire() for message in processor.messages])
    for event in (text("3", "a"), text("4", "b"), {**ARGS, "delta": "{}"}):
        processor.receive(event)
    assert [message.text for message in processor.messages] == ["13", "24"]
    assert processor.result.content == "1324"
    assert processor.messages[1].tool_calls[0].arguments == "{}"


def test_two_messages_of_one_id_are_both_kept():
    processor = fold(initial_messages=users("a", "a"))
    assert ids(processor) == ["a", "a"]
    processor.receive(text("1", "a"))
    assert [message.text for message in processor.messages] == ["1", ""]


def test_an_answer_to_a_call_whose_id_is_no_text_is_a_message_of_its_own():
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    answers = [
        {**ANSWER, "id": name, "toolCallId": of} for name, of in (("x", 7), ("y", deep))
    ]
    for answer in answers:
        assert ids(fold(run(answer))) == [answer["id"]]
