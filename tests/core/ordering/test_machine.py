from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.ordering.machine import OrderMachine, Slip
from aistream_nb.core.ordering.rules import STARTED, event
from aistream_nb.core.ordering.tables import SPAN_KINDS, SPANS

FINISHED = event("RUN_FINISHED", threadId="t1", runId="r1")


def fed(*events: Any, machine: OrderMachine | None = None) -> list[list[Slip]]:
    machine = machine or OrderMachine()
    return [machine.receive(one, index) for index, one in enumerate(events)]


def rules(*events: Any) -> list[list[str]]:
    return [[slip.rule for slip in slips] for slips in fed(*events)]


def of(event_type: str, item_id: str = "x", **fields: Any) -> Any:
    row = SPANS[event_type]
    return event(event_type, **{row.key: item_id, **fields})


@pytest.mark.parametrize("kind", sorted(SPAN_KINDS))
def test_a_refused_event_changes_nothing_that_a_later_one_needs(kind: str):
    start, end = of(SPAN_KINDS[kind].start), of(SPAN_KINDS[kind].end)
    assert rules(STARTED, start, start, end, FINISHED) == [
        [],
        [],
        [SPANS[start["type"]].rule],
        [],
        [],
    ]


@pytest.mark.parametrize("kind", sorted(SPAN_KINDS))
def test_what_is_open_at_the_end_is_named_and_not_missed_again(kind: str):
    machine = OrderMachine()
    start = of(SPAN_KINDS[kind].start)
    *_, (slip,) = fed(STARTED, start, FINISHED, machine=machine)
    assert slip.rule == SPAN_KINDS[kind].end_rule
    assert (slip.ids, slip.opened_at) == (("x",), 1)
    assert machine.what_is_open() == {}
    assert machine.run_state == "finished"


@pytest.mark.parametrize("event_type", sorted(SPANS))
def test_an_event_of_nothing_open_says_whether_it_was_ever_started(event_type: str):
    row = SPANS[event_type]
    kind = SPAN_KINDS[row.kind]
    if row.edge == "open":
        return
    never = fed(STARTED, of(event_type))[-1][0]
    ended = fed(STARTED, of(kind.start), of(kind.end), of(event_type))[-1][0]
    assert (never.rule, never.caused_by) == (row.rule, None)
    assert "never started" in never.message
    assert (ended.rule, ended.caused_by) == (row.rule, 2)
    assert "closed at event 2" in ended.message


def test_several_open_items_of_a_kind_are_one_slip_that_names_them_all():
    start = "TEXT_MESSAGE_START"
    (slip,) = fed(STARTED, of(start, "a"), of(start, "b"), FINISHED)[-1]
    assert slip.ids == ("a", "b")
    assert "text messages 'a', 'b' are open" in slip.message


def test_a_step_that_another_owner_closes_is_still_its_owner_s_to_close():
    start, end = of("STEP_STARTED"), of("STEP_FINISHED")
    foreign = {**end, "subagentRunId": "g1"}
    assert rules(STARTED, start, foreign, end, FINISHED)[2:] == [
        ["step.finish_owner"],
        [],
        [],
    ]
    assert rules(STARTED, start, foreign, FINISHED)[3] == []


def test_a_parent_that_has_ended_is_a_parent_and_oneself_is_none():
    start, end = of("SUBAGENT_STARTED", "g1"), of("SUBAGENT_FINISHED", "g1")
    child = of("SUBAGENT_STARTED", "g2", parentSubagentRunId="g1")
    own = of("SUBAGENT_STARTED", "g3", parentSubagentRunId="g3")
    assert rules(STARTED, start, end, child, own)[3:] == [
        [],
        ["subagent.parent_unknown"],
    ]


def test_a_new_run_forgets_what_the_last_one_knew():
    start, end = of("SUBAGENT_STARTED", "g1"), of("SUBAGENT_FINISHED", "g1")
    again = {**STARTED, "runId": "r2"}
    assert rules(STARTED, start, end, FINISHED, again, start, end, FINISHED) == [[]] * 8


def test_outside_a_run_nothing_else_is_said_of_an_event():
    assert rules(of("TEXT_MESSAGE_END")) == [["run.first_event"]]
    assert rules(FINISHED) == [["run.first_event"]]


def test_a_run_that_was_only_guessed_is_not_open():
    machine = OrderMachine()
    fed(of("STEP_STARTED"), machine=machine)
    assert machine.run_state == "running"
    assert not machine.is_run_open
    fed(STARTED, machine=machine)
    assert machine.is_run_open
