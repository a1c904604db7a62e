from __future__ import annotations

import math

import pytest

from aistream_nb.core import kinds
from aistream_nb.core.kinds import Kind, wrong_kind


@pytest.mark.parametrize(
    ("kind", "right"),
    [
        (kinds.TEXT, ["", "x"]),
        (kinds.TEXTS, [{}, {"a": "b"}]),
        (kinds.MAPPING, [{}, {1: 2}]),
        (kinds.FLAG, [True, False]),
        (kinds.FUNCTION, [print, len]),
        (kinds.NUMBER, [0, -1, 1.5]),
        (kinds.WHOLE, [0, 1]),
        (kinds.COUNT, [1, 2]),
        (kinds.SECONDS, [1, 0.5]),
        (kinds.WAIT, [0, 1, 0.5]),
    ],
)
def test_a_kind_knows_its_own_and_no_stranger(kind: Kind, right: list[object]):
    is_of_kind, _ = kind
    assert all(map(is_of_kind, right))
    assert not is_of_kind(None)
    assert not is_of_kind(object())


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (kinds.NUMBER, True),
        (kinds.NUMBER, "2"),
        (kinds.NUMBER, math.nan),
        (kinds.WHOLE, -1),
        (kinds.WHOLE, 1.0),
        (kinds.WHOLE, False),
        (kinds.COUNT, 0),
        (kinds.SECONDS, 0),
        (kinds.SECONDS, math.inf),
        (kinds.WAIT, -0.1),
        (kinds.TEXTS, {"a": 1}),
        (kinds.TEXTS, {1: "a"}),
        (kinds.TEXTS, ["a"]),
        (kinds.FLAG, 1),
    ],
)
def test_what_is_nearly_of_a_kind_is_not_of_it(kind: Kind, value: object):
    assert not kind[0](value)


def test_the_first_option_of_another_kind_is_told():
    table = {"wait": kinds.SECONDS, "times": kinds.COUNT}
    given = [("name", object()), ("wait", 1), ("times", 0), ("wait", "2")]
    assert wrong_kind(given, table) == "times=0 is not a whole number above 0"
    assert wrong_kind(given[:2], table) is None


def test_none_stands_for_an_option_that_may_be_left_out():
    table = {"wait": kinds.SECONDS}
    assert wrong_kind([("wait", None)], table, optional=["wait"]) is None
    assert wrong_kind([("wait", None)], table) is not None


def test_a_secret_is_not_shown():
    told = wrong_kind([("key", ["sk-planted"])], {"key": kinds.TEXT}, secret=["key"])
    assert told == "key of type 'list' is not text"
