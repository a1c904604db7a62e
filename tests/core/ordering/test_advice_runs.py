from __future__ import annotations

from typing import Any

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules import STARTED, event, run

CALL = (
    event("TOOL_CALL_START", toolCallId="c1", toolCallName="f"),
    event("TOOL_CALL_END", toolCallId="c1"),
)
FINISHED = event("RUN_FINISHED", threadId="t1", runId="r1")


def found(*events: Any, **options: Any) -> list[str]:
    report = check_ordering(events, profile="teach", **options)
    return [violation.rule for violation in report.violations]


def test_a_run_that_names_another_run_and_another_thread_is_told_both():
    other = {**FINISHED, "runId": "r2", "threadId": "t2"}
    assert found(STARTED, other) == ["run.id_mismatch", "run.thread_mismatch"]


def test_an_empty_list_of_pending_calls_is_wrong_if_calls_wait():
    outcome = {"type": "success", "pendingToolCallIds": []}
    assert found(*run(*CALL, outcome=outcome)) == ["run.pending_list_wrong"]
    assert found(*run(outcome=outcome)) == []


def test_a_call_of_the_client_s_own_tool_may_wait():
    tools = [{"name": "f", "description": "F"}]
    assert found(*run(*CALL), run_input={"tools": tools}) == []
    assert found(*run(*CALL), run_input={"tools": []}) == ["tool.left_unanswered"]
    assert found(*run(*CALL)) == []


def test_a_call_that_a_snapshot_took_away_is_nobody_s():
    gone = event("MESSAGES_SNAPSHOT", messages=[])
    assert found(*run(*CALL, gone), run_input={"tools": []}) == []


def test_a_run_that_waits_for_a_person_is_no_success():
    asked = event("CUSTOM", name="on_interrupt", value=1)
    told = found(*run(asked))
    assert told == [
        "custom.unprefixed",
        "interrupt.own_convention",
        "interrupt.reported_success",
    ]


def test_an_answered_interrupt_without_a_call_asks_for_no_result():
    waiting = {"id": "i1", "reason": "x"}
    answer = {"resume": [{"interruptId": "i1", "status": "resolved"}]}
    assert found(*run(), run_input=answer, interrupts=[waiting]) == []


def test_an_interrupt_that_names_its_call_is_as_it_should_be():
    named = {"id": "i1", "reason": "tool_call", "toolCallId": "c1"}
    outcome = {"type": "interrupt", "interrupts": [named]}
    assert found(*run(*CALL, outcome=outcome)) == []


def test_an_error_inside_a_run_is_no_late_error():
    assert found(STARTED, event("RUN_ERROR", message="gone")) == []
