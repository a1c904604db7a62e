from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.json_patch import (
    MOST_COPIED,
    PatchError,
    apply_patch,
    parse_pointer,
)
from aistream_nb.core.json_text import encode_json

DOCUMENT = {"a": [1, {"b": None}], "c": {"d": "x"}, "n": 1}


def test_the_document_that_came_in_is_never_modified():
    before = copy.deepcopy(DOCUMENT)
    patch = [
        {"op": "add", "path": "/a/1/b", "value": 2},
        {"op": "remove", "path": "/c/d"},
        {"op": "move", "from": "/n", "path": "/a/0"},
    ]
    assert apply_patch(DOCUMENT, patch) == {"a": [1, 1, {"b": 2}], "c": {}}
    assert before == DOCUMENT


def test_untouched_parts_are_shared_and_touched_ones_are_not():
    made = apply_patch(DOCUMENT, [{"op": "replace", "path": "/n", "value": 2}])
    assert made["a"] is DOCUMENT["a"]
    assert made is not DOCUMENT


def test_a_copied_part_and_its_source_go_separate_ways():
    patch = [
        {"op": "add", "path": "/c/e", "value": 1},
        {"op": "copy", "from": "/c", "path": "/f"},
        {"op": "add", "path": "/f/only", "value": True},
        {"op": "add", "path": "/c/other", "value": True},
    ]
    made = apply_patch(DOCUMENT, patch)
    assert made["c"] == {"d": "x", "e": 1, "other": True}
    assert made["f"] == {"d": "x", "e": 1, "only": True}


def test_a_value_of_the_patch_is_not_modified_by_a_later_operation():
    value: dict[str, object] = {}
    patch = [
        {"op": "add", "path": "/v", "value": value},
        {"op": "add", "path": "/v/x", "value": 1},
    ]
    assert apply_patch({}, patch) == {"v": {"x": 1}}
    assert value == {}


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ({"op": "add"}, "list of operations"),
        ([7], "a number, not an object"),
        (["text"], "a string, not an object"),
        ([[]], "an array, not an object"),
        ([None], "null, not an object"),
        ([{"op": "merge", "path": ""}], "add, copy, move"),
        ([{"op": ["add"], "path": ""}], "add, copy, move"),
        ([{"op": "add", "path": "/x"}], "needs a 'value'"),
        ([{"op": "add", "path": "x", "value": 1}], "not a JSON Pointer"),
        ([{"op": "add", "path": "/~2", "value": 1}], "not a JSON Pointer"),
        ([{"op": "add", "path": None, "value": 1}], "not a JSON Pointer"),
        ([{"op": "add", "path": "/a/9", "value": 1}], "index 9 is beyond the 2 items"),
        ([{"op": "add", "path": "/a/", "value": 1}], "'' is not an index"),
        ([{"op": "remove", "path": "/a/٣"}], "is not an index"),
        ([{"op": "remove", "path": f"/a/{'9' * 5000}"}], "beyond"),
        ([{"op": "replace", "path": "/n/x", "value": 1}], "into a number"),
        ([{"op": "add", "path": "/c/d/0", "value": 1}], "into a string"),
        ([{"op": "add", "path": "/a/1/b/0", "value": 1}], "into null"),
        ([{"op": "replace", "path": "/toString", "value": 1}], "no member 'toString'"),
        ([{"op": "add", "path": "/__proto__", "value": 1}], "prototype"),
        ([{"op": "copy", "from": "/constructor/prototype", "path": "/x"}], "prototype"),
        ([{"op": "move", "from": "/c", "path": "/c/e"}], "into itself"),
        ([{"op": "test", "path": "/n", "value": True}], "not the value"),
    ],
)
def test_what_does_not_apply_says_why(patch: object, said: str):
    with pytest.raises(PatchError, match=said.replace("(", r"\(")):
        apply_patch(DOCUMENT, patch)


def test_a_failed_patch_names_its_operation():
    patch = [{"op": "test", "path": "/n", "value": 1}, {"op": "remove", "path": "/zz"}]
    with pytest.raises(PatchError, match="operation 1") as caught:
        apply_patch(DOCUMENT, patch)
    assert caught.value.operation == 1


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        ("1", 1, False),
        ({"a": 1, "b": [True]}, {"b": [True], "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ([1, 2], [1], False),
        ([1], (1,), True),
        ({}, [], False),
    ],
)
def test_test_compares_as_json_does(left: object, right: object, *, equal: bool):
    patch = [{"op": "test", "path": "/v", "value": right}]
    if equal:
        assert apply_patch({"v": left}, patch) == {"v": left}
    else:
        with pytest.raises(PatchError):
            apply_patch({"v": left}, patch)


def test_values_too_deep_to_compare_are_a_patch_error():
    deep: object = 0
    for _ in range(20_000):
        deep = [deep]
    with pytest.raises(PatchError, match="nested too deeply"):
        apply_patch(deep, [{"op": "test", "path": "", "value": [deep]}])


