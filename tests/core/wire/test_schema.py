from __future__ import annotations

from typing import Any, get_args

import pytest
from ag_ui.core import EventType as SDKEventType

from aistream_nb.core.wire.events import EVENT_TYPES, EventType
from aistream_nb.core.wire.schema import EVENT_FIELDS, check_event


def bad_paths(event_type: str, **fields: Any) -> list[str]:
    return [bad.path for bad in check_event({"type": event_type, **fields}).bad]


def test_the_table_has_every_event_of_the_protocol_and_no_other():
    assert set(EVENT_FIELDS) == set(EVENT_TYPES) == set(get_args(EventType))
    assert set(EVENT_FIELDS) <= {kind.value for kind in SDKEventType}


@pytest.mark.parametrize("event_type", sorted(EVENT_FIELDS))
def test_every_required_field_is_missed(event_type: str):
    checked = check_event({"type": event_type})
    required = set(EVENT_FIELDS[event_type].required) - {"type"}
    assert {bad.path[1:] for bad in checked.bad} == required
    assert checked.readable == (not required)


@pytest.mark.parametrize(
    ("event_type", "fields"),
    [
        ("RUN_FINISHED", {"threadId": "t", "runId": "r", "outcome": None}),
        ("RUN_FINISHED", {"threadId": "t", "runId": "r", "result": None}),
        (
            "TOOL_CALL_START",
            {"toolCallId": "c", "toolCallName": "f"} | {"parentMessageId": None},
        ),
        ("TEXT_MESSAGE_END", {"messageId": "m", "rawEvent": None}),
        ("SUBAGENT_FINISHED", {"subagentRunId": "g", "result": None}),
        ("TEXT_MESSAGE_END", {"messageId": "m", "timestamp": 1.0}),
        ("TEXT_MESSAGE_END", {"messageId": "", "subagentRunId": ""}),
        ("RAW", {"event": None}),
        ("STATE_SNAPSHOT", {"snapshot": None}),
        ("CUSTOM", {"name": "x", "value": None, "metadata": {"k": None}}),
        (
            "TOOL_CALL_RESULT",
            {"messageId": "m", "toolCallId": "c"}
            | {
                "content": [
                    {"type": "text", "text": "x"},
                    {"type": "image", "source": {"type": "url", "value": "u"}},
                    {"type": "image", "metadata": None}
                    | {
                        "source": {
                            "type": "data",
                            "value": "u",
                            "mimeType": "image/png",
                        }
                    },
                ]
            },
        ),
        ("STATE_DELTA", {"delta": [{"op": "add", "path": "", "value": 1, "by": "x"}]}),
        (
            "RUN_STARTED",
            {"threadId": "t", "runId": "r"}
            | {"input": {"threadId": "t", "runId": "r", "messages": [], "state": None}},
        ),
    ],
)
def test_what_the_client_reads_is_not_bad(event_type: str, fields: dict[str, Any]):
    assert bad_paths(event_type, **fields) == []


@pytest.mark.parametrize(
    ("event_type", "fields", "path"),
    [
        ("TEXT_MESSAGE_END", {"messageId": "m", "timestamp": 1.5}, "/timestamp"),
        ("TEXT_MESSAGE_END", {"messageId": "m", "timestamp": True}, "/timestamp"),
        ("TEXT_MESSAGE_END", {"messageId": "m", "metadata": None}, "/metadata"),
        (
            "TEXT_MESSAGE_END",
            {"messageId": "m"} | {"subagentRunId": None},
            "/subagentRunId",
        ),
        ("TEXT_MESSAGE_START", {"messageId": "m", "role": "tool"}, "/role"),
        (
            "REASONING_ENCRYPTED_VALUE",
            {"subtype": "x", "entityId": "e"} | {"encryptedValue": "v"},
            "/subtype",
        ),
        (
            "STATE_DELTA",
            {"delta": [{"op": "add", "path": "a", "value": 1}]},
            "/delta/0/path",
        ),
        ("STATE_DELTA", {"delta": [{"op": "add", "path": "/a"}]}, "/delta/0/value"),
        ("STATE_DELTA", {"delta": [{"op": "move", "path": "/a"}]}, "/delta/0/from"),
        (
            "TOOL_CALL_RESULT",
            {"messageId": "m", "toolCallId": "c", "content": 3},
            "/content",
        ),
        (
            "RUN_FINISHED",
            {"threadId": "t", "runId": "r"} | {"usage": [{"inputTokens": -1}]},
            "/usage/0/inputTokens",
        ),
        (
            "MESSAGES_SNAPSHOT",
            {"messages": [{"id": "m", "role": "user"}]},
            "/messages/0/content",
        ),
    ],
)
def test_a_known_field_with_a_bad_value_is_named(
    event_type: str, fields: dict[str, Any], path: str
):
    assert bad_paths(event_type, **fields) == [path]


