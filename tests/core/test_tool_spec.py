from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from aistream_nb.core.tool_spec import (
    ClientTool,
    Deny,
    GateRequest,
    Proceed,
    ToolAnnotations,
    ToolChecking,
    ToolSpec,
    refuse_repeated_names,
)
from aistream_nb.errors import TurnError


class Echo:
    spec = ToolSpec(name="echo")

    def validate(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return arguments

    async def execute(self, arguments: Mapping[str, Any]) -> object:
        return arguments


def test_hints_travel_in_the_spelling_of_mcp_and_come_back():
    hints = ToolAnnotations(
        title="Echo",
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
    )
    assert hints.to_wire() == {
        "title": "Echo",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert ToolAnnotations.from_wire(hints.to_wire()) == hints


def test_hints_that_nobody_gave_stay_unknown():
    assert ToolAnnotations().to_wire() == {}
    assert ToolAnnotations.from_wire({}) == ToolAnnotations()


def test_hints_of_a_wrong_type_count_as_unknown():
    wire = {"title": 7, "readOnlyHint": "yes", "destructiveHint": 1, "other": True}
    assert ToolAnnotations.from_wire(wire) == ToolAnnotations()


def test_a_tool_without_a_schema_takes_an_object():
    spec = ToolSpec(name="x")
    assert spec.parameters == {"type": "object", "properties": {}}
    assert spec.parameters is not ToolSpec(name="y").parameters
    assert spec.annotations == ToolAnnotations()


def test_a_tool_is_listed_with_its_hints_as_metadata():
    spec = ToolSpec(name="x", annotations=ToolAnnotations(read_only=True))
    assert spec.to_wire() == {
        "name": "x",
        "description": "",
        "parameters": {"type": "object", "properties": {}},
        "metadata": {"aistream": {"annotations": {"readOnlyHint": True}}},
    }


def test_whatever_has_the_three_parts_is_a_client_tool():
    assert isinstance(Echo(), ClientTool)
    assert not isinstance(object(), ClientTool)


def test_questions_and_answers_are_values():
    request = GateRequest(tool=ToolSpec(name="x"), arguments={"a": 1})
    assert request == GateRequest(tool=ToolSpec(name="x"), arguments={"a": 1})
    assert request.tool_call_id is None
    assert Proceed().arguments is None
    assert Deny().reason == ""
    with pytest.raises(FrozenInstanceError):
        Deny().reason = "late"  # type: ignore[misc]  # that it is refused is the point


class Choosy:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def check_tools(self, tools: Iterable[ToolSpec]) -> None:
        self.seen = [tool.name for tool in tools]


def test_a_gate_may_say_beforehand_whether_it_fits_the_tools():
    assert isinstance(Choosy(), ToolChecking)
    assert not isinstance(Deny, ToolChecking)


def test_tools_of_different_names_are_taken():
    refuse_repeated_names([Echo()])
    with pytest.raises(TurnError, match="two tools are called 'echo'"):
        refuse_repeated_names([Echo(), Echo()])
