"""A snapshot costs its growth, and no call is overlooked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st
from snapshot_parts import Hostile, call, message

from aistream_nb.core.invocation.message_memory import MessageMemory
from aistream_nb.core.invocation.snapshot_walk import calls_in


def note(memory: MessageMemory, messages: list[Any], *, quiet: bool = True) -> set[str]:
    """Walk what is due, as the book does."""
    for index in memory.due(messages):
        ids = [part["toolCallId"] for part in calls_in(messages[index])]
        memory.note(index, messages[index], ids, quiet=quiet)
    return set(memory.commit())


def messages_of(count: int) -> list[Any]:
    return [message(call(f"c{n}"), id=f"m{n}") for n in range(count)]


def test_quiet_messages_that_are_the_same_are_not_walked_again() -> None:
    memory, shared = MessageMemory(), messages_of(5)
    assert list(memory.due(shared)) == [0, 1, 2, 3, 4]
    note(memory, shared)
    assert list(memory.due([*shared])) == [4]


def test_quiet_messages_that_are_equal_are_not_walked_again() -> None:
    memory = MessageMemory()
    for _ in range(3):
        note(memory, messages_of(5))
    assert list(memory.due(messages_of(5))) == [4]
    assert list(memory.due(messages_of(6))) == [4, 5]


def test_a_host_that_begins_to_share_is_recognised_by_identity() -> None:
    memory, shared = MessageMemory(), messages_of(5)
    note(memory, messages_of(5))
    for _ in range(3):
        note(memory, [*shared])
    assert memory._start[0] is shared[0]


def test_tuples_are_as_good_as_lists() -> None:
    memory, shared = MessageMemory(), messages_of(5)
    note(memory, shared)
    assert list(memory.due(tuple(shared))) == [4]


def test_a_message_that_is_not_quiet_is_walked_again() -> None:
    memory, shared = MessageMemory(), messages_of(3)
    note(memory, shared, quiet=False)
    assert list(memory.due([*shared])) == [0, 1, 2]


def test_without_trust_every_message_is_walked() -> None:
    memory, shared = MessageMemory(), messages_of(3)
    note(memory, shared)
    assert list(memory.due(shared, trust=False)) == [0, 1, 2]


def test_the_last_message_of_the_old_list_is_walked_once_more() -> None:
    memory, shared = MessageMemory(), messages_of(3)
    note(memory, shared)
    assert list(memory.due([*shared, message()])) == [2, 3]


def test_a_changed_message_is_walked_and_its_neighbours_are_not() -> None:
    memory, shared = MessageMemory(), messages_of(5)
    note(memory, shared)
    changed = [*shared]
    changed[1] = message(call("new"))
    assert list(memory.due(changed)) == [1, 4]


def test_a_comparison_that_raises_means_that_we_walk() -> None:
    memory = MessageMemory()
    note(memory, [Hostile(), message()])
    assert list(memory.due([Hostile(), message()])) == [0, 1]


def test_calls_that_left_are_named() -> None:
    memory, shared = MessageMemory(), messages_of(4)
    note(memory, shared)
    assert note(memory, shared[:2]) == {"c2", "c3"}
    assert note(memory, [shared[1]]) == {"c0"}
    assert note(memory, []) == {"c1"}


def test_a_call_that_moved_did_not_leave() -> None:
    memory, shared = MessageMemory(), messages_of(3)
    note(memory, shared)
    moved = [message(call("c2")), shared[1], message(call("c0"))]
    assert note(memory, moved) == set()


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=6),
        max_size=8,
    ),
    st.data(),
)
def test_memory_never_skips_a_message_that_differs_or_is_not_quiet(
    lists: list[list[tuple[str, bool]]], draw: st.DataObject
) -> None:
    memory = MessageMemory()
    old: list[Any] = []
    quiet: list[bool] = []
    for spec in lists:
        new = [message(call(name)) for name, _ in spec]
        for index in range(min(len(new), len(old))):
            if draw.draw(st.booleans()) and new[index] == old[index]:
                new[index] = old[index]
        due = list(memory.due(new))
        for index in range(len(new)):
            if index in due:
                memory.note(index, new[index], [spec[index][0]], quiet=spec[index][1])
            else:
                assert new[index] == old[index]
                assert quiet[index]
                assert index < len(new) - 1
        before = {part["toolCallId"] for m in old for part in calls_in(m)}
        now = {part["toolCallId"] for m in new for part in calls_in(m)}
        assert set(memory.commit()) >= before - now
        quiet = [
            spec[index][1] if index in due else quiet[index]
            for index in range(len(new))
        ]
        old = new


def test_a_call_that_is_in_two_messages_and_leaves_one_did_not_leave() -> None:
    memory = MessageMemory()
    note(memory, [message(call("a")), message(call("a"))])
    assert note(memory, [message(call("a")), message(call("b"))]) == set()


def test_messages_without_content_are_compared_as_they_are() -> None:
    memory = MessageMemory()
    for _ in range(2):
        note(memory, [{"id": "m0"}, *messages_of(3)])
    assert list(memory.due([{"id": "m0"}, *messages_of(3)])) == [3]
    assert list(memory.due([{"id": "new"}, *messages_of(3)])) == [0, 3]


# ---------------------------------------------------------------- on an owner's word


def test_of_an_owner_only_what_changed_waits_or_is_new_is_due() -> None:
    memory, shared = MessageMemory(), messages_of(6)
    for place in memory.due(shared):
        memory.note(place, shared[place], [], quiet=False, waits=place == 1)
    memory.commit()
    assert memory.due_of((3,), 6) == [1, 3]
    assert memory.due_of((), 8) == [1, 6, 7]
    memory.note(1, shared[1], [], quiet=False)
    assert memory.due_of((3, 3), 6) == [3]


def test_of_an_owner_whose_list_became_shorter_the_rest_is_forgotten() -> None:
    memory, shared = MessageMemory(), messages_of(6)
    for place in memory.due(shared):
        memory.note(place, shared[place], [f"c{place}"], quiet=False, waits=True)
    memory.commit()
    assert memory.due_of((), 2) == [0, 1]
    assert set(memory.commit()) == {"c2", "c3", "c4", "c5"}
    assert memory.due_of((), 3) == [0, 1, 2]


def test_an_old_message_that_is_not_quiet_any_more_is_read_with_all_behind_it() -> None:
    memory, shared = MessageMemory(), messages_of(6)
    note(memory, shared)
    memory.note(2, shared[2], ["c2"], quiet=False)
    memory.commit()
    assert list(memory.due([*shared])) == [2, 5]


# ---------------------------------------------------------------- what counts


def test_only_the_fields_that_count_are_compared() -> None:
    memory, shared = MessageMemory(), messages_of(4)
    note(memory, shared)
    renamed = [{**one, "id": "other", "role": "user"} for one in messages_of(4)]
    assert list(memory.due(renamed)) == [3]


def test_the_role_counts_where_it_is_looked_at() -> None:
    memory, shared = MessageMemory(("role", "content")), messages_of(4)
    note(memory, shared)
    assert list(memory.due(messages_of(4))) == [3]
    renamed = messages_of(4)
    renamed[1]["role"] = "user"
    assert list(memory.due(renamed)) == [1, 3]


def test_a_host_may_share_some_and_decode_others() -> None:
    memory, shared = MessageMemory(), messages_of(6)
    note(memory, shared)
    mixed = [shared[0], *messages_of(6)[1:]]
    assert list(memory.due(mixed)) == [5]
    mixed[3] = message(call("new"))
    assert list(memory.due(mixed)) == [3, 5]
    assert list(memory.due(tuple(mixed))) == [3, 5]


def test_objects_whose_comparison_raises_are_read_also_behind_a_shared_one() -> None:
    memory, shared = MessageMemory(), [message(), Hostile(), message()]
    note(memory, shared)
    assert list(memory.due([shared[0], Hostile(), message()])) == [1, 2]
    assert list(memory.due([*shared])) == [2]


# ---------------------------------------------------------------- the past


def read_past(memory: MessageMemory, messages: list[Any]) -> None:
    for place in memory.due(messages):
        ids = [part["toolCallId"] for part in calls_in(messages[place])]
        memory.note(place, messages[place], ids, quiet=True, past=True)
    memory.commit()


def answered(count: int) -> list[Any]:
    return [
        message(
            {"type": "text", "text": "Ahoy"}, call(f"c{n}", argsText="{}", result=n)
        )
        for n in range(count)
    ]


def test_of_the_past_only_the_calls_are_compared() -> None:
    memory = MessageMemory()
    read_past(memory, answered(5))
    told = answered(5)
    told[1]["content"][0]["text"] = "Hello"
    told[2]["content"][1]["argsText"] = "[]"
    del told[3]["content"][1]["result"]
    assert list(memory.due(told)) == [4]


CHANGES: dict[str, Callable[[list[Any]], object]] = {
    "a call more": lambda parts: parts.append(call("new")),
    "a call less": lambda parts: parts.pop(),
    "another call": lambda parts: parts[1].update(toolCallId="new"),
    "a part that is a call now": lambda parts: parts.__setitem__(0, call("new")),
    "a call that is none now": lambda parts: parts[1].update(type="text"),
    "calls of a call": lambda parts: parts[1].update(messages=[message(call("new"))]),
    "a part without a type": lambda parts: parts[0].pop("type"),
    "a part that is no mapping": lambda parts: parts.__setitem__(0, None),
}


@pytest.mark.parametrize("name", CHANGES)
def test_another_call_in_the_past_is_found(name: str) -> None:
    memory = MessageMemory()
    read_past(memory, answered(5))
    changed = answered(5)
    CHANGES[name](changed[2]["content"])
    assert list(memory.due(changed)) == [2, 4]


def test_a_call_that_moved_to_another_message_of_the_past_is_found() -> None:
    memory = MessageMemory()
    read_past(memory, answered(5))
    changed = answered(5)
    changed[1]["content"] += changed[2]["content"]
    changed[2]["content"] = []
    assert list(memory.due(changed)) == [1, 2, 4]


def test_of_what_came_after_the_past_everything_is_compared() -> None:
    memory = MessageMemory()
    for place, one in enumerate(answered(6)):
        memory.note(place, one, [f"c{place}"], quiet=True, past=place < 3)
    memory.commit()
    told = answered(6)
    told[1]["content"][1]["result"] = "other"
    assert list(memory.due(told)) == [5]
    told[3]["content"][1]["result"] = "other"
    assert 3 in memory.due(told)
    assert 4 not in memory.due(told)


def test_contents_that_are_no_lists_are_compared_as_they_are() -> None:
    memory = MessageMemory()
    read_past(memory, [{"content": "Ahoy"}, {"content": None}, *answered(3)])
    same = [{"content": "Ahoy"}, {"content": None}, *answered(3)]
    assert list(memory.due(same)) == [4]
    assert list(memory.due([{"content": "Hello"}, *same[1:]])) == [0, 4]
