from __future__ import annotations

import enum
import json
import math
from collections import UserDict
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

import pydantic
import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.json_text import (
    JS_WHITESPACE,
    UnencodableError,
    encode_json,
    encode_somehow,
    encode_start,
    is_blank,
    join_surrogates,
    parse_json,
)
from aistream_nb.core.values import ABSENT

# Written down from Node 20: JSON.stringify(x) of each.
NODE_NUMBERS = [
    (0.0, "0"),
    (-0.0, "0"),
    (1.0, "1"),
    (-1.0, "-1"),
    (0.1, "0.1"),
    (-0.25, "-0.25"),
    (1.5, "1.5"),
    (100.0, "100"),
    (123456.789, "123456.789"),
    (1e5, "100000"),
    (1e15, "1000000000000000"),
    (1e16, "10000000000000000"),
    (123456789012345680.0, "123456789012345680"),
    (1e20, "100000000000000000000"),
    (123456789012345680000.0, "123456789012345680000"),
    (1.5e20, "150000000000000000000"),
    (999999999999999900000.0, "999999999999999900000"),
    (1e21, "1e+21"),
    (-1e21, "-1e+21"),
    (1.2345e25, "1.2345e+25"),
    (1e100, "1e+100"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (0.001, "0.001"),
    (0.0001, "0.0001"),
    (0.00001, "0.00001"),
    (0.000001, "0.000001"),
    (0.00000123, "0.00000123"),
    (0.0000015, "0.0000015"),
    (9.999999e-7, "9.999999e-7"),
    (1e-7, "1e-7"),
    (-1.5e-7, "-1.5e-7"),
    (1.25e-10, "1.25e-10"),
    (5e-324, "5e-324"),
    (2.2250738585072014e-308, "2.2250738585072014e-308"),
    (0.1 + 0.2, "0.30000000000000004"),
    (1 / 3, "0.3333333333333333"),
    (2.0**53, "9007199254740992"),
    (4503599627370495.5, "4503599627370495.5"),
    (2.5e-5, "0.000025"),
    (1e22, "1e+22"),
    (1.0000000000000002, "1.0000000000000002"),
    (3.14e21, "3.14e+21"),
    (6.02214076e23, "6.02214076e+23"),
]
_KEYS = '{"1":"a","null":"b","false":"c","1.5":"d"}'
NODE_TEXTS = [
    (
        '\u2028\x7f\0\x1f/"\\\b\f\n\r\t',
        '"\u2028\x7f\\u0000\\u001f/\\"\\\\\\b\\f\\n\\r\\t"',
    ),
    ("a\ud83d", '"a\\ud83d"'),
    ("\U0001f600", '"\U0001f600"'),
    ("\ud83d\ude00", '"\U0001f600"'),
    ("\ude00\ud83d", '"\\ude00\\ud83d"'),
    ("é", '"é"'),
]


class Colour(str, enum.Enum):  # noqa: UP042  # the older kind prints differently
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Place(pydantic.BaseModel):
    name: str
    since: date


class Self:
    def model_dump(self, **_options: str) -> object:
        return self


class Onion:
    def model_dump(self, **_options: str) -> object:
        return Onion()


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "NaN",
        "Infinity",
        "-Infinity",
        "[1,]",
        "{'a':1}",
        "1 2",
        "\ufeff1",
        "01",
    ],
)
def test_what_is_not_strict_json_is_refused(text: str):
    with pytest.raises(ValueError, match=r".+"):
        parse_json(text)


def test_strict_json_is_read_and_integers_keep_their_digits():
    assert parse_json(' {"a": [1, 2.5, null, true]} ') == {"a": [1, 2.5, None, True]}
    assert parse_json(b'"\xc3\xa9"') == "é"
    assert parse_json("12345678901234567890") == 12345678901234567890


def test_text_that_is_nested_too_deeply_is_a_value_error():
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json("[" * 100_000 + "]" * 100_000)


def test_bytes_that_are_no_text_are_a_value_error():
    with pytest.raises(ValueError, match="utf-8"):
        parse_json(b'"\xff"')


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize(("number", "text"), NODE_NUMBERS)
def test_numbers_are_written_as_node_writes_them(number: float, text: str):
    assert encode_json(number) == text
    assert float(text) == number


