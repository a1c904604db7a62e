"""Whatever is in a snapshot, reading it does not raise, and costs its growth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core.invocation.snapshot_walk import (
    MessageMemory,
    calls_in,
    read_call,
    read_snapshot,
)


def call(tool_call_id: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": tool_call_id, "toolName": "t", **fields}


def message(*parts: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(parts), **fields}


class Hostile(Mapping[str, Any]):
    """A mapping that raises whatever is asked of it."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None


class Plain(Mapping[str, Any]):
    """A mapping that is not a dict."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def __getitem__(self, key: str) -> Any:
        return self.fields[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(
    "value", [None, 7, "text", [], {}, {"messages": {}}, {"messages": "m"}, Hostile()]
)
def test_what_is_no_snapshot_is_none(value: object) -> None:
    assert read_snapshot(value) is None


def test_flags_count_only_if_they_are_true() -> None:
    snapshot = read_snapshot({"messages": (), "isRunning": 1, "isLoading": "yes"})
    assert snapshot is not None
    assert (snapshot.is_running, snapshot.is_loading) == (False, False)


def test_discarded_ids_that_are_no_texts_are_left_out() -> None:
    snapshot = read_snapshot({"messages": [], "discardedToolCallIds": ["a", 7]})
    assert snapshot is not None
    assert set(snapshot.discarded) == {"a"}
    snapshot = read_snapshot({"messages": [], "discardedToolCallIds": "a"})
    assert snapshot is not None
    assert set(snapshot.discarded) == set()


def test_calls_are_found_in_document_order_at_any_depth() -> None:
    inner = [message(call("b"), call("c")), message(call("d"))]
    found = calls_in(message({"type": "text"}, call("a", messages=inner), call("e")))
    assert [part["toolCallId"] for part in found] == ["a", "b", "c", "d", "e"]


def test_a_cycle_is_walked_once() -> None:
    looped = call("a")
    looped["messages"] = [message(looped, call("b"))]
    found = calls_in(message(looped))
    assert [part["toolCallId"] for part in found] == ["a", "a", "b"]


@pytest.mark.parametrize(
    "bad", [None, 7, "text", [], {}, {"content": "plain"}, {"content": {}}, Hostile()]
)
def test_a_bad_message_has_no_calls(bad: object) -> None:
    assert calls_in(bad) == []


def test_a_bad_part_hides_no_other() -> None:
    found = calls_in(message(None, 0, Hostile(), call("a", messages=7), call("b")))
    assert [part["toolCallId"] for part in found] == ["a", "b"]


def test_a_mapping_that_is_no_dict_is_read_too() -> None:
    found = calls_in(Plain(message(Plain(call("a")))))
    assert [part["toolCallId"] for part in found] == ["a"]


def test_other_roles_are_left_out_on_request() -> None:
    spoken = message(call("a"), role="user")
    assert calls_in(spoken, assistant_only=True) == []
    assert len(calls_in(spoken)) == 1


@pytest.mark.parametrize(
    "part",
    [
        {"toolName": "t", "argsText": ""},
        {"toolCallId": 7, "toolName": "t"},
        {"toolCallId": "a", "toolName": None},
        {"toolCallId": "a", "toolName": "t", "argsText": 7},
    ],
)
def test_a_malformed_call_is_none(part: dict[str, Any]) -> None:
    assert read_call(part) is None


@pytest.mark.parametrize("result", [None, False, 0, "", []])
def test_e_a5_every_result_counts_if_its_key_is_there(result: object) -> None:
    sight = read_call(call("a", result=result, isError=True, artifact=1))
    assert sight is not None
    assert sight.response is not None
    assert sight.answered
    assert (sight.response.result, sight.response.is_error) == (result, True)
    assert sight.response.artifact == 1


def test_a_call_without_text_has_empty_text() -> None:
    sight = read_call(call("a"))
    assert sight is not None
    assert (sight.text, sight.response, sight.interim, sight.gated) == (
        "",
        None,
        False,
        False,
    )


def test_interim_results_and_approvals_are_seen() -> None:
    sight = read_call(call("a", result=1, isPreliminary=True, approval={}))
    assert sight is not None
    assert (sight.interim, sight.gated, sight.answered) == (True, True, False)


# ---------------------------------------------------------------- memory


def note(memory: MessageMemory, messages: list[Any], *, quiet: bool = True) -> set[str]:
    """Walk what is due, as the book does."""
    for index in memory.due(messages):
        ids = [part["toolCallId"] for part in calls_in(messages[index])]
        memory.note(index, messages[index], ids, quiet=quiet)
    return memory.commit()


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
    assert memory._kept[0] is shared[0]


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
        assert memory.commit() >= before - now
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
