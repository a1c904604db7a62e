from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from aistream_nb.errors import ToolInputError
from aistream_nb.tools import Tool


def refusal(one: Tool[..., Any], arguments: dict[str, Any]) -> str:
    with pytest.raises(ToolInputError) as caught:
        one.validate(arguments)
    assert caught.value.tool_name == one.spec.name
    return str(caught.value).removeprefix("the arguments do not fit the schema: ")


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


def test_tools_of_functions_do_not_pay_for_jsonschema():
    code = "import aistream_nb.tools, sys; sys.exit('jsonschema' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 our own words
