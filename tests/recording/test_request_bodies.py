from __future__ import annotations

import json
from typing import Any

from hypothesis import given, strategies as st

from aistream_nb.core.json_text import encode_json
from aistream_nb.recording.request_bodies import (
    Grown,
    difference,
    is_same,
    plain_body,
    rebuilt,
    shared_start,
)

leaves = (
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-1, 1) | st.text("ab")
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("xy", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
bodies = st.dictionaries(
    st.sampled_from(["model", "messages", "tools", "system"]), values, max_size=4
)


def text_of(value: object) -> str:
    return encode_json(value)


@given(st.lists(bodies, max_size=6))
def test_any_sequence_of_bodies_is_built_again(told: list[dict[str, Any]]):
    kept: dict[str, Any] = {}
    for body in told:
        again = rebuilt(kept, *difference(kept, body))
        assert again is not None
        assert {k: text_of(v) for k, v in plain_body(again).items()} == {
            k: text_of(v) for k, v in body.items()
        }
        kept = again


def test_a_talk_that_goes_on_is_one_chain_of_items():
    first = {"messages": [{"n": 1}], "tools": ["t"], "model": "m"}
    second = {"messages": [{"n": 1}, {"n": 2}], "tools": ["t"], "model": "m"}

    told, new = difference(first, second)
    body = rebuilt(first, told, new)

    assert told == {"messages": 1, "tools": True, "model": True}
    assert new == {"messages": [{"n": 2}]}
    assert body is not None
    assert body["tools"] is first["tools"]
    assert body["messages"].own == [{"n": 2}]
    assert body["messages"].whole()[0] is first["messages"][0]


def test_a_last_message_that_changes_leaves_those_before_it_shared():
    told, new = difference(
        {"messages": ["a", {"say": "b", "cache_control": 1}]},
        {"messages": ["a", {"say": "b"}, {"say": "c", "cache_control": 1}]},
    )
    assert told == {"messages": 1}
    assert new == {"messages": [{"say": "b"}, {"say": "c", "cache_control": 1}]}


def test_a_list_that_became_shorter_says_how_much_is_left():
    before = {"messages": ["a", "b"]}
    told, new = difference(before, {"messages": ["a"]})
    assert (told, new) == ({"messages": 1}, {"messages": []})
    assert rebuilt(before, told, new) == {"messages": ["a"]}


def test_members_that_went_are_gone_and_their_order_is_kept():
    before = {"a": 1, "b": 2, "c": 3}
    after = {"a": 1, "c": 4, "d": 5}
    again = rebuilt(before, *difference(before, after))
    assert json.dumps(again) == json.dumps(after)


def test_the_same_is_the_same_text():
    assert is_same({"a": [1, "x", None, 0.5]}, {"a": [1, "x", None, 0.5]})
    assert is_same([2**70], [2**70])
    for one, other in [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ([1], (1,)),
        ([1], [1, 2]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (object(), object()),
        (b"xy", bytes([120, 121])),
    ]:
        assert not is_same(one, other)


def test_what_does_not_fit_is_no_body():
    before = {"messages": Grown(["a"], 1, ["b"]), "model": "m"}
    for told, new in [
        ([], {}),
        ({}, []),
        ({"messages": 3}, {"messages": []}),
        ({"messages": 0}, {"messages": []}),
        ({"messages": -1}, {"messages": []}),
        ({"messages": 10**30}, {"messages": []}),
        ({"messages": 1.0}, {"messages": []}),
        ({"messages": "1"}, {"messages": []}),
        ({"messages": None}, {"messages": []}),
        ({"messages": False}, {"messages": []}),
        ({"messages": True}, {"messages": []}),
        ({"messages": 1}, {}),
        ({"messages": 1}, {"messages": "text"}),
        ({"model": 1}, {"model": []}),
        ({"other": True}, {}),
        ({"other": 1}, {"other": []}),
    ]:
        assert rebuilt(before, told, new) is None, (told, new)
    assert rebuilt(before, {}, {"model": "n"}) == {"model": "n"}


def test_a_grown_list_is_compared_and_shown_like_a_list():
    grown = Grown(Grown(["a", "b"], 2, ["c"]), 2, ["d"])
    assert grown == ["a", "b", "d"]
    assert grown == Grown(["a"], 1, ["b", "d"])
    assert grown != ["a"]
    assert len(grown) == 3
    assert repr(grown) == "Grown(['a', 'b', 'd'])"
    # What it takes nothing from is not held any more.
    assert grown.before == ["a", "b"]


def test_a_talk_of_many_turns_needs_no_stack():
    talk: list[int] | Grown = [0]
    for at in range(1, 5000):
        talk = Grown(talk, at, [at])
    assert talk == list(range(5000))


def test_lists_begin_alike_as_far_as_their_items_are_the_same():
    assert shared_start([1, 2], [1, 2, 3]) == 2
    assert shared_start([], [1]) == 0
    assert shared_start([True], [1]) == 0
