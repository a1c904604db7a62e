from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.thread.reducer import ThreadReducer, apply_events

USER = {"id": "u1", "role": "user", "content": "hi"}


def event(event_type: str, **fields: Any) -> dict[str, Any]:
    return {"type": event_type, **fields}


def call(**fields: Any) -> dict[str, Any]:
    return event("TOOL_CALL_START", toolCallId="c1", toolCallName="f", **fields)


def activity(**fields: Any) -> dict[str, Any]:
    base = {"messageId": "a1", "activityType": "s", "content": {"n": 1}}
    return event("ACTIVITY_SNAPSHOT", **{**base, **fields})


def result(message_id: str, call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    ids = {"messageId": message_id, "toolCallId": call_id}
    return event("TOOL_CALL_RESULT", content="ok", **ids, **fields)


def test_nothing_that_is_given_out_or_came_in_is_shared():
    patch: list[dict[str, Any]] = [{"op": "add", "path": "/list", "value": [1]}]
    start, part = {"deep": [1]}, {"type": "text", "text": "x"}
    reducer = ThreadReducer(messages=[USER], state=start)
    reducer.receive(event("STATE_DELTA", delta=patch))
    reducer.receive({**result("t1"), "content": [part]})
    reducer.receive(activity(metadata={"k": [1]}))
    state, messages = reducer.state, reducer.messages
    state["list"].append(2)
    messages[0]["content"] = "changed"
    part["text"] = "changed"
    start["deep"].append(2)
    patch[0]["value"].append(9)
    assert reducer.state == {"deep": [1], "list": [1]}
    assert reducer.messages[0] == USER
    assert reducer.messages[1]["content"] == [{"type": "text", "text": "x"}]


def test_messages_that_are_none_are_left_out_of_the_start():
    bad: list[Any] = [3, {"id": 3}, {"id": "x", "role": "robot"}, {}, USER]
    assert ThreadReducer(messages=bad).messages == [USER]


def test_text_for_an_activity_or_for_nobody_is_noted_and_dropped():
    reducer = ThreadReducer()
    reducer.receive(activity())
    start = event("TEXT_MESSAGE_START", messageId="a1")
    content = event("TEXT_MESSAGE_CONTENT", messageId="a1", delta="x")
    nobody = event("TEXT_MESSAGE_CONTENT", messageId="m9", delta="x")
    assert [note.rule for note in reducer.receive(start)] == ["text.lands_on_activity"]
    for one in (content, nobody):
        assert [note.rule for note in reducer.receive(one)] == ["text.lands_nowhere"]
    assert reducer.receive(event("TEXT_MESSAGE_END", messageId="a1", metadata={})) == ()
    assert reducer.messages == [
        {"id": "a1", "role": "activity", "activityType": "s", "content": {"n": 1}}
    ]


def test_text_takes_the_place_of_content_that_is_no_text():
    parts = {"id": "u1", "role": "user", "content": [{"type": "text", "text": "x"}]}
    reducer = ThreadReducer(messages=[parts])
    reducer.receive(event("TEXT_MESSAGE_CONTENT", messageId="u1", delta="y"))
    assert reducer.messages[0]["content"] == "y"


def test_metadata_is_merged_into_messages_and_into_calls_the_last_one_wins():
    reducer = apply_events(
        [
            event("TEXT_MESSAGE_START", messageId="m1", metadata={"a": 1, "b": 1}),
            event("TEXT_MESSAGE_END", messageId="m1", metadata={"b": 2}),
            call(parentMessageId="m1", metadata={"c": 1}),
            event("TOOL_CALL_ARGS", toolCallId="c1", delta="", metadata={"c": 2}),
            event("TOOL_CALL_END", toolCallId="c1", metadata={"d": 3}),
        ]
    )
    (message,) = reducer.messages
    assert message["metadata"] == {"a": 1, "b": 2}
    assert message["toolCalls"][0]["metadata"] == {"c": 2, "d": 3}


def test_events_for_unknown_calls_and_messages_have_no_effect():
    reducer = ThreadReducer()
    for one in (
        event("TOOL_CALL_ARGS", toolCallId="c9", delta="x"),
        event("TOOL_CALL_END", toolCallId="c9"),
        event("TEXT_MESSAGE_END", messageId="m9"),
        event("ACTIVITY_DELTA", messageId="a9", activityType="s", patch=[]),
        event(
            "REASONING_ENCRYPTED_VALUE",
            subtype="message",
            entityId="m9",
            encryptedValue="x",
        ),
        event("CUSTOM", name="x", value=1),
    ):
        assert reducer.receive(one) == ()
    assert reducer.messages == []


def test_a_call_started_again_keeps_its_arguments_and_takes_the_new_name():
    reducer = ThreadReducer()
    reducer.receive(call())
    reducer.receive(event("TOOL_CALL_ARGS", toolCallId="c1", delta="{}"))
    assert reducer.receive(call()) == ()
    notes = reducer.receive({**call(), "toolCallName": "g"})
    assert [note.rule for note in notes] == ["tool.renamed"]
    function = reducer.messages[0]["toolCalls"][0]["function"]
    assert function == {"name": "g", "arguments": "{}"}


@pytest.mark.parametrize(
    ("parent", "holder", "noted"),
    [
        (None, "c1", []),
        ("", "c1", []),
        ("m9", "m9", []),
        ("u1", "c1", ["tool.parent_not_assistant"]),
        ("m1", "m1", []),
    ],
)
def test_a_call_finds_its_holder_by_its_parent(
    parent: str | None, holder: str, noted: list[str]
):
    reducer = ThreadReducer(messages=[USER, {"id": "m1", "role": "assistant"}])
    start = call() if parent is None else call(parentMessageId=parent)
    assert [note.rule for note in reducer.receive(start)] == noted
    holders = [m["id"] for m in reducer.messages if "toolCalls" in m]
    assert holders == [holder]
    found = reducer.find_call("c1")
    assert found is not None
    assert found["id"] == "c1"


def test_results_stand_behind_their_call_in_the_order_they_came():
    reducer = apply_events(
        [
            call(),
            event("TEXT_MESSAGE_START", messageId="m2"),
            result("t1"),
            result("t2"),
            result("t9", "c9"),
        ]
    )
    assert [m["id"] for m in reducer.messages] == ["c1", "t1", "t2", "m2", "t9"]
    assert reducer.results_of("c1") == ["t1", "t2"]
    assert reducer.unanswered_calls() == []


def test_activities_are_made_replaced_kept_and_patched():
    reducer = ThreadReducer(messages=[USER])
    reducer.receive(activity(metadata={"k": 1}, subagentRunId="g1"))
    reducer.receive(activity(content={"n": 2}))
    assert reducer.messages[1]["content"] == {"n": 2}
    assert reducer.messages[1]["metadata"] == {"k": 1}
    assert "subagentRunId" not in reducer.messages[1]
    reducer.receive(activity(content={"n": 3}, replace=False, metadata={"l": 2}))
    assert reducer.messages[1]["content"] == {"n": 2}
    assert reducer.messages[1]["metadata"] == {"k": 1, "l": 2}
    reducer.receive(activity(messageId="u1", replace=False, metadata={"l": 2}))
    assert reducer.messages[0] == USER
    reducer.receive(activity(messageId="u1"))
    assert reducer.messages[0]["role"] == "activity"


def test_a_patch_to_an_activity_applies_whole_or_is_noted():
    reducer = ThreadReducer(messages=[USER])
    reducer.receive(activity())

    def patched(target: str, path: str) -> list[str]:
        patch = [{"op": "replace", "path": path, "value": 5}]
        delta = event("ACTIVITY_DELTA", messageId=target, activityType="t", patch=patch)
        return [note.rule for note in reducer.receive({**delta, "metadata": {"k": 1}})]

    assert patched("a1", "/n") == []
    assert patched("a1", "/zz") == ["activity.patch_failed"]
    assert patched("u1", "/n") == ["activity.wrong_role"]
    assert reducer.messages[1]["activityType"] == "t"
    assert reducer.messages[1]["content"] == {"n": 5}
    assert reducer.messages[0] == USER
    assert reducer.messages[1]["metadata"] == {"k": 1}


def test_an_encrypted_value_goes_to_the_message_or_the_call():
    def sealed(subtype: str, entity: str) -> dict[str, Any]:
        return event(
            "REASONING_ENCRYPTED_VALUE",
            subtype=subtype,
            entityId=entity,
            encryptedValue="x",
        )

    reducer = apply_events([call(), sealed("tool-call", "c1"), sealed("message", "c1")])
    (message,) = reducer.messages
    assert message["encryptedValue"] == "x"
    assert message["toolCalls"][0]["encryptedValue"] == "x"


def test_a_run_brings_only_the_messages_that_nobody_has():
    other = {"id": "m1", "role": "assistant", "toolCalls": []}
    started = event("RUN_STARTED", threadId="t", runId="r")
    given = {"threadId": "t", "runId": "r", "messages": [USER, other]}
    reducer = apply_events(
        [{**started, "input": given}], messages=[{**USER, "content": "mine"}]
    )
    assert [m.get("content") for m in reducer.messages] == ["mine", None]


def test_interrupts_stay_until_a_run_finishes_without_any():
    interrupts = [{"id": "i1", "reason": "x"}]
    ids = {"threadId": "t", "runId": "r"}
    outcome = {"type": "interrupt", "interrupts": interrupts}
    reducer = ThreadReducer(interrupts=[{"id": "i0", "reason": "x"}])
    reducer.receive(event("RUN_ERROR", message="gone"))
    assert [i["id"] for i in reducer.pending_interrupts] == ["i0"]
    reducer.receive(event("RUN_FINISHED", outcome=outcome, **ids))
    assert [i["id"] for i in reducer.pending_interrupts] == ["i1"]
    assert reducer.pending_tool_call_ids is None
    reducer.receive(event("RUN_FINISHED", outcome={"type": "cancelled"}, **ids))
    assert reducer.pending_interrupts == []
    assert reducer.outcome == "cancelled"


IDS = st.sampled_from(["m1", "c1", "a1"])
EXPLICIT = st.one_of(
    st.builds(lambda i: event("TEXT_MESSAGE_START", messageId=i), IDS),
    st.builds(lambda i: event("TEXT_MESSAGE_CONTENT", messageId=i, delta="x"), IDS),
    st.builds(lambda i, p: {**call(parentMessageId=p), "toolCallId": i}, IDS, IDS),
    st.builds(lambda i: event("TOOL_CALL_ARGS", toolCallId=i, delta="x"), IDS),
    st.builds(result, IDS, IDS),
    st.builds(lambda i, r: activity(messageId=i, replace=r), IDS, st.booleans()),
    st.builds(
        lambda i: event(
            "MESSAGES_SNAPSHOT",
            messages=[{"id": i, "role": "assistant", "toolCalls": []}],
        ),
        IDS,
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(EXPLICIT, max_size=15))
def test_what_is_found_by_id_is_always_the_first_that_is_there(
    events: list[dict[str, Any]],
):
    before = copy.deepcopy(events)
    reducer = ThreadReducer()
    for one in events:
        reducer.receive(one)
        messages = reducer.messages
        for message_id in ("m1", "c1", "a1"):
            first = next((m for m in messages if m["id"] == message_id), None)
            assert reducer.find(message_id) == first
            calls = [c for m in messages for c in m.get("toolCalls", ())]
            first_call = next((c for c in calls if c["id"] == message_id), None)
            assert reducer.find_call(message_id) == first_call
    assert events == before


def test_depth_is_no_fault_of_a_value():
    deep: list[Any] = ["leaf"]
    for _ in range(10_000):
        deep = [deep]
    reducer = ThreadReducer(state=deep)
    given = reducer.state
    depth = 0
    while isinstance(given, list):
        given, depth = given[0], depth + 1
    assert (given, depth) == ("leaf", 10_001)
    assert reducer.receive(event("STATE_SNAPSHOT", snapshot=deep)) == ()


def test_halves_of_a_character_that_come_in_two_deltas_meet():
    start, of = event("TEXT_MESSAGE_START", messageId="m"), {"messageId": "m"}
    halves = [
        event("TEXT_MESSAGE_CONTENT", delta=d, **of) for d in ("\ud83d", "\ude80")
    ]
    assert apply_events([start, *halves]).messages[0]["content"] == "\U0001f680"


def test_a_delta_whose_copies_have_no_end_is_noted_once_and_changes_nothing():
    twice = {"op": "copy", "from": "", "path": "/-"}
    reducer = ThreadReducer(state=[["x"]])

    notes = reducer.receive(event("STATE_DELTA", delta=[twice] * 40))

    assert [note.rule for note in notes] == ["state.patch_failed"]
    assert reducer.state == [["x"]]
