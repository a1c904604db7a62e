from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.messages import UIMessage
from aistream_nb.core.processor.callbacks import (
    ApprovalRequest,
    RunFailure,
    ToolInput,
)
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.processor.results import Run

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
CALL = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}


def text(delta: str, message_id: str = "m") -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


def fold(*events: dict[str, Any], **options: Any) -> StreamProcessor:
    processor = StreamProcessor(**options)
    for event in events:
        processor.receive(event)
    return processor


def ask(**interrupt: Any) -> dict[str, Any]:
    found = {"id": "i", "reason": "tool_call", "toolCallId": "c"} | interrupt
    return {**FINISH, "outcome": {"type": "interrupt", "interrupts": [found]}}


def test_nothing_has_begun():
    assert fold().run == Run()


def test_a_run_begins_and_ends():
    processor = fold(START)
    assert processor.run == Run(status="running", thread_id="t", run_id="r")
    processor.receive({**FINISH, "result": {"n": 1}, "outcome": {"type": "success"}})
    run = processor.run
    assert (run.status, run.result) == ("finished", {"n": 1})
    assert run.outcome == {"type": "success"}


def test_a_run_without_ids_is_a_run():
    assert fold({"type": "RUN_STARTED", "threadId": 7}).run.thread_id is None


def test_a_failed_run_keeps_what_came():
    failures: list[RunFailure] = []
    processor = fold(
        START,
        text("a"),
        {"type": "RUN_ERROR", "message": "gone"},
        callbacks={"on_error": failures.append},
    )
    assert (processor.run.status, processor.run.error) == ("error", "gone")
    assert failures == [RunFailure(message="gone")]
    assert processor.text_of("msg-1") == "a"


def test_questions_stay_until_a_run_ends_without_any():
    processor = fold(CALL, ask(message="really?"))
    (question,) = processor.run.interrupts
    assert (question.id, question.tool_call_id) == ("i", "c")
    assert question.wire["message"] == "really?"
    processor.receive(START)
    assert processor.run.interrupts == (question,)
    processor.receive({"type": "RUN_ERROR"})
    assert processor.run.interrupts == (question,)
    processor.receive(FINISH)
    assert processor.run.interrupts == ()


ASKED: dict[str, tuple[dict[str, Any], str, int, int]] = {
    "AG-UI's reason asks for approval": ({}, "approval-requested", 1, 0),
    "the reference's reason too": (
        {"reason": "approval_required"},
        "approval-requested",
        1,
        0,
    ),
    "a tool of the client is to run": (
        {"reason": "client_tool_input"},
        "input-complete",
        0,
        1,
    ),
    "any other reason is for the host": ({"reason": "other"}, "input-complete", 0, 0),
    "a question about no call is for the host": (
        {"toolCallId": None},
        "input-complete",
        0,
        0,
    ),
}


@pytest.mark.parametrize(
    ("interrupt", "state", "requests", "calls"), ASKED.values(), ids=ASKED
)
def test_what_a_question_asks(
    interrupt: dict[str, Any], state: str, requests: int, calls: int
):
    requested: list[ApprovalRequest] = []
    called: list[ToolInput] = []
    callbacks = {"on_approval_request": requested.append, "on_tool_call": called.append}
    processor = fold(CALL, ask(**interrupt), callbacks=callbacks)
    assert processor.messages[0].tool_calls[0].state == state
    assert (len(requested), len(called)) == (requests, calls)
    assert all(told.tool_name == "f" for told in (*requested, *called))


def test_a_question_may_bring_its_own_words():
    called: list[ToolInput] = []
    metadata = {"toolName": "g", "input": {"n": 1}}
    fold(
        ask(reason="client_tool_input", metadata=metadata),
        callbacks={"on_tool_call": called.append},
    )
    assert called == [ToolInput(tool_call_id="c", tool_name="g", input={"n": 1})]


@pytest.mark.parametrize("listed", [None, 7, [7, {}, {"id": 7}]])
def test_malformed_questions_are_none(listed: Any):
    outcome = {"type": "interrupt", "interrupts": listed}
    assert fold({**FINISH, "outcome": outcome}).run.interrupts == ()


def test_the_end_of_a_run_is_not_the_end_of_the_stream():
    processor = fold(text("a"), {**FINISH, "finishReason": "stop"}, text("b"))
    assert processor.text_of("msg-1") == "ab"
    assert processor.result.finish_reason == "stop"
    assert processor.state.done is True


def test_finalize_tells_the_message_it_filled():
    told: list[UIMessage] = []
    processor = fold(text("a"), callbacks={"on_stream_end": told.append})
    processor.finalize()
    assert told == [processor.messages[0]]


def test_finalize_removes_a_message_of_blanks():
    processor = fold(text(" \n\ufeff"))
    processor.finalize()
    assert processor.messages == ()
    assert processor.current_id is None


BLANK_BUT_KEPT: dict[str, list[dict[str, Any]]] = {
    "a call": [text(" "), CALL],
    "thinking": [text(" "), {"type": "STEP_FINISHED", "delta": ""}],
    "an error": [text(" "), {"type": "RUN_ERROR"}],
    "more than blanks": [text(" a")],
    "what is white space only to Python": [text("\u001f")],
}


@pytest.mark.parametrize("events", BLANK_BUT_KEPT.values(), ids=BLANK_BUT_KEPT)
def test_what_keeps_a_message(events: list[dict[str, Any]]):
    processor = fold(*events)
    processor.finalize()
    assert len(processor.messages) == 1


def test_every_blank_message_of_the_stream_goes():
    processor = fold(
        text(" ", "a"), text("x", "b"), text(" ", "c"), message_per_id=True
    )
    processor.finalize()
    assert [message.id for message in processor.messages] == ["b"]
    assert processor.current_id is None


def test_a_blank_message_of_the_host_goes_with_its_stream():
    blank = {
        "id": "a",
        "role": "assistant",
        "parts": [{"type": "text", "content": " "}],
    }
    start = {"type": "TEXT_MESSAGE_START", "messageId": "a"}
    processor = fold(start, initial_messages=[blank], message_per_id=True)
    processor.finalize()
    assert processor.messages == ()
