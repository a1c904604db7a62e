from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.wire import shapes
from aistream_nb.core.wire.shapes import Check, Fields, Findings, Verdict

ITEM = shapes.object_of(Fields(required={"id": shapes.text}))
TAGGED = shapes.union(
    "type",
    {
        "a": shapes.object_of(Fields(required={"type": shapes.text})),
        "b": shapes.object_of(Fields(required={"type": shapes.text, "x": ITEM})),
    },
)
HOLDER = shapes.object_of(
    Fields(required={"must": TAGGED}, optional={"may": TAGGED, "list": ITEM})
)


def checked(check: Check, value: Any) -> tuple[Any, list[str], list[str]]:
    findings = Findings()
    result = check(value, "", findings)
    return result, [f.path for f in findings.bad], [f.path for f in findings.removed]


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (shapes.anything, [None, 1, "x"], []),
        (shapes.nothing_null, [0, "", False], [None]),
        (shapes.text, ["", "x"], [None, 1, True, []]),
        (shapes.boolean, [True, False], [0, None, "true"]),
        (shapes.free_object, [{}, {"a": 1}], [None, [], "x"]),
        (
            shapes.integer(),
            [0, -5, 1.0, 2**53 - 1],
            [True, 1.5, 2**53, float("nan"), float("inf"), "1", None],
        ),
        (shapes.integer(minimum=0), [0], [-1]),
        (shapes.one_of("a", "b"), ["a"], ["c", None, ["a"]]),
        (shapes.pattern(str.isdigit, "digits"), ["12"], ["x", 12]),
        (shapes.array(shapes.text), [[], ["x"]], [None, {}, "x"]),
        (shapes.array(shapes.text, minimum=1), [["x"]], [[]]),
    ],
)
def test_a_good_value_comes_back_and_a_bad_one_is_named(
    check: Check, good: list[Any], bad: list[Any]
):
    for value in good:
        assert checked(check, value) == (value, [], [])
    for value in bad:
        assert checked(check, value) == (Verdict.BAD, [""], [])


def test_a_bad_item_makes_the_whole_array_bad_and_is_named_by_its_place():
    assert checked(shapes.array(ITEM), [{"id": "x"}, {"id": 1}, 3]) == (
        Verdict.BAD,
        ["/1/id", "/2"],
        [],
    )


def test_an_unknown_item_is_cut_out_of_an_array():
    assert checked(shapes.array(TAGGED), [{"type": "a"}, {"type": "z"}]) == (
        [{"type": "a"}],
        [],
        ["/1/type"],
    )


def test_an_unknown_member_goes_where_it_may_and_climbs_where_it_must_not():
    good, unknown = {"type": "a"}, {"type": "z"}
    assert checked(HOLDER, {"must": good, "may": unknown})[0] == {"must": good}
    assert checked(HOLDER, {"must": unknown, "may": good})[0] is Verdict.UNKNOWN
    assert checked(HOLDER, {"must": unknown, "list": 3})[0] is Verdict.BAD


def test_a_tag_that_is_missing_or_no_text_is_unknown_and_no_object_is_bad():
    assert checked(TAGGED, {}) == (Verdict.UNKNOWN, [], ["/type"])
    assert checked(TAGGED, {"type": 7}) == (Verdict.UNKNOWN, [], ["/type"])
    assert checked(TAGGED, "a") == (Verdict.BAD, [""], [])


def test_a_missing_field_and_a_field_too_many_are_told_apart():
    assert checked(ITEM, {"mood": 1}) == (Verdict.BAD, ["/id"], ["/mood"])
    assert checked(ITEM, {"id": "x", "mood": 1}) == ({"id": "x"}, [], ["/mood"])


def test_an_open_object_keeps_what_nobody_described():
    check = shapes.object_of(Fields(required={"id": shapes.text}, open=True))
    assert checked(check, {"id": "x", "mood": 1})[0] == {"id": "x", "mood": 1}


def test_null_counts_as_absent_where_that_is_said():
    fields = Fields(optional={"a": shapes.text}, null_is_absent=frozenset({"a"}))
    more = fields.with_fields(optional={"b": shapes.text}, null_is_absent=("b",))
    assert checked(shapes.object_of(more), {"a": None, "b": None}) == ({}, [], [])


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "a boolean"),
        (1, "a number"),
        (1.5, "a number"),
        ("x", "a string"),
        ({}, "an object"),
        ([], "an array"),
        ((), "an array"),
        ({1}, "a set"),
    ],
)
def test_a_kind_is_named_as_json_names_it(value: object, name: str):
    assert shapes.kind_of(value) == name
