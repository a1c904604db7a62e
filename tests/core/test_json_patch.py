from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.json_patch import PatchError, apply_patch, parse_pointer

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
