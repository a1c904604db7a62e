from __future__ import annotations

from typing import Any

from aistream_nb.core.tool_spec import Deny, Proceed, ToolSpec
from aistream_nb.gate.questions import (
    DecisionRecord,
    PendingApproval,
    Receipt,
    is_decision,
)


def test_only_proceed_and_deny_are_decisions():
    assert is_decision(Proceed(arguments={"path": "x"}))
    assert is_decision(Deny(reason="no"))
    wrong: tuple[object, ...] = (
        True,
        "proceed",
        None,
        Proceed,
        Proceed(arguments=["path"]),  # pyright: ignore[reportArgumentType] the point of the test
        Deny(reason=3),  # pyright: ignore[reportArgumentType] the point of the test
    )
    assert not any(is_decision(answer) for answer in wrong)


def test_a_record_has_a_form_for_the_wire():
    record = DecisionRecord(
        tool_name="rm",
        tool_call_id="c1",
        outcome="proceed",
        decision=Proceed(arguments={"path": "y"}),
        by="you",
        why="checked",
        at=1.0,
        approval_id="a1",
    )
    assert record.to_wire() == {
        "toolCallId": "c1",
        "approvalId": "a1",
        "decision": "proceed",
        "outcome": "proceed",
        "by": "you",
        "reason": "checked",
        "arguments": {"path": "y"},
    }


def test_an_aborted_question_is_a_deny_on_the_wire():
    record = DecisionRecord(
        tool_name="rm",
        tool_call_id=None,
        outcome="aborted",
        decision=None,
        by="run",
        why="",
        at=1.0,
    )
    wire = record.to_wire()
    assert wire["decision"] == "deny"
    assert "reason" not in wire
    assert "arguments" not in wire


def test_a_receipt_is_true_when_the_answer_was_taken():
    assert Receipt(accepted=True, message="decided")
    assert not Receipt(accepted=False, message="too late")


def record(**changes: Any) -> DecisionRecord:
    usual: dict[str, Any] = {
        "tool_name": "rm",
        "tool_call_id": "c1",
        "outcome": "proceed",
        "decision": Proceed(),
        "by": "policy",
        "why": "",
        "at": 1.0,
    }
    return DecisionRecord(**{**usual, **changes})


def test_a_record_is_one_short_line():
    assert repr(record()) == "<rm c1: proceed by policy>"
    assert repr(record(tool_call_id=None, why="safe")) == (
        "<rm: proceed by policy, 'safe'>"
    )
    edited = record(decision=Proceed(arguments={"key": "sk-secret"}), by="you")
    assert repr(edited) == "<rm c1: proceed with changed arguments by you>"


def test_a_question_is_one_short_line():
    pending = PendingApproval(
        id="approval_1",
        tool=ToolSpec(name="rm", description="x" * 500),
        arguments={"path": "y" * 500},
        tool_call_id="c1",
        asked_at=1.0,
    )
    assert repr(pending).startswith("<approval_1: may rm run with {'path': 'yyy")
    assert len(repr(pending)) < 120
