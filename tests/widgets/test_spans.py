"""What opened and closed, whatever came."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.widgets.spans import SpanTracker


def spans(*events: dict[str, Any]) -> list[tuple[str, str, int, int | None]]:
    tracker = SpanTracker()
    for event in events:
        tracker.receive(event)
    return [(span.kind, span.label, span.start, span.end) for span in tracker.spans]


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def test_things_that_close_are_spans_from_start_to_end() -> None:
    assert spans(
        event("RUN_STARTED", runId="r"),
        event("STEP_STARTED", stepName="plan"),
        event("REASONING_START", messageId="t"),
        event("REASONING_END", messageId="t"),
        event("STEP_FINISHED", stepName="plan"),
        event("RUN_FINISHED", runId="r"),
    ) == [("run", "r", 0, 5), ("step", "plan", 1, 4), ("reasoning", "t", 2, 3)]


def test_a_call_reaches_to_its_result_once_its_arguments_are_there() -> None:
    start = event("TOOL_CALL_START", toolCallId="c", toolCallName="look")
    end = event("TOOL_CALL_END", toolCallId="c")
    result = event("TOOL_CALL_RESULT", toolCallId="c")
    assert spans(start, end, event("CUSTOM"), result) == [("call", "look", 0, 3)]
    assert spans(start, result) == [("call", "look", 0, None)]
    assert spans(result) == []


def test_what_is_never_closed_stays_open() -> None:
    assert spans(event("TEXT_MESSAGE_START", messageId="m")) == [
        ("message", "m", 0, None)
    ]


def test_what_closes_without_having_opened_is_nothing() -> None:
    assert spans(event("TEXT_MESSAGE_END", messageId="m"), event("RUN_FINISHED")) == []


def test_an_error_ends_the_run_and_nothing_else() -> None:
    assert spans(
        event("RUN_STARTED", runId="r"),
        event("TEXT_MESSAGE_START", messageId="m"),
        event("RUN_ERROR"),
    ) == [("run", "r", 0, 2), ("message", "m", 1, None)]


def test_chunks_are_one_span_for_each_message() -> None:
    assert spans(
        event("TEXT_MESSAGE_CHUNK", messageId="a"),
        event("TEXT_MESSAGE_CHUNK"),
        event("TEXT_MESSAGE_CHUNK", messageId="b"),
        event("TOOL_CALL_CHUNK", toolCallId="c", toolCallName="look"),
        event("TOOL_CALL_CHUNK", toolCallId="c"),
    ) == [("message", "a", 0, 1), ("message", "b", 2, 2), ("call", "look", 3, 4)]


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"type": 3},
        event("TEXT_MESSAGE_START"),
        event("TEXT_MESSAGE_START", messageId=["?"]),
        event("TOOL_CALL_START", toolCallId="c", toolCallName={"no": "name"}),
    ],
)
def test_whatever_comes_is_taken(odd: dict[str, Any]) -> None:
    assert len(spans(odd)) <= 1
