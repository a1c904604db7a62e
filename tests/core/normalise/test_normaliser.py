from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.normalise.normaliser import Normaliser, detect_dialect, normalise
from aistream_nb.core.ordering.report import check_ordering

STARTED = {"type": "RUN_STARTED", "runId": "r1", "model": "m"}
STOPPED = {"type": "RUN_FINISHED", "runId": "r1", "finishReason": "stop"}
TOOLS = {"type": "RUN_FINISHED", "runId": "r1", "finishReason": "tool_calls"}
CALL = {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolName": "f"}
ARGS = {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": "{}", "args": "{}"}
END = {"type": "TOOL_CALL_END", "toolCallId": "c1", "toolName": "f", "input": {"a": 1}}
ANSWER = {"type": "TOOL_CALL_END", "toolCallId": "c1", "result": "ok"}
NEWER = {"metadata": {"tanstack": {"model": "m"}}}


def made(*events: dict[str, Any]) -> list[dict[str, Any]]:
    out = [dict(one) for one in normalise(events)]
    assert check_ordering(out, profile="client").ok
    return out


def types(*events: dict[str, Any]) -> list[str]:
    return [event["type"] for event in made(*events)]


@pytest.mark.parametrize(
    ("fields", "dialect"),
    [
        ({"model": "x"}, "tanstack-0.5"),
        ({"toolName": "x"}, "tanstack-0.5"),
        ({"stepId": "x"}, "tanstack-0.5"),
        ({"error": {}}, "tanstack-0.5"),
        ({"finishReason": None}, "tanstack-0.5"),
        ({"state": {}}, "tanstack-0.5"),
        ({"data": {}}, "tanstack-0.5"),
        ({"delta": {"a": 1}}, "tanstack-0.5"),
        ({"delta": "x"}, "official"),
        ({"metadata": {"tanstack": {}}}, "tanstack-0.58"),
        ({"metadata": {"other": {}}}, "official"),
        ({"metadata": None}, "official"),
        ({}, "official"),
    ],
)
def test_a_dialect_shows_in_one_event(fields: dict[str, Any], dialect: str):
    assert detect_dialect({"type": "X", **fields}) == dialect


def test_a_run_that_names_no_thread_is_of_the_older_dialect():
    assert detect_dialect({"type": "RUN_FINISHED", "runId": "r"}) == "tanstack-0.5"
    assert detect_dialect({"type": ["RUN_FINISHED"], "runId": "r"}) == "official"


def test_the_model_calls_of_one_request_become_one_run_with_all_their_usage():
    usage = {"promptTokens": 1, "completionTokens": 2, "totalTokens": 3}
    out = made(
        STARTED,
        CALL,
        ARGS,
        END,
        {**TOOLS, "usage": usage},
        ANSWER,
        {**STARTED, "runId": "r2"},
        {**STOPPED, "runId": "r2", "usage": usage},
    )
    assert [event["type"] for event in out] == [
        "RUN_STARTED",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "RUN_FINISHED",
    ]
    assert out[-1]["runId"] == "r1"
    assert (
        out[-1]["usage"]
        == [{"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}] * 2
    )
    assert out[4]["messageId"] == "c1:result"


def test_what_comes_after_the_end_goes_into_its_outcome():
    approval = {"toolCallId": "c1", "approval": {"id": "i1", "needsApproval": True}}
    asked = {"type": "CUSTOM", "name": "approval-requested", "data": approval}
    client = {
        "type": "CUSTOM",
        "name": "tool-input-available",
        "data": {"toolCallId": "c1"},
    }
    other = {"type": "CUSTOM", "name": "acme:x", "data": {}}
    body = (STARTED, CALL, ARGS, END, TOOLS)
    assert made(*body, client, other)[-1]["outcome"] == {
        "type": "success",
        "pendingToolCallIds": ["c1"],
    }
    out = made(*body, client, asked)
    assert out[-1]["outcome"] == {
        "type": "interrupt",
        "interrupts": [{"id": "i1", "reason": "tool_call", "toolCallId": "c1"}],
    }
    assert out[-2]["value"] == approval


def test_a_held_end_comes_out_at_the_end_or_before_an_error():
    assert types(STARTED, TOOLS) == ["RUN_STARTED", "RUN_FINISHED"]
    failed = {"type": "RUN_ERROR", "error": {"message": "gone"}}
    assert types(STARTED, TOOLS, failed)[-2:] == ["RUN_FINISHED", "RUN_ERROR"]
    assert types(STARTED, TOOLS, STOPPED) == ["RUN_STARTED", "RUN_FINISHED"]


def test_the_newer_dialect_goes_on_after_its_end():
    ids = {"threadId": "t1", "runId": "r1"}
    tools = {"metadata": {"tanstack": {"finishReason": "tool_calls"}}}
    start = {"toolCallId": "c1", "toolCallName": "f"}
    result = {"messageId": "m1", "toolCallId": "c1", "content": "ok"}
    out = made(
        {"type": "RUN_STARTED", **ids, **NEWER},
        {"type": "TEXT_MESSAGE_START", "messageId": "m1"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
        {"type": "TOOL_CALL_START", **start},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": "{}"},
        {"type": "TOOL_CALL_END", "toolCallId": "c1"},
        {"type": "RUN_FINISHED", **ids, **tools},
        {"type": "TOOL_CALL_RESULT", **result},
        {"type": "RUN_FINISHED", "threadId": "t1", "runId": "r2"},
    )
    assert [event["type"] for event in out].count("RUN_FINISHED") == 1
    assert out[-2]["messageId"] == "c1:result"
    assert out[-1]["runId"] == "r1"


def test_thinking_in_steps_becomes_reasoning():
    step = {"type": "STEP_FINISHED", "stepId": "s1", "content": "Hm"}
    assert types(
        STARTED,
        {"type": "STEP_STARTED", "stepId": "s1", "stepType": "thinking"},
        {**step, "delta": "H"},
        {"type": "CUSTOM", "name": "acme:x", "data": 1},
        {**step, "delta": "m"},
        step,
        {"type": "TEXT_MESSAGE_START", "messageId": "m1"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
        STOPPED,
    ) == [
        "RUN_STARTED",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "CUSTOM",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]


def test_steps_that_have_names_stay_steps():
    step = {"type": "STEP_STARTED", "stepName": "plan"}
    done = {"type": "STEP_FINISHED", "stepName": "plan"}
    assert types(STARTED, step, done, STOPPED)[1:3] == ["STEP_STARTED", "STEP_FINISHED"]


def test_arguments_that_only_the_end_shows_are_streamed():
    out = made(STARTED, CALL, END, STOPPED)
    assert out[2] == {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"a":1}'}
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    assert made(STARTED, CALL, {**END, "input": cyclic}, STOPPED)[2]["delta"] == "null"


def test_a_result_that_is_no_text_becomes_its_json():
    out = made(STARTED, CALL, ARGS, END, {**ANSWER, "result": {"t": 1}}, STOPPED)
    assert out[4]["content"] == '{"t":1}'


def test_what_the_dialect_repairs_silently_is_repaired_and_noted():
    said = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "x"}
    end = {"type": "TEXT_MESSAGE_END", "messageId": "m1"}
    events = (STARTED, ARGS, said, end, CALL, CALL, STOPPED)
    normaliser = Normaliser()
    notes = [
        (note.index, note.message)
        for event in events
        if normaliser.receive(event) or True
        for note in normaliser.notes
    ]
    assert (1, "is for no open call and is dropped") in notes
    assert (2, "came without its start") in notes
    assert (5, "starts an open call again, which is ignored") in notes
    assert (6, "leaves calls open, which are ended here") in notes
    assert types(*events) == [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
        "TOOL_CALL_END",
        "RUN_FINISHED",
    ]


def test_a_delta_of_the_state_becomes_a_patch():
    out = made(
        STARTED,
        {"type": "STATE_SNAPSHOT", "state": {}},
        {"type": "STATE_DELTA", "delta": {"a/b": 1}},
        {"type": "STATE_DELTA", "delta": []},
        STOPPED,
    )
    assert out[1]["snapshot"] == {}
    assert out[2]["delta"] == [{"op": "add", "path": "/a~1b", "value": 1}]


@pytest.mark.parametrize(
    ("fields", "read"),
    [
        (
            {"error": {"message": "gone", "code": "E1"}},
            {"message": "gone", "code": "E1"},
        ),
        ({"error": "gone"}, {"message": "gone"}),
        ({"error": {"message": "gone", "code": None}}, {"message": "gone"}),
        ({"message": "gone", "model": "m", "runId": "r1"}, {"message": "gone"}),
    ],
)
def test_an_error_says_its_message_itself(fields: dict[str, Any], read: dict[str, Any]):
    out = made(STARTED, {"type": "RUN_ERROR", **fields})[-1]
    assert {k: v for k, v in out.items() if k in {"message", "code"}} == read


def test_nothing_is_lost_that_the_protocol_has_no_place_for():
    out = made({**STARTED, "metadata": {"tanstack": {"a": 1}}}, STOPPED)
    assert out[0]["metadata"] == {"tanstack": {"a": 1, "model": "m"}}
    assert out[1]["metadata"] == {"tanstack": {"finishReason": "stop"}}


def test_what_was_open_before_the_dialect_showed_is_known():
    official = {"type": "RUN_STARTED", "threadId": "t1", "runId": "r1"}
    text = {"messageId": "m1"}
    start = {"toolCallId": "c1", "toolCallName": "f"}
    assert (
        types(
            official,
            {"type": "TEXT_MESSAGE_START", **text},
            {"type": "TOOL_CALL_START", **start},
            {"type": "TOOL_CALL_START", **start, "toolCallId": "c2"},
            {"type": "TOOL_CALL_END", "toolCallId": "c2"},
            {"type": "TEXT_MESSAGE_CONTENT", **text, "delta": "x", "model": "m"},
            {"type": "TOOL_CALL_END", "toolCallId": "c1", "model": "m"},
            {"type": "TEXT_MESSAGE_END", **text},
            STOPPED,
        ).count("TEXT_MESSAGE_START")
        == 1
    )


def test_a_frame_that_is_no_event_is_counted():
    normaliser = Normaliser()
    normaliser.skip()
    (one,) = normaliser.receive({"type": "RAW", "event": 1})
    assert one.origin == 1


def test_a_type_that_is_no_text_passes():
    event: dict[str, Any] = {"type": 7, "model": "m"}
    assert normalise([event]) == [event]


FIELD = st.sampled_from(["c1", "m1", "", None, 7, {}, {"a": 1}, ["x"]])
TYPES = [
    *("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "CUSTOM", "STATE_DELTA", "PING"),
    *("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"),
    *("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"),
    *("STEP_STARTED", "STEP_FINISHED"),
]
NAMES = [
    *("runId", "threadId", "model", "messageId", "toolCallId", "delta", "stepId"),
    *("finishReason", "result", "input", "usage", "metadata", "data", "name"),
    *("error", "outcome", "value"),
]
SOUP = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)}, optional=dict.fromkeys(NAMES, FIELD)
)


@settings(max_examples=150, deadline=None)
@given(st.lists(SOUP, max_size=10))
def test_no_soup_breaks_it_and_it_changes_no_event(soup: list[dict[str, Any]]):
    before = repr(soup)
    normalise(soup)
    assert repr(soup) == before
