from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.wire.chunks import CHUNK_FORMS, ChunkExpander


def text(**fields: Any) -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CHUNK", **fields}


def tool(**fields: Any) -> dict[str, Any]:
    return {"type": "TOOL_CALL_CHUNK", **fields}


def expand(*events: dict[str, Any]) -> list[dict[str, Any]]:
    expander = ChunkExpander()
    return [dict(made) for event in events for made in expander.receive(event)]


def types(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def rules(*events: dict[str, Any]) -> list[list[str]]:
    expander = ChunkExpander()
    found: list[list[str]] = []
    for event in events:
        expander.receive(event)
        found.append([fault.rule for fault in expander.faults])
    return found


def test_text_chunks_become_start_and_contents_and_the_run_s_end_ends_them():
    made = expand(
        text(messageId="m1", name="a", delta="He", timestamp=5),
        text(delta="y", metadata={"k": 1}),
        {"type": "RUN_FINISHED"},
    )
    assert made == [
        {
            "type": "TEXT_MESSAGE_START",
            "messageId": "m1",
            "name": "a",
            "timestamp": 5,
        },
        {
            "type": "TEXT_MESSAGE_CONTENT",
            "messageId": "m1",
            "delta": "He",
            "timestamp": 5,
        },
        {
            "type": "TEXT_MESSAGE_CONTENT",
            "messageId": "m1",
            "delta": "y",
            "metadata": {"k": 1},
        },
        {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
        {"type": "RUN_FINISHED"},
    ]


def test_a_reasoning_start_gets_the_role_that_chunks_lack():
    made = expand({"type": "REASONING_MESSAGE_CHUNK", "messageId": "q1"})
    assert made == [
        {"type": "REASONING_MESSAGE_START", "messageId": "q1", "role": "reasoning"}
    ]


def test_an_event_that_is_no_chunk_comes_back_itself():
    event = {"type": "RAW", "event": 1}
    odd = {"type": 7}
    expander = ChunkExpander()
    assert expander.receive(event)[0] is event
    assert expander.receive(odd)[0] is odd


@pytest.mark.parametrize(
    ("fields", "delta"),
    [
        ({"delta": ""}, ""),
        ({"rawEvent": {"x": 1}}, ""),
        ({"metadata": {}}, ""),
        ({}, None),
        ({"rawEvent": None}, None),
    ],
)
def test_a_continuation_yields_content_if_it_brings_anything(
    fields: dict[str, Any], delta: str | None
):
    expander = ChunkExpander()
    expander.receive(text(messageId="m1"))
    made = expander.receive(text(messageId="m1", **fields))
    assert [event["delta"] for event in made] == ([] if delta is None else [delta])


def test_an_opener_with_only_metadata_yields_just_the_start():
    assert types(expand(text(messageId="m1", metadata={"k": 1}))) == [
        "TEXT_MESSAGE_START"
    ]


def test_the_next_item_in_a_lane_ends_the_one_before():
    made = expand(
        text(messageId="m1", delta="a"),
        tool(toolCallId="c1", toolCallName="f", parentMessageId=None, delta="{}"),
        text(messageId="m1", delta="b"),
    )
    assert types(made) == [
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
    ]


def test_each_subagent_has_its_own_lane():
    made = expand(
        text(messageId="m1", subagentRunId="g1"),
        text(messageId="m2", subagentRunId="g2"),
        {"type": "CUSTOM", "name": "x", "value": 1, "subagentRunId": "g1"},
        text(subagentRunId="g2", delta="b"),
        {"type": "SUBAGENT_FINISHED", "subagentRunId": "g2"},
    )
    assert [(e["type"], e["subagentRunId"]) for e in made] == [
        ("TEXT_MESSAGE_START", "g1"),
        ("TEXT_MESSAGE_START", "g2"),
        ("TEXT_MESSAGE_END", "g1"),
        ("CUSTOM", "g1"),
        ("TEXT_MESSAGE_CONTENT", "g2"),
        ("TEXT_MESSAGE_END", "g2"),
        ("SUBAGENT_FINISHED", "g2"),
    ]


@pytest.mark.parametrize(
    "event_type", ["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"]
)
def test_the_events_of_the_run_end_all_lanes_in_opening_order(event_type: str):
    made = expand(
        text(messageId="m2", subagentRunId="g1"),
        text(messageId="m1"),
        {"type": event_type},
    )
    assert [(e["type"], e.get("messageId")) for e in made[2:]] == [
        ("TEXT_MESSAGE_END", "m2"),
        ("TEXT_MESSAGE_END", "m1"),
        (event_type, None),
    ]


@pytest.mark.parametrize(
    "event_type",
    [
        "RAW",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "REASONING_ENCRYPTED_VALUE",
        "SUBAGENT_STARTED",
        "PLUGIN_PING",
    ],
)
def test_events_that_stand_aside_end_nothing(event_type: str):
    made = expand(text(messageId="m1"), {"type": event_type}, text(delta="a"))
    assert types(made)[2:] == ["TEXT_MESSAGE_CONTENT"]


def test_a_chunk_without_id_or_tag_continues_the_only_open_stream_of_its_kind():
    made = expand(
        text(messageId="m1", subagentRunId="g1"),
        tool(toolCallId="c1", toolCallName="f", subagentRunId="g2"),
        text(delta="a"),
    )
    assert made[-1]["messageId"] == "m1"
    assert made[-1]["subagentRunId"] == "g1"


def test_a_chunk_without_id_or_tag_prefers_the_parent_s_stream():
    events = (
        text(messageId="m1"),
        text(messageId="m2", subagentRunId="g1"),
        text(delta="a"),
    )
    assert expand(*events)[-1]["messageId"] == "m1"
    assert rules(*events) == [[], [], []]


def test_an_ambiguous_chunk_is_reported_and_its_text_kept():
    events = (
        text(messageId="m1", subagentRunId="g1"),
        text(messageId="m2", subagentRunId="g2"),
        text(delta="a"),
    )
    assert rules(*events)[-1] == ["chunk.ambiguous_lane"]
    assert expand(*events)[-1]["messageId"] == "m2"


@pytest.mark.parametrize(
    ("opener", "later", "rule"),
    [
        (text(messageId="m1"), text(role="user"), "chunk.field_conflict"),
        (text(messageId="m1"), text(name="ana"), "chunk.field_conflict"),
        (text(messageId="m1", role="user"), text(role="user"), None),
        (text(messageId="m1"), text(role="assistant"), None),
        (
            tool(toolCallId="c1", toolCallName="f"),
            tool(toolCallName="g"),
            "chunk.field_conflict",
        ),
        (
            text(messageId="m1", subagentRunId="g1"),
            text(messageId="m1", subagentRunId="g2"),
            "chunk.owner_conflict",
        ),
        (
            text(messageId="m1"),
            text(messageId="m1", subagentRunId="g2"),
            "chunk.owner_conflict",
        ),
    ],
)
def test_a_continuation_may_repeat_its_opener_but_not_differ(
    opener: dict[str, Any], later: dict[str, Any], rule: str | None
):
    assert rules(opener, {**later, "delta": "x"}) == [[], [rule] if rule else []]
    assert types(expand(opener, {**later, "delta": "x"}))[1:] in (
        ["TEXT_MESSAGE_CONTENT"],
        ["TOOL_CALL_ARGS"],
    )


@pytest.mark.parametrize(
    ("event", "rule"),
    [
        (text(delta="a"), "chunk.text_first_id"),
        (tool(toolCallName="f", delta="a"), "chunk.tool_first_id"),
        ({"type": "REASONING_MESSAGE_CHUNK", "delta": "a"}, "chunk.reasoning_first_id"),
        (tool(toolCallId="c1", delta="a"), "chunk.tool_first_name"),
    ],
)
def test_an_opener_that_lacks_what_a_start_needs_is_reported_once(
    event: dict[str, Any], rule: str
):
    again = {"type": event["type"], "delta": "b"}
    assert rules(event, again) == [[rule], []]
    assert [e["delta"] for e in expand(event, again) if "delta" in e] == ["a", "b"]


def test_an_empty_id_is_an_id():
    assert expand(text(messageId=""))[0]["messageId"] == ""
    assert rules(text(messageId="")) == [[]]


def test_a_bare_chunk_after_an_ending_event_is_a_first_chunk_again():
    found = rules(text(messageId="m1"), {"type": "STATE_DELTA"}, text(delta="x"))
    assert found[-1] == ["chunk.text_first_id"]


def test_what_is_open_can_be_asked():
    expander = ChunkExpander()
    expander.receive(text(messageId="m1"))
    assert expander.is_open("text", "m1")
    assert not expander.is_open("tool", "m1")


FIELDS = st.sampled_from([None, "", "x", "y", 7, ["x"]])
SOUP = st.fixed_dictionaries(
    {"type": st.sampled_from([*CHUNK_FORMS, "RUN_FINISHED", "CUSTOM", "RAW", 3, None])},
    optional={
        "messageId": FIELDS,
        "toolCallId": FIELDS,
        "toolCallName": FIELDS,
        "role": FIELDS,
        "subagentRunId": FIELDS,
        "delta": st.sampled_from(["a", "b", None, 4]),
        "rawEvent": FIELDS,
        "metadata": FIELDS,
    },
)


@settings(max_examples=150, deadline=None)
@given(st.lists(SOUP, max_size=12))
def test_no_soup_breaks_it_and_no_delta_of_a_chunk_is_lost(soup: list[dict[str, Any]]):
    made = expand(*soup)
    given_deltas = [
        event["delta"]
        for event in soup
        if event["type"] in CHUNK_FORMS and isinstance(event.get("delta"), str)
    ]
    kept = [
        event["delta"]
        for event in made
        if event["type"] in {form.content for form in CHUNK_FORMS.values()}
        and event["delta"] != ""
    ]
    assert kept == given_deltas
    assert not {event["type"] for event in made if event["type"]} & set(CHUNK_FORMS)
