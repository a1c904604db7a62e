from __future__ import annotations

from typing import Any

from aistream_nb.core.ordering.advice import CHECKS, Adviser
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules import STARTED, event, run
from aistream_nb.core.wire.schema import EVENT_FIELDS


def found(*events: Any, **options: Any) -> list[tuple[str, int]]:
    report = check_ordering(events, profile="teach", **options)
    return [(v.rule, v.index) for v in report.violations]


def chunk(**fields: Any) -> Any:
    return event("TEXT_MESSAGE_CHUNK", messageId="m1", delta="x", **fields)


def test_the_table_names_events_that_exist():
    assert set(CHECKS) <= set(EVENT_FIELDS)


def test_a_refused_event_is_taken_in_and_not_looked_at():
    adviser = Adviser()
    call = event("TOOL_CALL_START", toolCallId="c1", toolCallName="confirm_changes")
    assert adviser.receive(call, 0, refused=True, from_chunk=False) == []
    assert "c1" in adviser.facts.run.calls


def test_mixed_forms_are_told_once_for_each_item():
    custom = event("CUSTOM", name="acme:x", value=1)
    text = event("TEXT_MESSAGE_START", messageId="m1")
    end = event("TEXT_MESSAGE_END", messageId="m1")
    assert found(*run(chunk(), custom, text, end, text, end)) == [
        ("mixed.chunk_explicit", 3)
    ]


def test_chunks_after_chunks_are_one_form():
    custom = event("CUSTOM", name="acme:x", value=1)
    assert found(*run(chunk(), custom, chunk())) == []


def test_a_patch_that_moves_into_itself_is_told_once():
    patch = [
        {"op": "test", "path": "", "value": {}},
        {"op": "move", "from": "", "path": "/a"},
    ]
    assert found(*run(event("STATE_DELTA", delta=patch))) == [
        ("patch.move_into_self", 1)
    ]


def test_an_unannounced_subagent_is_told_once_a_run():
    state = event("STATE_SNAPSHOT", snapshot=1, subagentRunId="g1")
    second = {**STARTED, "runId": "r2"}
    finished = event("RUN_FINISHED", threadId="t1", runId="r2")
    assert found(*run(state, state), second, state, finished) == [
        ("subagent.unannounced", 1),
        ("subagent.unannounced", 5),
    ]
