from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from aistream_nb.widgets.misfit import misfit_words

SCHEMA = {"type": "object", "properties": {"a": {"items": {"type": "integer"}}}}


@pytest.mark.parametrize(
    ("value", "schema", "words"),
    [
        ({"a": [1]}, SCHEMA, ""),
        ({"a": [1, "x"]}, SCHEMA, "['a'][1]: 'x' is not of type 'integer'"),
        ([], SCHEMA, "the top: [] is not of type 'object'"),
        ({}, {"type": "no such type"}, ""),
        ({"a": 1}, {"properties": {"a": {"$ref": "http://x.test/"}}}, "not part of it"),
    ],
)
def test_the_first_misfit_is_told_with_its_place(value: Any, schema: Any, words: str):
    told = misfit_words(value, schema)
    assert words in told
    assert bool(words) == bool(told)


def test_a_view_that_is_displayed_does_not_pay_for_jsonschema():
    code = (
        "import sys, aistream_nb as ai; chat = ai.Chat('offline'); "
        "chat._view.widget(); chat._repr_mimebundle_(); "
        "sys.exit('jsonschema' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 our own words
