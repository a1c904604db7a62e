from __future__ import annotations

from collections import UserDict
from types import MappingProxyType
from typing import Any

from aistream_nb.core.values import (
    ABSENT,
    Absent,
    copy_json,
    is_array,
    is_mapping,
    present,
)


def test_absence_is_false_and_is_not_null():
    assert not ABSENT
    assert ABSENT is not None
    assert ABSENT is Absent("absent")
    assert repr(ABSENT) == "ABSENT"


def test_arrays_are_lists_and_tuples_but_not_text():
    assert is_array([])
    assert is_array(())
    for value in ("", b"", {}, set[int](), None, ABSENT):
        assert not is_array(value)


def test_mappings_are_of_any_kind():
    assert is_mapping({})
    assert is_mapping(UserDict[str, int]())
    for value in ([], "", None, ABSENT):
        assert not is_mapping(value)


def test_absent_fields_are_left_out_and_null_ones_stay():
    assert present(a=0, b=ABSENT, c=None) == {"a": 0, "c": None}
    assert present() == {}


def test_copies_share_no_container():
    value = {"a": [1, {"b": []}], "c": "x"}
    copy = copy_json(value)
    value["a"][1]["b"].append(2)  # type: ignore[index]
    assert copy == {"a": [1, {"b": []}], "c": "x"}
    assert copy_json("x") == "x"
    assert copy_json(ABSENT) is ABSENT


def test_copies_are_made_of_whatever_counts_as_a_list_or_an_object():
    given = MappingProxyType({"a": ({"b": 1},)})
    assert copy_json(given) == {"a": [{"b": 1}]}


def test_a_copy_takes_no_longer_than_what_is_in_the_value():
    twice: Any = ["x"]
    for _ in range(100):
        twice = [twice, twice]
    copy = copy_json(twice)
    assert copy[0] is copy[1]
    assert copy[0] is not twice[0]


def test_what_holds_itself_is_copied_as_that():
    given: list[Any] = []
    given.append(given)
    copy = copy_json(given)
    assert copy is not given
    assert copy[0] is copy


def test_depth_does_not_matter_to_a_copy():
    value: Any = "leaf"
    for _ in range(10_000):
        value = {"in": value}
    inner: Any = copy_json(value)
    for _ in range(10_000):
        inner = inner["in"]
    assert inner == "leaf"
