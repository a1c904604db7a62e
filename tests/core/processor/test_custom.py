from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.processor.callbacks import Problem, ToolInput
from aistream_nb.core.processor.processor import StreamProcessor


class Heard:
    """A processor, and what it told."""

    def __init__(self) -> None:
        self.custom: list[tuple[str, Any, str | None]] = []
        self.calls: list[ToolInput] = []
        self.problems: list[Problem] = []
        self.processor = StreamProcessor(
            callbacks={
                "on_custom_event": lambda *event: self.custom.append(event),
                "on_tool_call": self.calls.append,
                "on_problem": self.problems.append,
            }
        )

    def receive(self, name: object, value: object, field: str = "value") -> None:
        self.processor.receive({"type": "CUSTOM", "name": name, field: value})


@pytest.fixture
def heard() -> Heard:
    return Heard()


def test_an_unknown_name_is_handed_on(heard: Heard):
    heard.receive("progress", {"pct": 5, "toolCallId": "c"})
    heard.receive("note", "plain")
    heard.receive("odd", {"toolCallId": 7})
    assert heard.custom == [
        ("progress", {"pct": 5, "toolCallId": "c"}, "c"),
        ("note", "plain", None),
        ("odd", {"toolCallId": 7}, None),
    ]


def test_a_name_that_is_none_has_no_effect(heard: Heard):
    heard.receive(None, 1)
    heard.receive(["a"], 1)
    assert heard.custom == []


def test_nobody_has_to_listen():
    processor = StreamProcessor()
    for name in ("progress", "tool-input-available"):
        processor.receive({"type": "CUSTOM", "name": name, "value": {"a": 1}})
    assert processor.messages == ()


@pytest.mark.parametrize("field", ["value", "data"])
def test_a_tool_of_the_client_is_to_run(heard: Heard, field: str):
    value = {"toolCallId": "c", "toolName": "f", "input": {"n": 1}}
    heard.receive("tool-input-available", value, field)
    assert heard.calls == [ToolInput(tool_call_id="c", tool_name="f", input={"n": 1})]
    assert heard.custom == []


def test_fields_that_are_missing_are_empty(heard: Heard):
    heard.receive("tool-input-available", {"input": None})
    assert heard.calls == [ToolInput(tool_call_id="", tool_name="", input=None)]


@pytest.mark.parametrize("value", [None, 0, "", {}])
def test_no_value_no_call(heard: Heard, value: object):
    heard.receive("tool-input-available", value)
    assert (heard.calls, heard.problems) == ([], [])


MALFORMED: dict[str, object] = {
    "no mapping": "text",
    "no approval": {"toolCallId": "c"},
    "an approval without an id": {"toolCallId": "c", "approval": {}},
    "no call": {"approval": {"id": "p"}},
}


@pytest.mark.parametrize("value", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_request_is_told_and_nothing_else(heard: Heard, value: object):
    heard.receive("approval-requested", value)
    assert heard.processor.messages == ()
    assert [problem.field for problem in heard.problems] == ["value"]
