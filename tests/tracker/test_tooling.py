"""What a tool can do is found by its shape."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.tool_spec import ToolSpec
from aistream_nb.tracker.tooling import (
    StreamingTool,
    finished,
    parts_of,
    validation_text,
)


def ability(*_: Any) -> str:
    return "done"


class Thing:
    execute = staticmethod(ability)
    validate = staticmethod(ability)


class Own:
    spec = ToolSpec(name="own")

    def validate(self, arguments: Any) -> Any:
        return arguments

    async def execute(self, arguments: Any) -> object:
        return arguments


class Model:
    @staticmethod
    def model_validate(args: Any) -> Any:
        return args

    @staticmethod
    def validate(args: Any) -> Any:
        raise AssertionError(args)


EXECUTABLE: dict[str, tuple[Any, bool]] = {
    "nothing": (None, False),
    "an empty mapping": ({}, False),
    "a mapping with execute": ({"execute": ability}, True),
    "a mapping with stream_call": ({"stream_call": ability}, True),
    "a mapping whose execute cannot be called": ({"execute": 7}, False),
    "an object": (Thing(), True),
    "a streaming tool": (StreamingTool(stream_call=ability), True),
    "a client tool": (Own(), True),
    "a backend tool": ({"type": "backend", "parameters": {}}, False),
}


@pytest.mark.parametrize("name", EXECUTABLE)
def test_only_the_presence_of_the_two_matters(name: str) -> None:
    tool, executable = EXECUTABLE[name]
    assert parts_of(tool).executable is executable


async def test_a_client_tool_is_called_without_a_context() -> None:
    parts = parts_of(Own())
    assert parts.execute is not None
    assert parts.spec is Own.spec
    assert await finished(parts.execute({"n": 1}, "context")) == {"n": 1}


def test_a_schema_is_the_tools_own_validate_or_that_of_its_parameters() -> None:
    assert parts_of(Thing()).validate is ability
    assert parts_of({"parameters": {"validate": ability}}).validate is ability
    assert parts_of({"parameters": {"type": "object"}}).validate is None
    assert parts_of({"parameters": Model}).validate is Model.model_validate


class IssuesError(Exception):
    def __init__(self, found: Any) -> None:
        super().__init__("in words")
        self.errors = found


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (lambda: [{"loc": ("a", 0), "msg": "no"}], '[{"path":["a",0],"message":"no"}]'),
        (lambda: [{"msg": "no"}], "in words"),
        (lambda: 7, "in words"),
        (["not", "callable"], "in words"),
    ],
)
def test_issues_are_told_by_path_where_they_have_one(found: Any, text: str) -> None:
    assert validation_text(IssuesError(found)).endswith(f"validation failed. {text}")
