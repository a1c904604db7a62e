from __future__ import annotations

import json
from typing import Any

import pytest

from aistream_nb.core.json_text import UnencodableError
from aistream_nb.core.long_results import result_json, result_words

PARTS = [{"type": "text", "content": "snow"}]


def sharing(levels: int) -> list[Any]:
    """A small value whose text would be 2 to the power of ``levels`` long."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value, value]
    return value


@pytest.mark.parametrize("longest", [4, 100, None])
def test_text_up_to_the_limit_is_told_as_it_is(longest: int | None):
    assert result_words("snow", longest=longest) == "snow"


@pytest.mark.parametrize(
    ("value", "text"),
    [([1, None], "[1,null]"), (None, "null"), (1j, "1j"), ({"a": "č"}, '{"a":"č"}')],
)
def test_what_is_no_text_is_told_as_json_and_else_as_python_says_it(
    value: object, text: str
):
    assert result_words(value, longest=100) == text


def test_content_parts_are_told_as_json():
    assert json.loads(result_words(PARTS, longest=100)) == PARTS


@pytest.mark.parametrize(
    ("value", "start"),
    [
        ("x" * 11, "x" * 10),
        ({"sky": "č" * 50}, '{"sky":"čč'),
        (PARTS, '[{"type":"'),
        (complex(1234567, 7654321), "(1234567+7"),
        (sharing(200), "[[[[[[[[[["),
    ],
)
def test_above_the_limit_the_beginning_is_told_and_that_it_is_one(
    value: object, start: str
):
    said = json.loads(result_words(value, longest=10))
    assert said["start"] == start
    assert said["note"].startswith("The result was cut: its ")
    assert "more than 10 characters" in said["note"]


def test_json_is_whole_cut_or_an_error():
    assert result_json("snow", longest=None) == '"snow"'
    assert json.loads(result_json(sharing(200), longest=3))["start"] == "[[["
    with pytest.raises(UnencodableError):
        result_json(object(), longest=10)
