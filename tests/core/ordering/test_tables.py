from __future__ import annotations

from aistream_nb.core.ordering.rulebook import RULES
from aistream_nb.core.ordering.tables import (
    RUN_REFUSALS,
    RUN_TRANSITIONS,
    SPAN_KINDS,
    SPANS,
    diagram,
)


def test_every_state_has_a_row_and_a_rule_for_its_missing_cells():
    assert set(RUN_TRANSITIONS) == set(RUN_REFUSALS)
    reached = {after for row in RUN_TRANSITIONS.values() for after in row.values()}
    assert reached | {"idle"} == set(RUN_TRANSITIONS)


def test_every_rule_of_the_tables_is_explained():
    named = {row.rule for row in SPANS.values()}
    named |= {kind.end_rule for kind in SPAN_KINDS.values()}
    assert named | set(RUN_REFUSALS.values()) <= set(RULES)


def test_every_kind_is_opened_and_closed_by_the_events_that_it_names():
    for kind, span in SPAN_KINDS.items():
        assert (SPANS[span.start].kind, SPANS[span.start].edge) == (kind, "open")
        assert (SPANS[span.end].kind, SPANS[span.end].edge) == (kind, "close")


def test_a_new_run_may_begin_from_every_state_but_a_running_one():
    begins = {state for state, row in RUN_TRANSITIONS.items() if "RUN_STARTED" in row}
    assert begins == {"idle", "finished", "failed"}


def test_the_diagram_draws_every_row():
    drawn = diagram()
    assert drawn.startswith("stateDiagram-v2\n")
    for state, row in RUN_TRANSITIONS.items():
        for event, after in row.items():
            label = "any other event" if event == "*" else event
            assert f"{state} --> {after}: {label}" in drawn
    for event, row in SPANS.items():
        assert f": {event}\n" in drawn
        assert f"as {row.kind} {{" in drawn
