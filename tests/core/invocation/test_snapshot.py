"""Our own conversation as a snapshot: unchanged messages are the same objects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aistream_nb.core.invocation.snapshot import SnapshotMaker
from aistream_nb.core.invocation.snapshot_walk import (
    Snapshot,
    read_call,
    read_snapshot,
)
from aistream_nb.core.messages import (
    Approval,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
)
from aistream_nb.core.processor.processor import StreamProcessor


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


# ---------------------------------------------------------------- following a processor


class Counted:
    """A processor that counts how often all of it is asked for."""

    def __init__(self, *ids: str) -> None:
        messages = [UIMessage(id=name, role="assistant") for name in ids]
        self.processor = StreamProcessor(initial_messages=messages, message_per_id=True)
        self.asked = 0

    @property
    def messages(self) -> tuple[UIMessage, ...]:
        self.asked += 1
        return self.processor.messages

    def message(self, message_id: str) -> UIMessage | None:
        return self.processor.message(message_id)

    def take_changes(self) -> tuple[str, ...]:
        return self.processor.take_changes()

    def call(self, call_id: str, *, of: str, deltas: tuple[str, ...] = ()) -> None:
        start = {"toolCallId": call_id, "toolCallName": "work", "parentMessageId": of}
        self.processor.receive({"type": "TOOL_CALL_START", **start})
        for delta in deltas:
            self.grow(call_id, delta)

    def grow(self, call_id: str, delta: str) -> None:
        grown = {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": delta}
        self.processor.receive(grown)


def texts(snapshot: Snapshot) -> list[str]:
    return [
        part["argsText"] for message in snapshot.messages for part in message["content"]
    ]


def test_what_grows_is_shown_and_named_and_nothing_else_is_asked_for() -> None:
    source, maker = Counted("m0", "m1"), SnapshotMaker()
    source.call("c", of="m2")
    first = maker.follow(source, is_running=True)
    asked = source.asked
    assert (first.changed, texts(first)) == ([0, 1, 2], [""])
    for end, delta in enumerate('{"n":1}', 1):
        source.grow("c", delta)
        grown = maker.follow(source, is_running=True)
        assert (list(grown.changed), texts(grown)) == ([2], ['{"n":1}'[:end]])
    assert source.asked == asked
    assert list(maker.follow(source, is_running=True).changed) == []


def test_a_message_that_came_is_named_and_the_known_ones_are_not() -> None:
    source, maker = Counted("m0", "m1"), SnapshotMaker()
    maker.follow(source, is_running=True)
    source.call("c", of="m2", deltas=("{}",))
    came = maker.follow(source, is_running=True)
    assert list(came.changed) == [2]
    assert texts(came) == ["{}"]


def test_a_message_that_went_is_shown_no_more() -> None:
    source, maker = Counted("m0", "m1"), SnapshotMaker()
    source.call("c", of="m2", deltas=("{}",))
    maker.follow(source, is_running=True)
    source.processor.remove_messages_after(0)
    assert len(maker.follow(source, is_running=True).messages) == 1
    source.call("d", of="m0", deltas=("[]",))
    assert texts(maker.follow(source, is_running=True)) == ["[]"]


def test_all_are_compared_when_a_run_begins_or_ends() -> None:
    source, maker = Counted("m0"), SnapshotMaker()
    for count, running in enumerate((True, False, True), 1):
        maker.follow(source, is_running=running)
        maker.follow(source, is_running=running)
        assert source.asked == count


def test_messages_of_one_id_are_always_compared() -> None:
    source, maker = Counted("m0", "m0", "m1"), SnapshotMaker()
    maker.follow(source, is_running=True)
    asked = source.asked
    source.call("c", of="m1", deltas=("{}",))
    followed = maker.follow(source, is_running=True)
    assert (source.asked, texts(followed)) == (asked + 1, ["{}"])


def test_a_chain_says_whose_snapshot_it_goes_on_from() -> None:
    maker = SnapshotMaker()
    one = maker.make([said(0)], is_running=True)
    two = maker.make([said(0), said(1)], is_running=True, is_loading=True)
    assert two.since is one.stamp
    assert two.stamp is not one.stamp
    assert (two.is_running, two.is_loading) == (True, True)
    assert SnapshotMaker().make([], is_running=True).since is not two.stamp
