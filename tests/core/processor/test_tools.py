from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.messages import Approval, ToolResultPart
from aistream_nb.core.processor.callbacks import ApprovalRequest, Problem
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.processor.tools import result_text
from aistream_nb.core.values import ABSENT

START = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}
ARGS = {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"n":1}'}
END = {"type": "TOOL_CALL_END", "toolCallId": "c"}
RESULT = {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": '{"v":1}'}
APPROVAL = {
    "type": "CUSTOM",
    "name": "approval-requested",
    "value": {"toolCallId": "c", "toolName": "f", "approval": {"id": "p"}},
}
TEXT = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}


def fold(*events: dict[str, Any], **options: Any) -> StreamProcessor:
    processor = StreamProcessor(**options)
    for event in events:
        processor.receive(event)
    return processor


def the_call(processor: StreamProcessor) -> Any:
    return processor.messages[0].tool_calls[0]


def results(processor: StreamProcessor) -> list[list[str]]:
    return [
        [str(p.content) for p in m.parts if isinstance(p, ToolResultPart)]
        for m in processor.messages
    ]


STATES: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "a call awaits its input": ([START], "awaiting-input", "awaiting-input"),
    "an empty delta is no input": (
        [START, {**ARGS, "delta": ""}],
        "awaiting-input",
        "awaiting-input",
    ),
    "input streams": ([START, ARGS], "input-streaming", "input-streaming"),
    "input is complete": ([START, ARGS, END], "input-complete", "input-complete"),
    "the end of the run completes it": (
        [START, {"type": "RUN_FINISHED"}],
        "input-complete",
        "input-complete",
    ),
    "a person is asked": (
        [START, END, APPROVAL],
        "approval-requested",
        "approval-requested",
    ),
    "late input does not undo the question": (
        [START, APPROVAL, ARGS, END],
        "approval-requested",
        "approval-requested",
    ),
    "a result ends it": ([START, ARGS, END, RESULT], "input-complete", "complete"),
    "a result answers the question": (
        [START, END, APPROVAL, RESULT],
        "input-complete",
        "complete",
    ),
    "a late question does not undo the result": (
        [START, END, RESULT, APPROVAL],
        "input-complete",
        "complete",
    ),
    "late input does not undo the result": (
        [START, RESULT, ARGS, END],
        "input-complete",
        "complete",
    ),
    "a failed result ends it": (
        [START, END, {**RESULT, "state": "output-error"}],
        "input-complete",
        "error",
    ),
    "the end of the run does not undo a failure": (
        [START, {**RESULT, "state": "output-error"}, {"type": "RUN_FINISHED"}],
        "input-complete",
        "error",
    ),
}


@pytest.mark.parametrize(("events", "plain", "final"), STATES.values(), ids=STATES)
def test_the_state_of_a_call(events: list[dict[str, Any]], plain: str, final: str):
    assert the_call(fold(*events)).state == plain
    assert the_call(fold(*events, final_states=True)).state == final


def test_a_repeated_start_changes_nothing():
    processor = fold(START, {**START, "toolCallName": "g", "index": 9})
    assert the_call(processor).name == "f"
    assert processor.state.tool_calls[0].index == 0


def test_a_call_without_an_id_has_no_effect():
    problems: list[Problem] = []
    processor = fold(
        {"type": "TOOL_CALL_START", "toolCallName": "f"},
        {"type": "TOOL_CALL_ARGS", "delta": "{}"},
        {"type": "TOOL_CALL_END", "result": "x"},
        {"type": "TOOL_CALL_RESULT", "content": "x"},
        callbacks={"on_problem": problems.append},
    )
    assert processor.messages == ()
    assert [problem.field for problem in problems] == ["toolCallId"] * 4


def test_a_null_delta_is_an_empty_one():
    assert the_call(fold(START, {**ARGS, "delta": None})).arguments == ""
    assert the_call(fold(START, {**ARGS, "delta": 7})).arguments == ""


def test_a_finished_input_is_never_guessed():
    assert the_call(fold(START, ARGS)).input is ABSENT
    assert the_call(fold(START, ARGS, END)).input == {"n": 1}
    cut = {**ARGS, "delta": '{"n":'}
    assert the_call(fold(START, cut, END)).input is ABSENT


def test_a_given_input_wins_and_fills_empty_arguments():
    given = {**END, "input": {"n": 2}}
    assert the_call(fold(START, ARGS, given)).input == {"n": 2}
    filled = the_call(fold(START, given))
    assert (filled.arguments, filled.input) == ('{"n":2}', {"n": 2})


def test_arguments_after_the_end_still_count():
    processor = fold(START, {**END, "input": {"n": 2}}, {**ARGS, "delta": " "})
    assert the_call(processor).arguments == '{"n":2} '
    assert the_call(processor).input == {"n": 2}


def test_metadata_survives():
    processor = fold({**START, "metadata": {"providerExecuted": True}}, ARGS, END)
    assert the_call(processor).metadata == {"providerExecuted": True}
    assert processor.are_all_tools_complete()
    assert processor.result.tool_calls[0].metadata == {"providerExecuted": True}


def test_a_result_goes_to_the_owner_of_its_call():
    processor = fold(START, END)
    processor.prepare()
    processor.receive(TEXT)
    processor.receive(RESULT)
    assert results(processor) == [['{"v":1}'], []]
    assert the_call(processor).output == {"v": 1}


def test_a_result_that_is_no_json_is_its_text():
    processor = fold(START, END, {**RESULT, "content": "plain"})
    assert the_call(processor).output == "plain"


