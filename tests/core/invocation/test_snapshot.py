"""Our own conversation as a snapshot: unchanged messages are the same objects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aistream_nb.core.invocation.snapshot import SnapshotMaker
from aistream_nb.core.invocation.snapshot_walk import read_call, read_snapshot
from aistream_nb.core.messages import (
    Approval,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
)


def said(number: int, *parts: Any) -> UIMessage:
    return UIMessage(id=f"m{number}", role="assistant", parts=parts)


def call(**fields: Any) -> ToolCallPart:
    return ToolCallPart(id="c", name="work", arguments="{}", **fields)


def shown(*parts: Any, **options: Any) -> dict[str, Any]:
    snapshot = SnapshotMaker(**options).make([said(0, *parts)], is_running=True)
    (part,) = snapshot.messages[0]["content"]
    return part


def test_a_snapshot_is_readable_and_shows_only_calls() -> None:
    message = said(0, TextPart("Ahoy"), call())
    snapshot = SnapshotMaker().make([message], is_running=True, is_loading=True)
    read = read_snapshot(snapshot)
    assert read is not None
    assert (read.is_running, read.is_loading) == (True, True)
    (part,) = read.messages[0]["content"]
    assert read_call(part) is not None


HEAD = {
    "type": "tool-call",
    "toolCallId": "c",
    "toolName": "work",
    "argsText": "{}",
}
ANSWERS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "no result": ([call()], {}),
    "the tool's value": ([call(output=None)], {"result": None}),
    "a failed call": (
        [call(output="x", state="error")],
        {"result": "x", "isError": True},
    ),
    "what the model is told": (
        [call(), ToolResultPart(tool_call_id="c", content="told")],
        {"result": "told"},
    ),
    "the value before what the model is told": (
        [call(output=7), ToolResultPart(tool_call_id="c", content="7")],
        {"result": 7},
    ),
    "an error": (
        [call(), ToolResultPart(tool_call_id="c", content="no", state="error")],
        {"result": "no", "isError": True},
    ),
    "an interim result": (
        [call(), ToolResultPart(tool_call_id="c", content="10%", state="streaming")],
        {"result": "10%", "isPreliminary": True},
    ),
    "the result of another call": (
        [call(), ToolResultPart(tool_call_id="d", content="told")],
        {},
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_call_shows(name: str) -> None:
    parts, fields = ANSWERS[name]
    assert shown(*parts) == HEAD | fields


def test_an_approval_is_shown_unless_it_is_the_hosts_own() -> None:
    part = call(approval=Approval(id="a"))
    assert shown(part)["approval"] == {"id": "a", "needsApproval": True}
    assert "approval" not in shown(part, with_approvals=False)


def test_messages_that_did_not_change_are_the_same_objects() -> None:
    maker = SnapshotMaker()
    messages = [said(number, call()) for number in range(5)]
    first = maker.make(messages, is_running=True).messages
    grown = [*messages[:-1], replace(messages[-1], parts=()), said(5)]
    second = maker.make(grown, is_running=True).messages
    assert second is not first
    assert [a is b for a, b in zip(first, second, strict=False)] == [True] * 4 + [False]
    edited = [messages[0], said(1), *grown[2:]]
    third = maker.make(edited, is_running=True).messages
    assert [a is b for a, b in zip(second, third, strict=True)] == [
        True,
        False,
        True,
        True,
        True,
        True,
    ]


def test_shorter_and_empty_conversations_are_fine() -> None:
    maker = SnapshotMaker()
    messages = [said(number) for number in range(3)]
    first = maker.make(messages, is_running=True).messages
    assert maker.make(messages[:1], is_running=True).messages[0] is first[0]
    assert maker.make([], is_running=False).messages == []
