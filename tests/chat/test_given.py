"""What people hand to a chat."""

from __future__ import annotations

from typing import Any

import pytest
from chat_kit import offline

import aistream_nb as ai
from aistream_nb.chat.given import checked_gate, offered_tools
from aistream_nb.errors import AIStreamError


def look(place: str) -> str:
    """Look at a place."""
    return place


def names(tools: Any) -> list[str]:
    return [tool.spec.name for tool in offered_tools(tools)]


def test_one_tool_is_as_good_as_a_list():
    assert names(look) == names([look]) == names(ai.tool(look)) == ["look"]
    assert names(iter([look])) == ["look"]
    assert [tool.spec.name for tool in offline(tools=look).tools] == ["look"]


@pytest.mark.parametrize("wrong", ["look", b"look", 3])
def test_what_is_no_tool_is_refused_with_the_words_that_would_be_right(wrong: Any):
    with pytest.raises(AIStreamError, match=r"tools=\[my_function\]"):
        offered_tools(wrong)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("always", r"ApprovalGate\(ask='always'\)"),
        (True, "cannot be asked"),
        (ai.ApprovalGate, r"ApprovalGate\(ask=\.\.\.\)"),
    ],
)
def test_a_gate_that_cannot_be_asked_is_refused_when_the_chat_is_made(
    wrong: Any, meant: str
):
    with pytest.raises(AIStreamError, match=meant):
        offline(gate=wrong)


def test_a_gate_or_none_is_taken_as_it_is():
    gate = ai.ApprovalGate()

    assert checked_gate(gate) is gate
    assert checked_gate(None) is None
