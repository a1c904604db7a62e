from __future__ import annotations

import pytest

from aistream_nb.errors import TurnError
from aistream_nb.tools import Tool, as_tools, tool


def ring(times: int) -> str:
    """Ring the bell."""
    return "ding" * times


def test_a_plain_decorator_and_one_with_hints_make_the_same_kind_of_tool():
    plain = tool(ring)
    hinted = tool(read_only=True, title="Bell")(ring)

    assert (plain("2" and 2), hinted(1)) == ("dingding", "ding")
    assert plain.spec.annotations.read_only is None
    assert hinted.spec.annotations.title == "Bell"


def test_functions_among_tools_become_tools():
    made = as_tools([ring, tool(name="bell")(ring)])

    assert [one.spec.name for one in made] == ["ring", "bell"]
    assert all(isinstance(one, Tool) for one in made)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError):
        as_tools([7])  # pyright: ignore[reportArgumentType] # what a person may type


def test_tools_that_a_model_could_not_tell_apart_are_refused():
    with pytest.raises(TurnError, match=r"called 'ring'.*@tool\(name=…\)") as caught:
        as_tools([ring, ring])
    assert caught.value.tool_name == "ring"
