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


RAW: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 1},
        "when": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2},
        "odd": {"not": {}},
    },
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.fixture
def raw() -> Tool[..., Any]:
    return Tool.from_schema("raw", RAW, lambda **arguments: arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "misses n"),
        ({"n": True}, 'n: must be of type "integer"'),
        ({"n": 0}, "n: must be at least 1"),
        ({"n": 1, "when": "today"}, 'when: must have the format "date"'),
        ({"n": 1, "tags": ["a", "z"]}, 'tags[1]: must be one of ["a","b"]'),
        ({"n": 1, "tags": ["a", "a", "a"]}, "tags: must have at most 2 items"),
        ({"n": 1, "secret": 1}, "has a member that the schema does not know"),
        ({"n": 1, "odd": 1}, "odd: breaks the schema's 'not'"),
    ],
)
def test_a_raw_schema_is_told_from_the_schemas_side(raw, arguments, words):
    assert words in refusal(raw, arguments)


def test_a_raw_schema_passes_what_fits(raw):
    assert raw.validate({"n": 1.0}) == {"n": 1.0}


def test_required_of_an_odd_kind_is_told_without_details():
    one = Tool.from_schema(
        "one", {"properties": {"a": {"required": ["b"]}}}, lambda **_: None
    )
    assert refusal(one, {"a": {}}) == "a: misses b"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "array"}, "describes 'array'"),
        ({"type": "object", "properties": {"a": {"type": "nonsense"}}}, "properties.a"),
        ({"type": "object", "properties": 1}, "not a JSON schema"),
    ],
)
def test_a_schema_that_is_none_is_refused_at_once(schema, words):
    with pytest.raises(ValueError, match=words):
        Tool.from_schema("bad", schema, lambda **_: None)


def test_a_reference_to_elsewhere_is_never_fetched():
    one = Tool.from_schema(
        "one",
        {"properties": {"a": {"$ref": "https://elsewhere.test/schema"}}},
        lambda **_: None,
    )
    with pytest.raises(ToolInputError, match="refers to a schema that is not part"):
        one.validate({"a": 1})
