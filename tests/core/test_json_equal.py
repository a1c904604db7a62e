from __future__ import annotations

import pytest

from aistream_nb.core.json_equal import equivalent_json


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ('{"a":1,"b":[2,3]}', ' {"b": [2.0, 3e0],\n"a": 1} '),
        ('{"a":1,"a":2}', '{"a":2}'),
        ("-0", "0"),
        ("-0.0", "0"),
        ("9007199254740993", "9007199254740992"),
        ("1e308", "1.0E+308"),
        ('"\\u00e9"', '"é"'),
        ("null", " null"),
        ("[true,false]", "[true, false]"),
        ("[" * 100 + "]" * 100, "[ " + "[" * 99 + "]" * 100),
    ],
)
def test_texts_that_mean_the_same_are_equivalent(a: str, b: str):
    assert equivalent_json(a, b)
    assert equivalent_json(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1", "2"),
        ("1", "true"),
        ("0", "false"),
        ("0", "null"),
        ("1", '"1"'),
        ('"a"', '"b"'),
        ("true", "false"),
        ("[]", "{}"),
        ("{}", "[]"),
        ("[1,2]", "[2,1]"),
        ("[1]", "[1,2]"),
        ('{"a":null}', "{}"),
        ('{"a":null}', '{"b":null}'),
        ('{"a":1}', '{"a":2}'),
        ('{"a":[]}', '{"a":1}'),
        ("1e999", "1e999"),
        ("1" * 400, "1" * 400),
        ("{", "{"),
        ("", ""),
        ("NaN", "NaN"),
        ("[" * 101 + "]" * 101, "[" * 101 + "]" * 101),
        ("[" * 100_000 + "]" * 100_000, "[]"),
    ],
)
def test_all_others_are_not(a: str, b: str):
    assert not equivalent_json(a, b)
    assert not equivalent_json(b, a)
