"""A ledger out of what a stream tells."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.invocation.told import ToldCalls


def begun(call_id: str = "c", name: str = "look") -> list[dict[str, Any]]:
    ids = {"toolCallId": call_id}
    return [
        {"type": "TOOL_CALL_START", "toolCallName": name, **ids},
        {"type": "TOOL_CALL_END", **ids},
    ]


def custom(name: str, call_id: str = "c", **value: Any) -> dict[str, Any]:
    told = {"toolCallId": call_id, **value}
    return {"type": "CUSTOM", "name": f"aistream:{name}", "value": told}


def result(content: str = "ok", call_id: str = "c") -> dict[str, Any]:
    return {"type": "TOOL_CALL_RESULT", "toolCallId": call_id, "content": content}


def failure(content: str) -> dict[str, Any]:
    return {**result(content), "metadata": {"aistream": {"isError": True}}}


UNFIT = "look (callId=c): the changed arguments do not fit: a is missing"
EDITED = custom("decision", decision="proceed", by="you", arguments={})


PROCEED = custom("decision", decision="proceed", by="you")
DENY = custom("decision", decision="deny", by="you", reason="not today")
RUNS = custom("executing")
END = {"type": "RUN_FINISHED"}


@pytest.mark.parametrize(
    ("events", "outcome", "runs", "why"),
    [
        (begun(), "pending", 0, "its turn has not come"),
        ([*begun(), custom("asked")], "pending", 0, "it waits for a person"),
        (
            [*begun(), custom("asked"), PROCEED, RUNS, result(), END],
            "settled",
            1,
            "",
        ),
        ([*begun(), DENY, result()], "settled", 0, "the gate denied it: not today"),
        (
            [*begun(), custom("decision", decision="deny"), result()],
            "settled",
            0,
            "the gate denied it",
        ),
        (
            [*begun(), result("model called unknown tool")],
            "settled",
            0,
            "it was refused before its code was reached",
        ),
        (
            [*begun(), EDITED, RUNS, failure(UNFIT)],
            "settled",
            0,
            "the changed arguments do not fit",
        ),
        # What a tool says of itself is no word of ours: it ran.
        ([*begun(), EDITED, RUNS, result(UNFIT)], "settled", 1, ""),
        ([*begun(), PROCEED, RUNS, failure(UNFIT)], "settled", 1, ""),
        ([*begun(), EDITED, RUNS, failure(f"no: {UNFIT}")], "settled", 1, ""),
        ([*begun(), EDITED, RUNS, {**failure(UNFIT), "metadata": 7}], "settled", 1, ""),
        ([*begun(), custom("asked"), END], "discarded", 0, "the run ended first"),
        (
            [*begun(), RUNS, {"type": "RUN_ERROR", "message": "no"}],
            "discarded",
            1,
            "",
        ),
        ([*begun(), DENY, END], "discarded", 0, "the gate denied it: not today"),
    ],
)
def test_a_row_says_what_the_stream_told(
    events: list[dict[str, Any]], outcome: str, runs: int, why: str
):
    calls = ToldCalls()
    for event in events:
        calls.receive(event)

    (row,) = calls.read_ledger()

    assert (row.outcome, row.runs, row.why_not_run) == (outcome, runs, why)


def test_an_id_that_comes_again_behind_a_cut_is_another_call():
    calls = ToldCalls()
    cut = {"type": "MESSAGES_SNAPSHOT", "messages": []}
    for event in [*begun(), RUNS, result(), cut, *begun(), RUNS, result()]:
        calls.receive(event)

    assert [(row.epoch, row.runs) for row in calls.read_ledger()] == [(1, 1), (2, 1)]


def test_an_id_that_a_server_uses_again_is_seen_to_run_twice():
    calls = ToldCalls()
    for event in [*begun(), RUNS, result(), *begun(), RUNS, result()]:
        calls.receive(event)

    assert [row.runs for row in calls.read_ledger()] == [2]


def test_history_never_ran_here_and_what_comes_under_its_id_is_told():
    calls = ToldCalls()
    calls.recall("c", "look", answered=True)
    calls.recall("d", "look", answered=False)

    answered, open_ = calls.read_ledger()
    assert (answered.outcome, open_.outcome) == ("recorded", "restored")
    assert answered.why_not_run == "it was answered in history"
    assert open_.why_not_run == "it is history, and nothing about it changed"
    calls.receive(END)
    assert [row.outcome for row in calls.read_ledger()] == ["recorded", "restored"]
    for event in [*begun(), RUNS, result()]:
        calls.receive(event)
    (row,) = calls.read_ledger().of("c")
    assert (row.runs, row.decisions[0]) == (1, "promote")


def test_what_is_told_of_a_call_that_nobody_knows_is_ignored():
    calls = ToldCalls()
    for event in [RUNS, result(), {"type": "CUSTOM", "name": "aistream:asked"}, {}]:
        calls.receive(event)

    assert len(calls.read_ledger()) == 0


def test_a_decision_about_a_call_that_never_began_tells_of_none():
    calls = ToldCalls()

    calls.receive(PROCEED)

    assert len(calls.read_ledger()) == 0
