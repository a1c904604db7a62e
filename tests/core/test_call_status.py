from __future__ import annotations

from itertools import product

import pytest

from aistream_nb.core.call_status import (
    SETTLED,
    STATUS_RULES,
    CallFacts,
    call_status,
    decision_of,
)

WORDS = {
    "arguments are being written": (CallFacts(), "streaming"),
    "arguments are complete": (CallFacts(part_state="input-complete"), "ready"),
    "a person is asked": (
        CallFacts(part_state="approval-requested"),
        "awaiting-approval",
    ),
    "a person answered": (CallFacts(part_state="approval-responded"), "approved"),
    "the gate let it through": (CallFacts(decision="proceed"), "approved"),
    "it runs": (CallFacts(decision="proceed", executing=True), "executing"),
    "it is done": (CallFacts(executing=True, has_result=True), "complete"),
    "it failed": (CallFacts(has_result=True, failed=True), "error"),
    "it was denied": (
        CallFacts(decision="deny", has_result=True, failed=True),
        "denied",
    ),
    "the run was stopped": (CallFacts(executing=True, stopped=True), "aborted"),
    "a result came before the stop": (
        CallFacts(has_result=True, stopped=True),
        "complete",
    ),
}


@pytest.mark.parametrize(("facts", "word"), WORDS.values(), ids=WORDS)
def test_a_call_is_told_in_one_word(facts: CallFacts, word: str):
    assert call_status(facts) == word


def test_no_spinner_turns_once_the_run_has_stopped():
    states = ("awaiting-input", "input-complete", "approval-requested")
    for state, has_result, executing in product(states, (True, False), (True, False)):
        facts = CallFacts(
            part_state=state, has_result=has_result, executing=executing, stopped=True
        )
        assert call_status(facts) in SETTLED


def test_every_row_can_be_reached():
    facts = (
        CallFacts(
            part_state=state,
            has_result=result,
            failed=failed,
            decision=decision,
            executing=executing,
            stopped=stopped,
        )
        for state in ("", "approval-requested", "approval-responded", "input-complete")
        for result, failed, executing, stopped in product((True, False), repeat=4)
        for decision in (None, "proceed", "deny")
    )
    reached = {
        next(row for row, (_, holds) in enumerate(STATUS_RULES) if holds(fact))
        for fact in facts
    }

    assert reached == set(range(len(STATUS_RULES)))


def test_an_approval_says_its_decision_once_answered():
    assert decision_of(approved=None) is None
    assert decision_of(approved=True) == "proceed"
    assert decision_of(approved=False) == "deny"
