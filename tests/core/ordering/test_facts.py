from __future__ import annotations

from typing import Any

from aistream_nb.core.ordering.facts import ThreadFacts, slip
from aistream_nb.core.ordering.rules import STARTED, event


def facts_after(*events: Any, **options: Any) -> ThreadFacts:
    facts = ThreadFacts(**options)
    for index, one in enumerate(events):
        facts.index = index
        facts.settle(one)
    return facts


def test_a_run_knows_its_calls_and_which_of_them_wait():
    facts = facts_after(
        STARTED,
        event("TOOL_CALL_START", toolCallId="c1", toolCallName="f"),
        event("TOOL_CALL_ARGS", toolCallId="c1", delta="{"),
        event("TOOL_CALL_ARGS", toolCallId="c1", delta="}"),
        event("TOOL_CALL_END", toolCallId="c1"),
        event("TOOL_CALL_START", toolCallId="c2", toolCallName="f"),
        event("TOOL_CALL_RESULT", messageId="t1", toolCallId="c1", content=""),
    )
    assert facts.run.calls == {"c1": 1, "c2": 5}
    assert facts.run.arguments["c1"] == ["{", "}"]
    assert facts.run.pending == ["c2"]
    assert facts.run.ended_calls == {"c1"}
    assert facts.run.streamed == {"c1": 1, "c2": 5, "t1": 6}


def test_what_an_earlier_run_made_is_history():
    again = {**STARTED, "runId": "r2"}
    text = event("TEXT_MESSAGE_START", messageId="m1")
    call = event("TOOL_CALL_START", toolCallId="c1", toolCallName="f")
    facts = facts_after(STARTED, text, call)
    assert not facts.is_from_history("message", "m1")
    assert not facts.is_from_history("call", "c1")
    facts.settle(again)
    assert facts.is_from_history("message", "m1")
    assert facts.is_from_history("call", "c1")
    assert facts.run_ids == {"r1": 0, "r2": 2}


def test_tools_and_answers_may_come_with_the_request_or_with_the_run():
    given = {"tools": [{"name": "f"}, 3], "resume": [{"interruptId": "i1"}, {}, 3]}
    for facts in (
        ThreadFacts(run_input=given, interrupts=[{"id": "i1"}, {"id": "i2"}]),
        facts_after(
            {**STARTED, "input": given}, interrupts=[{"id": "i1"}, {"id": "i2"}]
        ),
    ):
        assert facts.tools == {"f"}
        assert facts.uncovered() == ["i2"]
    assert facts_after({**STARTED, "input": {}}).tools is None


def test_a_person_is_asked_by_an_event_or_by_a_call():
    asked = event("CUSTOM", name="on_interrupt", value=1)
    call = event("TOOL_CALL_START", toolCallId="c1", toolCallName="confirm_changes")
    assert facts_after(STARTED, asked).run.asked_at == 1
    assert facts_after(STARTED, call).run.asked_at == 1
    assert facts_after(STARTED, {**asked, "name": "x"}).run.asked_at is None


def test_an_announced_subagent_is_known():
    started = event("SUBAGENT_STARTED", subagentRunId="g1", name="x")
    assert facts_after(STARTED, started).run.announced == {"g1"}


def test_a_slip_names_only_ids_that_are_text():
    assert slip("r", "m", "e", "a", None, 3, "b").ids == ("a", "b")


def test_the_first_time_is_the_first_time():
    facts = ThreadFacts()
    assert facts.first_time("x")
    assert not facts.first_time("x")