@pytest.mark.parametrize(("value", "text"), NODE_TEXTS)
def test_text_is_written_as_node_writes_it(value: str, text: str):
    assert encode_json(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (ABSENT, "null"),
        (True, "true"),
        (False, "false"),
        (10**30, "1" + "0" * 30),
        (math.nan, "null"),
        (-math.inf, "null"),
        ({}, "{}"),
        ([], "[]"),
        ((), "[]"),
        ({"a": ABSENT}, "{}"),
        ({"a": ABSENT, "b": [ABSENT, 1.0], "c": None}, '{"b":[null,1],"c":null}'),
        ({1: "a", None: "b", False: "c", 1.5: "d"}, _KEYS),
        (UserDict(a=(1, 2)), '{"a":[1,2]}'),
        (Colour.RED, '"red"'),
        ({Colour.RED: Level.HIGH}, '{"red":3}'),
        (date(2026, 1, 2), '"2026-01-02"'),
        (time(3, 4), '"03:04:00"'),
        (
            datetime(2026, 1, 2, 3, 4, 5, 678901),  # noqa: DTZ001  # naive counts as UTC
            '"2026-01-02T03:04:05.678Z"',
        ),
        (datetime(2026, 1, 2, tzinfo=UTC), '"2026-01-02T00:00:00.000Z"'),
        (
            datetime(2026, 1, 2, 1, tzinfo=timezone(timedelta(hours=2))),
            '"2026-01-01T23:00:00.000Z"',
        ),
        (
            [Place(name="Oslo", since=date(1048, 1, 1))],
            '[{"name":"Oslo","since":"1048-01-01"}]',
        ),
    ],
)
def test_values_are_written_compactly(value: object, text: str):
    assert encode_json(value) == text


def test_what_json_cannot_say_is_refused():
    for value in (object(), {1, 2}, b"x", {(): 1}, Place, datetime, [lambda: 0]):
        with pytest.raises(UnencodableError, match="has no JSON text"):
            encode_json(value)
    with pytest.raises(UnencodableError, match="too many digits"):
        encode_json(10**5000)


def test_a_value_that_holds_itself_is_refused_and_one_that_is_shared_is_not():
    shared = [1]
    assert encode_json([shared, {"a": shared}, shared]) == '[[1],{"a":[1]},[1]]'
    loop: list[Any] = []
    loop.append({"a": loop})
    with pytest.raises(UnencodableError, match="contains itself"):
        encode_json(loop)
    with pytest.raises(UnencodableError, match="contains itself"):
        encode_json(Self())


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_depth_is_limited_and_below_the_limit_costs_no_stack():
    assert encode_json(nested(900)) == "[" * 900 + "]" * 900
    with pytest.raises(UnencodableError, match="nested too deeply"):
        encode_json(nested(901))
    with pytest.raises(UnencodableError, match="nested too deeply"):
        encode_json(Onion())


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(JSON_VALUES)
def test_what_was_written_is_read_back(value: Any):
    text = encode_json(value)
    assert parse_json(text) == value
    assert text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_back_as_the_same_float(number: float):
    assert float(encode_json(number)) == number


# ---------------------------------------------------------------- text


def test_blank_means_what_ecmascript_means():
    assert is_blank("")
    assert is_blank(JS_WHITESPACE)
    for character in ("\x1c", "\x85", "\u200b", "x"):
        assert not is_blank(f" {character} ")


def test_surrogate_halves_that_met_are_joined_and_lone_ones_stay():
    assert join_surrogates("a\ud83d\ude00b") == "a\U0001f600b"
    assert join_surrogates("\ude00\ud83d") == "\ude00\ud83d"
    assert join_surrogates("\ud83d\ud83d\ude00") == "\ud83d\U0001f600"
    assert join_surrogates("plain") == "plain"


# ------------------------------------------------------------ the start of it


class Counted(list[Any]):
    """A list that counts how many of its items somebody looked at."""

    def __init__(self, items: Any) -> None:
        super().__init__(items)
        self.looked_at = 0

    def __iter__(self) -> Any:
        for item in super().__iter__():
            self.looked_at += 1
            yield item


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=10,
)


@given(JSON, st.integers(min_value=0, max_value=60))
def test_the_start_of_a_text_is_the_start_of_the_whole_text(value: Any, most: int):
    whole = encode_json(value)
    assert encode_start(value, most=most) == (whole[:most], len(whole) <= most)


def test_what_comes_after_the_start_is_not_looked_at():
    few, many = Counted(range(10_000)), Counted(range(100_000))
    assert encode_start(few, most=100) == encode_start(many, most=100)
    assert few.looked_at == many.looked_at < 60


def test_of_a_long_text_only_its_start_is_quoted(monkeypatch: pytest.MonkeyPatch):
    quoted: list[int] = []
    dumps = json.dumps

    def counting(text: str, **options: Any) -> str:
        quoted.append(len(text))
        return dumps(text, **options)

    monkeypatch.setattr("aistream_nb.core.json_text.json.dumps", counting)
    text, is_all = encode_start({"a": "x" * 1_000_000}, most=100)
    assert (len(text), is_all) == (100, False)
    assert max(quoted) == 100


def test_what_has_no_text_is_refused_where_it_is_reached():
    with pytest.raises(UnencodableError):
        encode_start([object()], most=100)
    assert encode_start(["x" * 10, object()], most=5) == ('["xxx', False)


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_what_has_no_json_text_is_told_somehow():
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]
    assert encode_somehow({"a": 1.0}) == '{"a":1}'
    assert encode_somehow({1}) == "{1}"
    assert encode_somehow(Mute()) == "<Mute>"
    assert encode_somehow(deep) == "<list>"
