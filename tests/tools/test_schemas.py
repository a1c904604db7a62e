from __future__ import annotations

import datetime as dt
import enum
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from aistream_nb.tools.schemas import build_argument_model, simplify_schema


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Guest(BaseModel):
    """Somebody who comes."""

    name: str
    title: str = "Mx"


class Node(BaseModel):
    value: int
    children: list[Node] = []


@dataclass
class Place:
    town: str


def schema_of(function: Callable[..., Any], **documented: str) -> dict[str, Any]:
    return build_argument_model(
        function, documented=documented, skip_first=False
    ).schema


def test_a_schema_reads_as_a_person_would_write_it():
    def find(
        text: Annotated[str, Field(description="What to look for", min_length=1)],
        limit: int = 10,
        kind: Literal["file", "folder"] = "file",
    ) -> None: ...

    assert schema_of(find, text="not this", limit="At most so many.") == {
        "type": "object",
        "properties": {
            "text": {
                "type": "string",
                "minLength": 1,
                "description": "What to look for",
            },
            "limit": {
                "type": "integer",
                "default": 10,
                "description": "At most so many.",
            },
            "kind": {"type": "string", "enum": ["file", "folder"], "default": "file"},
        },
        "required": ["text"],
        "additionalProperties": False,
    }


def test_nested_models_are_written_in_place_without_titles():
    def invite(guests: list[Guest], colour: Colour, place: Place) -> None: ...

    schema = schema_of(invite)
    guest = schema["properties"]["guests"]["items"]

    assert "$defs" not in schema
    # A property may be called "title"; a keyword of that name is noise.
    assert set(guest["properties"]) == {"name", "title"}
    assert "title" not in guest
    assert guest["description"] == "Somebody who comes."
    assert schema["properties"]["colour"] == {"enum": ["red", "blue"], "type": "string"}
    assert schema["properties"]["place"]["required"] == ["town"]


def test_a_type_that_contains_itself_keeps_its_definition():
    def plant(tree: Node) -> None: ...

    schema = schema_of(plant)
    assert schema["properties"]["tree"] == {"$ref": "#/$defs/Node"}
    children = schema["$defs"]["Node"]["properties"]["children"]
    assert children["items"] == {"$ref": "#/$defs/Node"}


def test_two_types_that_contain_each_other_keep_both_definitions():
    definitions = {
        "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
        "B": {"properties": {"a": {"$ref": "#/$defs/A"}, "c": {"$ref": "#/$defs/C"}}},
        "C": {"type": "null"},
    }
    schema = simplify_schema(
        {"$defs": definitions, "properties": {"a": {"$ref": "#/$defs/A"}}}
    )
    assert set(schema["$defs"]) == {"A", "B"}
    assert schema["$defs"]["B"]["properties"]["c"] == {"type": "null"}


def test_a_foreign_reference_is_left_alone():
    schema = {"properties": {"x": {"$ref": "https://elsewhere/x"}, "y": {"$ref": 1}}}
    assert simplify_schema(schema) == schema


def test_values_in_a_schema_are_not_taken_for_schemas():
    schema = {"default": {"$ref": "#/$defs/A", "title": "kept"}}
    assert simplify_schema({**schema, "$defs": {"A": {}}}) == schema


def test_a_default_that_is_not_json_is_left_out():
    def connect(to: object = object(), when: dt.date | None = None) -> None: ...

    schema = schema_of(connect)
    assert schema["properties"]["to"] == {}
    assert "required" not in schema


def test_a_keyword_gets_its_name_back_on_the_wire():
    def travel(from_: str, plain_: str, to: str = Field(alias="to_town")) -> None: ...

    assert list(schema_of(travel)["properties"]) == ["from", "plain_", "to_town"]


def test_names_that_pydantic_uses_itself_are_free():
    def ask(schema: str, model_config: int, copy: float, _hidden: str) -> None: ...

    assert len(schema_of(ask)["properties"]) == 4


def test_parameters_without_annotations_take_anything():
    def echo(value): ...

    assert schema_of(echo)["properties"] == {"value": {}}


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda *args: args, "takes *args"),
        (lambda **kwargs: kwargs, "takes **kwargs"),
        (type, "no signature"),
    ],
)
def test_what_a_model_cannot_fill_is_refused(function, words):
    with pytest.raises(TypeError) as caught:
        schema_of(function)
    assert words in str(caught.value)


def test_a_type_without_a_schema_is_refused_with_advice():
    class Connection: ...

    def query(connection: Connection) -> None: ...

    query.__annotations__["connection"] = Connection
    with pytest.raises(TypeError, match=r"no JSON schema.*functools\.partial"):
        schema_of(query)


def test_a_name_that_is_not_defined_is_told():
    def query(what: Nowhere) -> None: ...  # noqa: F821 # pyright: ignore[reportUndefinedVariable] the point of the test

    with pytest.raises(TypeError, match="names 'Nowhere'"):
        schema_of(query)


def test_names_of_the_enclosing_function_are_found():
    class Inside(BaseModel):
        size: int

    def measure(thing: Inside) -> int:
        return Inside.model_validate(thing).size

    assert schema_of(measure)["properties"]["thing"]["required"] == ["size"]


def test_what_a_partial_binds_is_hidden():
    def query(connection: object, text: str, limit: int) -> None: ...

    partial = functools.partial(query, object(), limit=3)
    assert list(schema_of(partial)["properties"]) == ["text"]


def test_a_function_of_another_language_has_a_schema():
    assert list(schema_of(math.sqrt)["properties"]) == ["x"]


def test_an_object_that_can_be_called_has_a_schema():
    class Search:
        def __call__(self, text: str) -> str:
            return text

    assert list(schema_of(Search())["properties"]) == ["text"]


def test_a_function_may_close_over_what_comes_later():
    def act(city: str) -> str:
        return later(city)

    model = build_argument_model(act, documented={}, skip_first=False)

    def later(city: str) -> str:
        return city.upper()

    assert list(model.schema["properties"]) == ["city"]
    assert act("hvar") == "HVAR"
