from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.messages import ThinkingPart
from aistream_nb.core.processor.callbacks import Problem
from aistream_nb.core.processor.processor import StreamProcessor

RUN = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
START = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}
RESULT = {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "r"}


def think(delta: str, reasoning_id: str = "r") -> dict[str, Any]:
    kind = "REASONING_MESSAGE_CONTENT"
    return {"type": kind, "messageId": reasoning_id, "delta": delta}


def step(name: str, kind: str = "STEP_STARTED") -> dict[str, Any]:
    return {"type": kind, "stepName": name}


def text(message_id: str, delta: str = "x") -> list[dict[str, Any]]:
    named = {"messageId": message_id}
    return [
        {"type": "TEXT_MESSAGE_START", "role": "assistant", **named},
        {"type": "TEXT_MESSAGE_CONTENT", "delta": delta, **named},
    ]


def fold(*events: dict[str, Any], **options: Any) -> StreamProcessor:
    processor = StreamProcessor(**options)
    for event in events:
        processor.receive(event)
    return processor


def thoughts(processor: StreamProcessor) -> list[list[tuple[str | None, str]]]:
    """Of each message the steps and texts of its thinking."""
    return [
        [(p.step_id, p.content) for p in m.parts if isinstance(p, ThinkingPart)]
        for m in processor.messages
    ]


PARTS: dict[str, tuple[list[dict[str, Any]], list[tuple[str | None, str]]]] = {
    "a reasoning message is a part": (
        [think("a"), think("b"), think("c", "s")],
        [("r", "ab"), ("s", "c")],
    ),
    "an open step names the part": (
        [step("one"), think("a"), step("two"), think("b")],
        [("one", "a"), ("two", "b")],
    ),
    "a closed step does not": (
        [step("one"), step("one", "STEP_FINISHED"), think("a")],
        [("r", "a")],
    ),
    "another step's end closes nothing": (
        [step("one"), step("two", "STEP_FINISHED"), think("a")],
        [("one", "a")],
    ),
    "a step of another reasoning message is another part": (
        [step("one"), think("a"), think("b", "s")],
        [("one", "a"), ("one", "b")],
    ),
    "a finished step of AG-UI makes nothing": (
        [think("a"), step("s", "STEP_FINISHED")],
        [("r", "a")],
    ),
    "the older dialect has one part": (
        [
            {"type": "STEP_FINISHED", "stepId": "s", "delta": "a"},
            START,
            {"type": "STEP_FINISHED", "stepId": "t", "delta": "b"},
        ],
        [(None, "ab")],
    ),
    "a missing delta is an empty one": (
        [{"type": "STEP_FINISHED"}, {"type": "REASONING_MESSAGE_CONTENT"}],
        [(None, "")],
    ),
}


@pytest.mark.parametrize(("events", "parts"), PARTS.values(), ids=PARTS)
def test_the_parts_of_thinking(
    events: list[dict[str, Any]], parts: list[tuple[str | None, str]]
):
    assert thoughts(fold(*events)) == [parts]


def test_all_thinking_is_in_the_result():
    processor = fold(think("a"), think("b", "s"))
    assert processor.result.thinking == "ab"
    assert processor.state.thinking == "ab"


def test_thinking_is_told_with_its_step():
    told: list[Any] = []
    fold(
        step("s"),
        think("a"),
        think("b"),
        callbacks={"on_thinking_update": lambda *update: told.append(update)},
    )
    assert told == [("msg-1", "a", "s"), ("msg-1", "ab", "s")]


HOMES: dict[str, tuple[list[dict[str, Any]], list[list[str]]]] = {
    "thinking belongs to the text that follows it": (
        [RUN, think("t"), *text("a")],
        [["thinking", "text"]],
    ),
    "thinking after text belongs to that message": (
        [RUN, *text("a"), think("t")],
        [["text", "thinking"]],
    ),
    "thinking after a tool's result belongs to the next message": (
        [RUN, *text("a"), START, RESULT, think("t"), *text("b")],
        [["text", "tool-call", "tool-result"], ["thinking", "text"]],
    ),
    "thinking in a new run belongs to the next message": (
        [RUN, *text("a"), RUN, think("t"), *text("b")],
        [["text"], ["thinking", "text"]],
    ),
    "text after a result closes the round": (
        [*text("a"), START, RESULT, text("a")[1], think("t")],
        [["text", "tool-call", "tool-result", "text", "thinking"]],
    ),
    "a message that was announced gets the thinking": (
        [*text("a"), START, RESULT, text("b")[0], think("t")],
        [["text", "tool-call", "tool-result"], ["thinking"]],
    ),
    "thinking after the run belongs to what was finished": (
        [RUN, *text("a"), {"type": "RUN_FINISHED"}, think("t")],
        [["text", "thinking"]],
    ),
    "a user thinks nothing": (
        [
            {**text("u")[0], "role": "user"},
            text("u")[1],
            think("t"),
        ],
        [["text"], ["thinking"]],
    ),
}


@pytest.mark.parametrize(("events", "kinds"), HOMES.values(), ids=HOMES)
def test_where_thinking_goes(events: list[dict[str, Any]], kinds: list[list[str]]):
    processor = fold(*events, message_per_id=True)
    assert [[p.type for p in m.parts] for m in processor.messages] == kinds


def test_the_next_message_takes_over_the_one_that_thinking_made():
    processor = fold(
        *text("a"), START, RESULT, think("t"), *text("b"), message_per_id=True
    )
    assert [message.id for message in processor.messages] == ["a", "b"]


def seal(entity: str, subtype: str = "message") -> dict[str, Any]:
    return {
        "type": "REASONING_ENCRYPTED_VALUE",
        "subtype": subtype,
        "entityId": entity,
        "encryptedValue": "SIG",
    }


def test_a_seal_is_on_the_reasoning_it_names():
    processor = fold(think("a"), think("b", "s"), *text("m"), seal("r"))
    signatures = [
        part.signature
        for part in processor.messages[0].parts
        if isinstance(part, ThinkingPart)
    ]
    assert signatures == ["SIG", None]


def test_a_finished_step_may_bring_the_seal():
    finished = {**step("s", "STEP_FINISHED"), "signature": "SIG"}
    processor = fold(step("s"), think("a"), finished)
    assert processor.messages[0].parts == (
        ThinkingPart("a", step_id="s", signature="SIG"),
    )


def test_a_seal_for_nobody_changes_nothing():
    processor = fold(think("a"))
    before = processor.messages
    for event in (
        seal("nobody"),
        seal("nobody", "tool-call"),
        seal("r") | {"entityId": 7},
    ):
        processor.receive(event)
    assert processor.messages is before


def test_a_call_may_be_sealed_too():
    processor = fold({**START, "metadata": {"k": 1}}, seal("c", "tool-call"))
    wanted = {"k": 1, "thoughtSignature": "SIG"}
    assert processor.messages[0].tool_calls[0].metadata == wanted
    assert processor.state.tool_calls[0].metadata == wanted


def test_a_call_of_an_earlier_stream_may_be_sealed():
    processor = fold(START)
    processor.prepare()
    processor.receive(seal("c", "tool-call"))
    assert processor.messages[0].tool_calls[0].metadata == {"thoughtSignature": "SIG"}


def test_a_malformed_reasoning_id_is_told():
    problems: list[Problem] = []
    event = {**think("a"), "messageId": 7}
    processor = fold(event, callbacks={"on_problem": problems.append})
    assert thoughts(processor) == [[(None, "a")]]
    assert [problem.field for problem in problems] == ["messageId"]
