from __future__ import annotations

from typing import Any

from aistream_nb.core.messages import StructuredOutputPart
from aistream_nb.core.processor.callbacks import StructuredChange
from aistream_nb.core.processor.processor import StreamProcessor


def start(message_id: str = "m") -> dict[str, Any]:
    return custom("start", {"messageId": message_id})


def complete(**value: Any) -> dict[str, Any]:
    return custom("complete", value)


def custom(phase: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "CUSTOM", "name": f"structured-output.{phase}", "value": value}


def text(delta: str, message_id: str = "m") -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


def fold(*events: dict[str, Any], **options: Any) -> StreamProcessor:
    processor = StreamProcessor(**options)
    for event in events:
        processor.receive(event)
    return processor


def the_part(processor: StreamProcessor) -> Any:
    (part,) = processor.messages[0].parts
    return part


def test_text_becomes_a_value_that_grows():
    processor = fold(start(), text('{"list": [1'), text(""), message_per_id=True)
    assert processor.messages[0].id == "m"
    before = the_part(processor)
    assert before.partial == {"list": [1]}
    processor.receive(text(", 2]}"))
    assert the_part(processor).partial == {"list": [1, 2]}
    assert before.partial == {"list": [1]}
    assert processor.result.content == '{"list": [1, 2]}'


def test_the_value_comes_whole():
    processor = fold(start(), text("{"), complete(object={"n": 1}, raw='{"n":1}'))
    assert the_part(processor) == StructuredOutputPart(
        status="complete", raw='{"n":1}', partial={"n": 1}, data={"n": 1}
    )
    processor.receive(text("after"))
    assert processor.messages[0].text == "after"


def test_a_value_without_text_writes_its_own():
    processor = fold(complete(object={"n": 1}, reasoning="because"))
    assert the_part(processor).raw == '{"n":1}'
    assert the_part(processor).reasoning == "because"


def test_a_value_that_is_missing_or_has_no_json_has_no_text():
    assert the_part(fold(complete())).raw == ""
    assert the_part(fold(complete(object={1}))).raw == ""


def test_the_text_that_came_is_kept_if_the_value_brings_none():
    assert the_part(fold(start(), text("{}"), complete(object={}))).raw == "{}"


def test_a_start_without_a_message_has_no_effect():
    assert fold(custom("start", {"x": 1})).messages == ()


def test_a_second_start_has_no_effect():
    assert len(fold(start(), start()).messages[0].parts) == 1


def test_a_made_up_message_takes_over_the_id():
    thought = {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "t"}
    processor = fold(thought, start(), message_per_id=True)
    assert [message.id for message in processor.messages] == ["m"]


def test_a_known_message_gets_the_value():
    processor = fold(text("x"), start(), message_per_id=True)
    assert [part.type for part in processor.messages[0].parts] == [
        "text",
        "structured-output",
    ]


def test_a_failed_run_fails_the_value():
    processor = fold(start(), text("{"), {"type": "RUN_ERROR", "message": "bad"})
    assert the_part(processor).status == "error"
    assert the_part(processor).error_message == "bad"


def test_the_end_fails_a_value_that_never_came():
    processor = fold(text("x", "a"), start(), text("{"), message_per_id=True)
    processor.finalize()
    part = processor.messages[1].parts[0]
    assert isinstance(part, StructuredOutputPart)
    assert part.error_message == "Stream ended without structured-output.complete"


def test_every_change_is_told():
    told: list[StructuredChange] = []
    fold(
        start(),
        text("{"),
        text("}"),
        complete(object={}),
        callbacks={"on_structured_output_change": told.append},
    )
    assert [(change.phase, change.delta) for change in told] == [
        ("start", None),
        ("update", "{"),
        ("update", "}"),
        ("complete", None),
    ]
    assert {change.message_id for change in told} == {"msg-1"}
    assert told[1].part.raw == "{"


def test_a_callback_may_take_the_message_away():
    processor: StreamProcessor

    def clear() -> None:
        processor.clear_messages()

    processor = StreamProcessor(callbacks={"on_stream_start": clear})
    processor.receive(start())
    processor.receive(complete(object={}))
    assert processor.messages == ()