def test_an_unknown_type_is_dropped():
    checked = check_event({"type": "PING"})
    assert checked.event is None
    assert not checked.readable
    assert [gone.path for gone in checked.removed] == ["/type"]
    assert check_event({"type": ["RAW"]}).event is None


def test_the_owner_is_unknown_on_events_of_the_run():
    checked = check_event({"type": "RUN_ERROR", "message": "x", "subagentRunId": "g"})
    assert checked.event == {"type": "RUN_ERROR", "message": "x"}
    assert checked.readable


def test_an_unknown_operation_is_cut_out_of_a_patch():
    merge = {"op": "merge", "path": "/a", "value": 1}
    add = {"op": "add", "path": "/a", "value": 1}
    checked = check_event({"type": "STATE_DELTA", "delta": [merge, add]})
    assert checked.event == {"type": "STATE_DELTA", "delta": [add]}


def test_a_message_of_an_unknown_role_is_cut_out_of_a_snapshot():
    user = {"id": "m", "role": "user", "content": "x"}
    robot = {"id": "n", "role": "robot"}
    checked = check_event({"type": "MESSAGES_SNAPSHOT", "messages": [robot, user]})
    assert checked.event == {"type": "MESSAGES_SNAPSHOT", "messages": [user]}


def test_an_unknown_source_takes_its_part_along():
    part = {"type": "image", "source": {"type": "cloud", "value": "x"}}
    checked = check_event(
        {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c"}
        | {"content": [part]}
    )
    assert checked.event is not None
    assert checked.event["content"] == []


def test_an_event_whose_whole_need_is_unknown_is_dropped():
    fields = EVENT_FIELDS["SUBAGENT_FINISHED"]
    assert "outcome" in fields.optional
    checked = check_event(
        {"type": "SUBAGENT_FINISHED", "subagentRunId": "g", "outcome": {"type": "x"}}
    )
    assert checked.event == {"type": "SUBAGENT_FINISHED", "subagentRunId": "g"}


@pytest.mark.parametrize(
    ("part", "kind", "source"),
    [
        ({"mimeType": "image/png", "data": "x"}, "image", "data"),
        ({"mimeType": "audio/wav", "url": "x"}, "audio", "url"),
        ({"mimeType": "application/pdf", "url": "x"}, "document", "url"),
    ],
)
def test_an_old_binary_part_becomes_the_part_of_its_medium(
    part: dict[str, str], kind: str, source: str
):
    message = {"id": "m", "role": "user", "content": [{"type": "binary", **part}]}
    checked = check_event({"type": "MESSAGES_SNAPSHOT", "messages": [message]})
    assert checked.event is not None
    assert checked.event["messages"][0]["content"] == [
        {
            "type": kind,
            "source": {"type": source, "value": "x", "mimeType": part["mimeType"]},
        }
    ]


def test_the_file_name_of_an_old_binary_part_becomes_metadata():
    part = {"type": "binary", "mimeType": "image/png", "data": "x", "filename": "a"}
    message = {"id": "m", "role": "user", "content": [part]}
    checked = check_event({"type": "MESSAGES_SNAPSHOT", "messages": [message]})
    assert checked.event is not None
    assert checked.event["messages"][0]["content"][0]["metadata"] == {"filename": "a"}


@pytest.mark.parametrize("fields", [{"url": "x"}, {"mimeType": "a/b"}, {"mimeType": 1}])
def test_an_old_binary_part_without_a_successor_is_cut_out(fields: dict[str, Any]):
    message = {"id": "m", "role": "user", "content": [{"type": "binary", **fields}]}
    checked = check_event({"type": "MESSAGES_SNAPSHOT", "messages": [message]})
    assert checked.event is not None
    assert checked.event["messages"][0]["content"] == []