def test_a_result_without_content_is_empty_and_told():
    problems: list[Problem] = []
    processor = fold(
        START,
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c"},
        callbacks={"on_problem": problems.append},
    )
    assert results(processor) == [[""]]
    assert [problem.field for problem in problems] == ["content"]


def test_a_result_may_be_content_parts():
    content = [{"type": "text", "content": "see"}]
    processor = fold(START, {**RESULT, "content": content})
    assert processor.messages[0].parts[-1] == ToolResultPart(
        tool_call_id="c", content=content
    )


def test_an_orphan_dangles_in_the_current_message():
    assert results(fold(TEXT, RESULT)) == [['{"v":1}']]


@pytest.mark.parametrize("per_id", [False, True], ids=["one message", "per id"])
def test_a_result_that_comes_before_its_message_waits_for_its_call(*, per_id: bool):
    problems: list[Problem] = []
    processor = fold(
        RESULT,
        message_per_id=per_id,
        callbacks={"on_problem": problems.append},
    )
    assert processor.messages == ()
    assert len(problems) == 1
    processor.receive(START)
    assert results(processor) == [['{"v":1}']]
    assert the_call(processor).output == {"v": 1}


def test_a_waiting_result_is_claimed_by_a_snapshot():
    asked = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    rows = [{"id": "a", "role": "assistant", "toolCalls": [asked]}]
    processor = fold(RESULT, {**RESULT, "toolCallId": "other"}, message_per_id=True)
    processor.receive({"type": "MESSAGES_SNAPSHOT", "messages": rows})
    assert results(processor) == [['{"v":1}']]


def test_a_cleared_conversation_forgets_waiting_results():
    processor = fold(RESULT)
    processor.clear_messages()
    processor.receive(START)
    assert the_call(processor).output is ABSENT


PARENTS: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "a known parent holds the call": ([TEXT], ["m"]),
    "an unknown parent is made": ([], ["m"]),
    "a made-up message with thinking becomes the parent": (
        [{"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "t"}],
        ["m"],
    ),
    "a made-up message with a call does not": (
        [{**START, "toolCallId": "other"}],
        ["msg-1", "m"],
    ),
}


@pytest.mark.parametrize(("before", "ids"), PARENTS.values(), ids=PARENTS)
def test_the_parent_of_a_call(before: list[dict[str, Any]], ids: list[str]):
    processor = fold(*before, {**START, "parentMessageId": "m"}, message_per_id=True)
    assert [message.id for message in processor.messages] == ids
    assert processor.messages[-1].tool_calls[-1].id == "c"


def test_a_user_is_nobodys_parent():
    user = {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "user"}
    processor = fold(user, TEXT, {**START, "parentMessageId": "m"}, message_per_id=True)
    assert [message.role for message in processor.messages] == ["user", "assistant"]
    assert processor.messages[1].tool_calls


def test_a_parent_may_come_from_the_history():
    processor = fold(
        {**START, "parentMessageId": "a"},
        initial_messages=[{"id": "a", "role": "assistant"}],
        message_per_id=True,
    )
    assert processor.current_id == "a"
    assert processor.messages[0].tool_calls


def test_a_request_goes_to_the_owner_of_its_call():
    told: list[ApprovalRequest] = []
    processor = StreamProcessor(callbacks={"on_approval_request": told.append})
    for event in (START, END):
        processor.receive(event)
    processor.prepare()
    processor.receive(APPROVAL)
    assert the_call(processor).approval == Approval(id="p")
    assert [request.approval_id for request in told] == ["p"]


@pytest.mark.parametrize(("before", "changes"), [([], 0), ([TEXT], 3)])
def test_a_request_for_nobody_is_told_all_the_same(
    before: list[dict[str, Any]], changes: int
):
    told: list[ApprovalRequest] = []
    notices: list[str | None] = []
    fold(
        *before,
        APPROVAL,
        callbacks={"on_approval_request": told.append, "on_change": notices.append},
    )
    assert len(told) == 1
    assert len(notices) == changes


def test_nobody_has_to_listen_to_requests():
    assert the_call(fold(START, APPROVAL)).state == "approval-requested"


def test_the_last_answer_counts():
    processor = fold(START, APPROVAL)
    processor.add_tool_approval_response("p", approved=True)
    processor.add_tool_approval_response("p", approved=False)
    processor.add_tool_approval_response("unknown", approved=True)
    assert the_call(processor).approval == Approval(id="p", approved=False)
    assert the_call(processor).state == "approval-responded"


def test_a_failed_result_of_the_host_is_an_error():
    processor = fold(START, END, final_states=True)
    processor.add_tool_result("c", None, error="denied")
    call, result = processor.messages[0].parts
    assert the_call(processor).state == "error"
    assert the_call(processor).output == {"error": "denied"}
    assert result == ToolResultPart(
        tool_call_id="c", content="null", state="error", error="denied"
    )
    assert call.type == "tool-call"


def test_a_value_without_json_is_told_as_its_text():
    assert result_text({1}) == "{1}"
    assert result_text("a") == "a"
    assert result_text({"a": 1}) == '{"a":1}'


def test_a_result_that_no_text_can_tell_is_a_result_all_the_same():
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    processor = fold(START, END, {**RESULT, "content": deep})
    assert the_call(processor).output is deep
    assert results(processor) == [["<list>"]]


def test_a_late_answer_is_kept_and_does_not_undo_the_result():
    processor = fold(START, END, APPROVAL, RESULT, final_states=True)
    processor.add_tool_approval_response("p", approved=False)
    call = the_call(processor)
    assert (call.state, call.approval) == ("complete", Approval(id="p", approved=False))
