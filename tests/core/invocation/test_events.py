"""Responses on the wire, and events as values."""

from __future__ import annotations

import pytest

from aistream_nb.core.invocation.events import (
    ArgsDelta,
    Diagnostic,
    Ended,
    ToolResponse,
)
from aistream_nb.core.values import ABSENT

WIRES: list[dict[str, object]] = [
    {"result": None, "isError": False},
    {"result": [1], "isError": True, "artifact": None, "modelContent": []},
]


@pytest.mark.parametrize("wire", WIRES)
def test_a_response_survives_the_wire(wire: dict[str, object]) -> None:
    assert ToolResponse.from_wire(wire).to_wire() == wire


def test_what_the_wire_leaves_out_is_absent() -> None:
    response = ToolResponse.from_wire({"result": 1})
    assert response == ToolResponse(1)
    assert response.artifact is ABSENT
    assert not response.is_error


def test_events_are_values() -> None:
    assert ArgsDelta("a") == ArgsDelta("a")
    assert Ended("reset") != Ended("abort")
    assert Diagnostic("code", "text").tool_call_id is None