def test_a_tuple_is_an_array_and_becomes_a_list():
    assert apply_patch((1, 2), [{"op": "add", "path": "/-", "value": 3}]) == [1, 2, 3]


def test_leading_zeros_of_an_index_are_read_over():
    assert apply_patch([1, 2], [{"op": "replace", "path": "/01", "value": 3}]) == [1, 3]


def test_moving_a_part_onto_itself_changes_nothing():
    assert apply_patch([1], [{"op": "move", "from": "/0", "path": "/0"}]) == [1]


def test_a_list_item_can_be_taken_out():
    assert apply_patch([1, 2], [{"op": "remove", "path": "/0"}]) == [2]


def test_a_pointer_may_hold_every_character():
    assert parse_pointer("/~01/\n//é") == ("~1", "\n", "", "é")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "0", "-"]), inner, max_size=3)
    ),
    max_leaves=8,
)
POINTERS = st.lists(st.sampled_from(["a", "b", "0", "1", "-"]), max_size=3).map(
    lambda keys: "".join(f"/{key}" for key in keys)
)
OPERATIONS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
        "path": POINTERS,
        "from": POINTERS,
        "value": JSON,
    }
)


@settings(max_examples=150, deadline=None)
@given(document=JSON, patch=st.lists(OPERATIONS, max_size=5))
def test_any_patch_applies_or_raises_and_leaves_its_input_alone(
    document: object, patch: list[dict[str, object]]
):
    before = copy.deepcopy((document, patch))
    try:
        whole: object = apply_patch(document, patch)
    except PatchError:
        whole = PatchError
    assert (document, patch) == before
    step: object = document
    try:
        for operation in patch:
            step = apply_patch(step, [operation])
    except PatchError:
        step = PatchError
    assert whole == step


def test_removing_the_whole_document_leaves_null():
    assert apply_patch({"a": 1}, [{"op": "remove", "path": ""}]) is None


ALL_OF_IT = {"op": "copy", "from": "", "path": "/-"}
TOO_LONG = f"more than {MOST_COPIED} characters"


def test_copies_of_copies_make_no_document_that_nobody_can_write_down():
    start = [["x"]]
    made = apply_patch(start, [ALL_OF_IT] * 18)
    assert len(encode_json(made)) > 2**20
    with pytest.raises(PatchError, match=TOO_LONG) as caught:
        apply_patch(start, [ALL_OF_IT] * 40)
    assert caught.value.operation is None
    assert start == [["x"]]


def test_they_do_not_in_one_patch_after_another_either():
    made: Any = ["x" * 1_000]
    for _ in range(13):
        made = apply_patch(made, [ALL_OF_IT])
    assert MOST_COPIED / 2 < len(encode_json(made)) < MOST_COPIED
    with pytest.raises(PatchError, match=TOO_LONG):
        apply_patch(made, [ALL_OF_IT])


def test_what_is_shared_is_measured_once():
    looked_at = 0

    class Seen(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            nonlocal looked_at
            looked_at += 1
            return super().__iter__()

    shared: Any = Seen()
    for _ in range(300):
        shared = Seen([shared, shared])
    with pytest.raises(PatchError, match=TOO_LONG):
        apply_patch({"a": shared}, [{"op": "copy", "from": "/a", "path": "/b"}])
    assert looked_at <= 4 * 300


@pytest.mark.parametrize(
    ("document", "fits"),
    [
        ({"a": "x" * 2_000, "b": "x" * MOST_COPIED}, False),
        ({"a": "x" * 900, "b": "x" * MOST_COPIED}, True),
        ({"a": {"x" * 2_000: 1}, "b": ["x" * MOST_COPIED]}, False),
        ({"a": "x" * 2_000, "b": "x" * (MOST_COPIED - 5_000)}, True),
    ],
)
def test_only_a_patch_that_copies_much_is_held_to_the_length_of_the_document(
    document: dict[str, Any], *, fits: bool
):
    patch = [{"op": "copy", "from": "/a", "path": "/c"}]
    if fits:
        assert apply_patch(document, patch)["c"] is document["a"]
    else:
        with pytest.raises(PatchError, match=TOO_LONG):
            apply_patch(document, patch)


def test_what_is_not_copied_may_be_of_any_length():
    long = "x" * (MOST_COPIED + 1)
    patch = [{"op": "add", "path": "/a", "value": long}]
    moved = [{"op": "move", "from": "/a", "path": "/b"}]
    assert apply_patch(apply_patch({}, patch), moved) == {"b": long}


def test_a_value_that_holds_itself_can_be_measured():
    circle: list[Any] = ["x" * 2_000]
    circle.append(circle)
    patch = [{"op": "copy", "from": "/0", "path": "/b"}]
    assert apply_patch({"0": circle}, patch)["b"] is circle
