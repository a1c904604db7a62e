from __future__ import annotations

import datetime as dt
import enum
import json
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr, field_validator

from aistream_nb.core.json_text import encode_json
from aistream_nb.errors import ToolInputError
from aistream_nb.tools import Tool, tool


class Size(enum.Enum):
    SMALL = "s"


class Person(BaseModel):
    name: str
    age: int

    @field_validator("age")
    @classmethod
    def _grown(cls, age: int) -> int:
        if age < 18:
            raise ValueError("must be grown up")
        return age


@tool
def order(
    size: Size,
    people: list[Person],
    day: dt.date = dt.date(2026, 12, 6),
    via: object = print,
) -> str:
    """Order."""
    return f"{size!r} {people!r} {day!r} {via!r}"


GOOD: dict[str, Any] = {"size": "s", "people": [{"name": "A", "age": 20}]}


def refusal(one: Tool[..., Any], arguments: dict[str, Any]) -> str:
    with pytest.raises(ToolInputError) as caught:
        one.validate(arguments)
    assert caught.value.tool_name == one.spec.name
    return str(caught.value).removeprefix("the arguments do not fit the schema: ")


def test_checked_arguments_show_json_with_defaults():
    checked = order.validate(GOOD)
    assert checked == {**GOOD, "day": "2026-12-06"}
    assert len(checked) == 3
    assert repr(checked) == repr(dict(checked))
    assert json.loads(encode_json(checked)) == dict(checked)


def test_what_was_shown_cannot_be_changed():
    checked = order.validate(GOOD)
    with pytest.raises(TypeError):
        checked["size"] = "x"  # pyright: ignore[reportIndexIssue] the point of the test


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size": "xl"}, "size: Input should be 's'"),
        ({"people": [{"name": "A", "age": "20"}]}, "people[0].age: Input should be"),
        ({"people": [{"name": "A", "age": True}]}, "people[0].age: Input should be"),
        ({"people": [{"name": "A", "age": 3}]}, "people[0].age: Value error, must be"),
        ({"more": 1}, "more: Extra inputs"),
        ({"people": [{}, {}, {}]}, "and 1 more"),
        ({"people": {1, 2}}, "a value of type 'set' has no JSON text"),
    ],
)
def test_a_refusal_names_the_place(change, words):
    assert words in refusal(order, {**GOOD, **change})


def test_a_refusal_never_repeats_a_value():
    said = refusal(order, {"size": "sesame", "people": [{"name": 1, "age": "sesame"}]})
    assert "sesame" not in said


def test_a_lenient_tool_takes_numbers_that_are_written_as_text():
    @tool(strict=False)
    def count(to: int) -> int:
        """Count."""
        return to

    assert count.validate({"to": "5"}) == {"to": 5}


def test_a_secret_is_not_shown_but_passed():
    @tool
    def log_in(password: SecretStr) -> str:
        """Log in."""
        return password.get_secret_value()

    assert log_in.validate({"password": "hunter2"}) == {"password": "**********"}
