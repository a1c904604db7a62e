"""The change that mends a violation: it was tried, and it is the one a person makes."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.inspector import Inspector
from aistream_nb.widgets.ghost import ghost_of

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
END = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def text(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": f"TEXT_MESSAGE_{kind}", "messageId": "m", **more}


OPEN, SAY, CLOSE = (
    text("START", role="assistant"),
    text("CONTENT", delta="x"),
    text("END"),
)
SECOND = {**START, "runId": "r2"}
OTHER = {**OPEN, "messageId": "m2"}
CALL = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}

CASES: dict[str, tuple[list[dict[str, Any]], str, str, int, str]] = {
    "content that nobody opened": (
        [START, SAY, END],
        "text.content_unopened",
        "insert",
        1,
        "TEXT_MESSAGE_START",
    ),
    "a message that stays open": (
        [START, OPEN, SAY, END],
        "end.text_open",
        "insert",
        3,
        "TEXT_MESSAGE_END",
    ),
    "a call that stays open": (
        [START, CALL, END],
        "end.tool_open",
        "insert",
        2,
        "TOOL_CALL_END",
    ),
    "text after its end": (
        [START, OPEN, CLOSE, SAY, END],
        "text.content_unopened",
        "move",
        2,
        "TEXT_MESSAGE_CONTENT",
    ),
    "the second of two messages stays open": (
        [START, OPEN, SAY, CLOSE, CALL, OTHER, END],
        "end.text_open",
        "insert",
        6,
        "TEXT_MESSAGE_END",
    ),
    "an end too much": (
        [START, OPEN, SAY, CLOSE, CLOSE, END],
        "text.end_unopened",
        "leave-out",
        4,
        "TEXT_MESSAGE_END",
    ),
    "no start of the run": (
        [OPEN, SAY, CLOSE],
        "run.first_event",
        "insert",
        0,
        "RUN_STARTED",
    ),
    "a run in a run": ([START, SECOND, END], "run.nested", "insert", 1, "RUN_FINISHED"),
    "a run that breaks off": ([START], "stream.truncated", "insert", 1, "RUN_FINISHED"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_ghost_of(name: str) -> None:
    events, rule, change, at, kind = CASES[name]
    found = next(it for it in Inspector(events).violations if it.rule == rule)
    ghost = ghost_of(events, found)
    assert ghost is not None
    assert (ghost.change, ghost.at, ghost.type) == (change, at, kind)


def test_what_one_change_does_not_mend_has_none() -> None:
    events = [START, {"type": "TOOL_CALL_ARGS", "toolCallId": 7}, END]
    found = Inspector(events).violations[0]
    huge = [START, *[SAY] * 6000]
    assert ghost_of(huge, found.model_copy(update={"index": 5999})) is None
    assert ghost_of([], found.model_copy(update={"index": -1})) is None
    warning = found.model_copy(update={"index": 0, "rule": "run.version_missing"})
    assert ghost_of([START, END], warning) is None
    nothing_open = found.model_copy(update={"index": 1, "rule": "end.text_open"})
    assert ghost_of([START, END], nothing_open) is None


def test_a_stream_that_is_wrong_as_a_whole_and_has_no_run_has_none() -> None:
    found = Inspector([SAY]).violations[0]
    whole = found.model_copy(update={"index": -1, "rule": "stream.truncated"})
    assert ghost_of([SAY], whole) is None
