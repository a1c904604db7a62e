from __future__ import annotations

from typing import Any

from aistream_nb.core.run_timing import read_timings


def custom(name: str, **value: Any) -> dict[str, Any]:
    return {"type": "CUSTOM", "name": name, "value": {"toolCallId": "c", **value}}


STARTED = {
    "type": "RUN_STARTED",
    "input": {"messages": [{"role": "user", "content": "Go"}]},
}
CALL = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "book"}
RESULT: dict[str, Any] = {"type": "TOOL_CALL_RESULT", "toolCallId": "c"}


def test_a_run_is_counted_from_its_own_start():
    first, second = read_timings(
        [
            (1.0, STARTED),
            (1.5, {"type": "REASONING_MESSAGE_CONTENT"}),
            (1.75, {"type": "TEXT_MESSAGE_CONTENT"}),
            (3.0, {"type": "TEXT_MESSAGE_CONTENT"}),
            (4.0, {"type": "RUN_FINISHED"}),
            (60.0, {"type": "RUN_STARTED"}),
            (61.0, {"type": "RUN_ERROR"}),
        ]
    )

    assert (first.title, first.length, first.ending) == ("Go", 3.0, "finished")
    assert first.first_token == 0.5
    assert first.longest_gap == (0.75, 2.0)
    assert [moment.kind for moment in first.moments] == ["thinking", "text", "text"]
    assert (second.title, second.length, second.ending) == ("", 1.0, "failed")
    assert second.first_token is None
    assert second.longest_gap is None


def test_a_call_is_written_waits_and_runs():
    (run,) = read_timings(
        [
            (0.0, STARTED),
            (1.0, CALL),
            (1.1, {"type": "TOOL_CALL_ARGS", "toolCallId": "c"}),
            (1.2, custom("aistream:asked")),
            (2.2, custom("aistream:decision", decision="proceed")),
            (2.3, custom("aistream:executing")),
            (4.0, RESULT),
        ]
    )
    call = run.calls["c"]

    assert (call.name, call.begun, call.asked) == ("book", 1.0, 1.2)
    assert (call.decided, call.started, call.ended) == (2.2, 2.3, 4.0)
    assert (call.status, run.ending) == ("done", "cut off")


def test_a_call_that_was_denied_or_failed_says_so():
    denied, failed = (
        read_timings([(0.0, STARTED), (1.0, CALL), *rest])[0].calls["c"].status
        for rest in (
            [(1.5, custom("aistream:decision", decision="deny")), (2.0, RESULT)],
            [(2.0, {**RESULT, "metadata": {"aistream": {"isError": True}}})],
        )
    )

    assert (denied, failed) == ("denied", "failed")


def test_events_without_a_run_or_a_call_are_no_trouble():
    (run,) = read_timings(
        [
            (0.0, {"type": "CUSTOM", "name": "x", "value": 1}),
            (0.0, RESULT),
            (1.0, custom("aistream:asked")),
            (1.0, CALL),
            (1.1, custom("other")),
            (2.0, {"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}),
        ]
    )

    assert run.ending == "cancelled"
    assert run.calls["c"].status == "open"
