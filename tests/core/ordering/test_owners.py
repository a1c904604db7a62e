from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.ordering.owners import Owners
from aistream_nb.core.ordering.rules import event


def text(message_id: str = "m1", **fields: Any) -> Any:
    return event("TEXT_MESSAGE_START", messageId=message_id, **fields)


def call(**fields: Any) -> Any:
    return event("TOOL_CALL_START", toolCallId="c1", toolCallName="f", **fields)


def conflict_after(*events: Any) -> Any:
    owners = Owners()
    for one in events[:-1]:
        assert owners.conflict(one) is None
        owners.settle(one)
    return owners.conflict(events[-1])


def said(owner: str | None) -> Any:
    tag = {} if owner is None else {"subagentRunId": owner}
    return event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="x", **tag)


@pytest.mark.parametrize(
    ("opener", "later", "conflict"),
    [
        (text(), said(None), None),
        (text(), said("g1"), ("owner.mismatch", "m1", None)),
        (text(subagentRunId="g1"), said(None), None),
        (text(subagentRunId="g1"), said("g1"), None),
        (text(subagentRunId="g1"), said("g2"), ("owner.mismatch", "m1", "g1")),
        (text("m9"), said("g1"), None),
        (text(subagentRunId=""), said(""), None),
        (text(), said(""), ("owner.mismatch", "m1", None)),
    ],
)
def test_a_tag_agrees_with_the_opener_and_no_tag_never_disagrees(
    opener: Any, later: Any, conflict: Any
):
    assert conflict_after(opener, later) == conflict


def test_a_call_inherits_the_owner_of_its_message():
    started = (text(subagentRunId="g1"), call(parentMessageId="m1"))
    args = event("TOOL_CALL_ARGS", toolCallId="c1", delta="")
    assert conflict_after(*started, {**args, "subagentRunId": "g1"}) is None
    assert conflict_after(*started, {**args, "subagentRunId": "g2"}) == (
        "owner.mismatch",
        "c1",
        "g1",
    )


def test_a_call_without_a_parent_inherits_nothing_from_a_message_without_a_name():
    args = event("TOOL_CALL_ARGS", toolCallId="c1", delta="", subagentRunId="g1")
    started = (text("", subagentRunId="g1"), call())
    assert conflict_after(*started, args) == ("owner.mismatch", "c1", None)


def test_a_call_started_again_keeps_its_owner():
    assert conflict_after(
        call(), text(subagentRunId="g1"), call(parentMessageId="m1")
    ) == ("tool.reopen_parent_owner", "m1", "g1")
    assert (
        conflict_after(
            text(subagentRunId="g1"),
            call(parentMessageId="m1"),
            call(parentMessageId="m1"),
        )
        is None
    )
    assert conflict_after(call(), call(subagentRunId="g1")) == (
        "owner.mismatch",
        "c1",
        None,
    )


def test_a_tagged_call_agrees_with_its_message():
    tagged = call(parentMessageId="m1", subagentRunId="g1")
    assert conflict_after(text(), tagged) == ("tool.parent_owner", "m1", None)
    assert conflict_after(text(subagentRunId="g1"), tagged) is None
    assert conflict_after(tagged) is None


def test_each_result_says_anew_whose_message_it_is():
    result = event("TOOL_CALL_RESULT", messageId="m1", toolCallId="c1", content="x")
    tagged = {**result, "subagentRunId": "g1"}
    assert conflict_after(result, tagged, said("g1")) is None
    assert conflict_after(tagged, result, said("g1")) is not None


def test_an_activity_belongs_to_the_snapshot_that_made_or_replaced_it():
    shown = event("ACTIVITY_SNAPSHOT", messageId="a1", activityType="s", content={})
    delta = event("ACTIVITY_DELTA", messageId="a1", activityType="s", patch=[])
    tagged = {**delta, "subagentRunId": "g1"}
    owned = {**shown, "subagentRunId": "g1"}
    assert conflict_after(shown, tagged) == ("owner.mismatch", "a1", None)
    assert conflict_after(shown, owned, tagged) is None
    assert conflict_after(shown, {**owned, "replace": False}, tagged) is not None


def test_a_snapshot_says_anew_who_owns_what_and_an_input_fills_gaps():
    held = {"id": "m1", "role": "assistant", "subagentRunId": "g1"}
    calls = [{"id": "c1", "type": "function", "function": {}}]
    snapshot = event("MESSAGES_SNAPSHOT", messages=[{**held, "toolCalls": calls}])
    args = event("TOOL_CALL_ARGS", toolCallId="c1", delta="", subagentRunId="g1")
    assert conflict_after(text(), snapshot, said("g1")) is None
    assert conflict_after(snapshot, args) is None
    ids = {"threadId": "t", "runId": "r"}
    given = event("RUN_STARTED", input={"messages": [held]}, **ids)
    assert conflict_after(given, said("g2")) == ("owner.mismatch", "m1", "g1")
    assert conflict_after(text(), given, said("g1")) == ("owner.mismatch", "m1", None)
    assert conflict_after(event("RUN_STARTED", **ids), said("g1")) is None


def sealed(subtype: str, entity: str) -> Any:
    return event(
        "REASONING_ENCRYPTED_VALUE",
        subtype=subtype,
        entityId=entity,
        encryptedValue="x",
        subagentRunId="g1",
    )


def test_an_encrypted_value_is_looked_up_where_its_subtype_says():
    thought = event("REASONING_MESSAGE_START", messageId="q1", role="reasoning")
    assert conflict_after(call(), sealed("tool-call", "c1")) is not None
    assert conflict_after(call(), sealed("message", "c1")) is None
    assert conflict_after(text(), sealed("message", "m1")) is not None
    assert conflict_after(thought, sealed("message", "q1")) is not None
    owned = {**thought, "messageId": "m1", "subagentRunId": "g1"}
    assert conflict_after(owned, text(), sealed("message", "m1")) is not None


def test_an_event_without_an_id_claims_nothing():
    state = event("STATE_SNAPSHOT", snapshot=1, subagentRunId="g1")
    assert conflict_after(text(), state) is None
