"""Whatever is in a snapshot, reading it does not raise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from snapshot_parts import Hostile, call, message

from aistream_nb.core.invocation.snapshot_walk import (
    calls_in,
    read_call,
    read_snapshot,
)


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
