from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.processor.callbacks import Problem, RunFailure
from aistream_nb.core.processor.dialects import (
    FieldReader,
    as_reasoning,
    custom_value,
    finish_reason,
    run_failure,
    shared_delta,
    shared_snapshot,
    step_id,
    step_thinking,
    tool_name,
)
from aistream_nb.core.values import ABSENT


class Heard:
    """A reader, and what it told."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.reader = FieldReader(self.problems.append, position=lambda: 3)


@pytest.fixture
def heard() -> Heard:
    return Heard()


def test_a_missing_text_is_empty_and_is_told_once(heard: Heard):
    assert heard.reader.text({"type": "X"}, "delta") == ""
    assert heard.problems == [
        Problem(index=3, event_type="X", field="delta", came="nothing", assumed='""')
    ]


def test_a_problem_names_the_kind_of_value_and_not_the_value(heard: Heard):
    heard.reader.text({"type": "X", "delta": {"secret": "s3cret"}}, "delta")
    assert heard.problems[0].came == "dict"
    assert "s3cret" not in repr(heard.problems)


def test_an_event_without_its_id_has_no_effect(heard: Heard):
    assert heard.reader.id({"toolCallId": 7}, "toolCallId") is None
    assert heard.reader.id({"toolCallId": ""}, "toolCallId") == ""
    assert len(heard.problems) == 1


def test_an_optional_id_may_be_missing_or_null(heard: Heard):
    assert heard.reader.optional_id({}, "parentMessageId") is None
    assert (
        heard.reader.optional_id({"parentMessageId": None}, "parentMessageId") is None
    )
    assert heard.problems == []
    assert heard.reader.optional_id({"parentMessageId": 7}, "parentMessageId") is None
    assert len(heard.problems) == 1


def test_nobody_has_to_listen():
    assert FieldReader(None, position=lambda: 0).text({}, "delta") == ""


NAMES: dict[str, tuple[dict[str, Any], str]] = {
    "the name of AG-UI": ({"toolCallName": "f"}, "f"),
    "the older name": ({"toolName": "g"}, "g"),
    "AG-UI's wins": ({"toolCallName": "f", "toolName": "g"}, "f"),
    "no name": ({}, ""),
}


@pytest.mark.parametrize(("event", "name"), NAMES.values(), ids=NAMES)
def test_a_tool_has_a_name_in_either_dialect(
    heard: Heard, event: dict[str, Any], name: str
):
    assert tool_name(event, heard.reader) == name
    assert len(heard.problems) == (0 if event else 1)


def test_a_custom_value_is_read_in_either_dialect():
    assert custom_value({"value": 1}) == 1
    assert custom_value({"data": 2}) == 2
    assert custom_value({}) is None


def test_a_step_is_named_in_either_dialect():
    assert step_id({"stepName": "s"}) == "s"
    assert step_id({"stepId": "s"}) == "s"
    assert step_id({"stepId": 7}) is None


def test_only_the_older_dialect_thinks_in_step_finished(heard: Heard):
    assert step_thinking({"stepId": "s", "delta": "t"}, heard.reader) == "t"
    assert step_thinking({"stepName": "s", "delta": "t"}, heard.reader) is None


def test_a_finish_reason_may_be_absent():
    assert finish_reason({}) is ABSENT
    assert finish_reason({"finishReason": None}) is None


FAILURES: dict[str, tuple[dict[str, Any], RunFailure]] = {
    "flat": (
        {"message": "slow", "code": "429", "rawEvent": {"n": 1}},
        RunFailure(message="slow", code="429", raw_event={"n": 1}),
    ),
    "nested": ({"error": {"message": "slow"}}, RunFailure(message="slow")),
    "nested wins": (
        {"message": "flat", "error": {"message": "nested"}},
        RunFailure(message="nested"),
    ),
    "nothing": ({}, RunFailure(message="An error occurred")),
    "empty": ({"message": ""}, RunFailure(message="An error occurred")),
    "wrong types": (
        {"message": 7, "code": 7, "error": 7},
        RunFailure(message="An error occurred"),
    ),
}


@pytest.mark.parametrize(("event", "failure"), FAILURES.values(), ids=FAILURES)
def test_a_failure_is_read_in_either_dialect(
    event: dict[str, Any], failure: RunFailure
):
    assert run_failure(event) == failure


def test_the_shared_state_is_read_in_either_dialect():
    assert shared_snapshot({"snapshot": None}) is None
    assert shared_snapshot({"state": 1}) == 1
    assert shared_snapshot({}) is ABSENT


def test_an_older_delta_sets_members():
    assert shared_delta({"delta": {"a/b": 1, "c~d": 2}}) == (
        {"op": "add", "path": "/a~1b", "value": 1},
        {"op": "add", "path": "/c~0d", "value": 2},
    )


def test_a_delta_is_operations_or_nothing():
    operation = {"op": "remove", "path": "/a"}
    assert shared_delta({"delta": [operation]}) == (operation,)
    assert shared_delta({"delta": "text"}) is None


def test_retired_thinking_gets_an_id():
    event = {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "t"}
    assert as_reasoning(event, 2) == {
        "type": "REASONING_MESSAGE_CONTENT",
        "messageId": "thinking-2",
        "delta": "t",
    }
