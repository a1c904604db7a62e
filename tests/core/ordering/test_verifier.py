from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from ag_ui.core import RunStartedEvent
from hypothesis import given, settings, strategies as st

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules import STARTED, event, run
from aistream_nb.core.ordering.verifier import OrderingVerifier
from aistream_nb.core.values import Event
from aistream_nb.core.wire.schema import EVENT_FIELDS

TEXT = event("TEXT_MESSAGE_START", messageId="m1")
SAID = event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="x")
TEXT_END = event("TEXT_MESSAGE_END", messageId="m1")
CALL = event("TOOL_CALL_START", toolCallId="c1", toolCallName="f")
ARGS = event("TOOL_CALL_ARGS", toolCallId="c1", delta="{}")
CALL_END = event("TOOL_CALL_END", toolCallId="c1")
FINISHED = event("RUN_FINISHED", threadId="t1", runId="r1")
FAILED = event("RUN_ERROR", message="gone")


def found(*events: Any, **options: Any) -> list[tuple[str, int]]:
    report = check_ordering(events, profile="teach", **options)
    return [(v.rule, v.index) for v in report.violations if v.level != "info"]


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (run(SAID, SAID, SAID, TEXT_END), [("text.content_unopened", 1)]),
        (run(SAID, SAID, SAID), [("text.content_unopened", 1)]),
        (run(ARGS, *[ARGS] * 50, CALL_END), [("tool.args_unopened", 1)]),
        (run(CALL, CALL_END, *[ARGS] * 50), [("tool.args_unopened", 3)]),
        (run(TEXT, TEXT, SAID, TEXT_END, TEXT_END), [("text.start_open", 2)]),
        (run(TEXT, TEXT, SAID, TEXT_END), [("text.start_open", 2)]),
        ((TEXT, *[SAID] * 9, TEXT_END, FINISHED), [("run.first_event", 0)]),
        ((TEXT, STARTED, SAID, TEXT_END, FINISHED), [("run.first_event", 0)]),
        ((*run(), TEXT, *[SAID] * 9, TEXT_END), [("run.after_finished", 2)]),
        ((*run(), TEXT, SAID, TEXT_END, FINISHED), [("run.after_finished", 2)]),
        ((STARTED, FAILED, TEXT, SAID, TEXT_END), [("run.after_error", 2)]),
        ((STARTED, STARTED, FINISHED), [("run.nested", 1)]),
        ((STARTED, TEXT, STARTED, SAID, TEXT_END, FINISHED), [("run.nested", 2)]),
        (
            (STARTED, TEXT, {**STARTED, "runId": "r2"}, {**FINISHED, "runId": "r2"}),
            [("run.nested", 2)],
        ),
        (run(TEXT), [("end.text_open", 2)]),
        (
            run({**TEXT, "messageId": 7}, SAID, TEXT_END)[:2],
            [
                ("schema.malformed", 1),
                ("stream.truncated", -1),
            ],
        ),
        (
            run({**CALL, "toolCallName": None}, ARGS, CALL_END),
            [("schema.malformed", 1)],
        ),
        (run({**TEXT, "role": "robot"}, SAID, TEXT_END), [("schema.malformed", 1)]),
        (
            ({"type": "RUN_STARTED", "runId": "r1"}, TEXT, SAID, TEXT_END, FINISHED),
            [("schema.malformed", 0)],
        ),
        (
            run(*({**SAID, "timestamp": 1.5} for _ in range(9)))[:0]
            + run(TEXT, *({**SAID, "timestamp": 1.5},) * 9, TEXT_END),
            [("schema.malformed", 2)],
        ),
        (
            run(TEXT, *({**SAID, "subagentRunId": "g9"},) * 9, TEXT_END),
            [("owner.mismatch", 2)],
        ),
        (run(*(event("PING") for _ in range(9))), [("schema.unknown_type", 1)]),
        (
            run(*({**SAID, "mood": 1} for _ in range(2)))[:0]
            + run(TEXT, *({**SAID, "mood": 1},) * 9, TEXT_END),
            [("schema.unknown_member", 2)],
        ),
    ],
)
def test_one_slip_is_one_message(
    events: tuple[Event, ...], told: list[tuple[str, int]]
):
    assert found(*events) == told


def test_two_slips_are_two_messages_and_the_second_is_secondary():
    report = check_ordering(run(SAID, TEXT_END, ARGS, CALL_END))
    first, second = report.violations
    assert (first.rule, first.secondary) == ("text.content_unopened", False)
    assert (second.rule, second.secondary) == ("tool.args_unopened", True)


def test_a_violation_names_what_came_where_we_were_and_what_was_due():
    report = check_ordering(run(CALL, CALL_END, ARGS))
    (violation,) = report.violations
    assert violation.event_type == "TOOL_CALL_ARGS"
    assert violation.ids == ("c1",)
    assert violation.caused_by == 2
    assert violation.message == (
        "TOOL_CALL_ARGS came for tool call 'c1', which was closed at event 2"
    )
    assert violation.expected == "TOOL_CALL_START for it first"
    assert "START and END" in violation.hint
    assert str(violation).startswith(
        "event 3: fatal tool.args_unopened: TOOL_CALL_ARGS"
    )
    assert violation.to_dict()["rule"] == "tool.args_unopened"


def test_a_violation_of_the_whole_stream_says_so():
    (violation,) = check_ordering([]).violations
    assert str(violation).startswith("stream: error stream.truncated")


def test_what_a_chunk_made_is_called_synthesised():
    chunk = event("TEXT_MESSAGE_CHUNK", messageId="m1", delta="x")
    (violation,) = check_ordering(run(TEXT, chunk, TEXT_END)).violations
    assert violation.rule == "text.start_open"
    assert violation.event_type == "TEXT_MESSAGE_CHUNK"
    assert violation.synthesised
    assert violation.opened_at == 1


def test_an_event_may_come_as_text_or_as_an_object_of_the_sdk():
    started = RunStartedEvent(thread_id="t1", run_id="r1")
    assert found(started, json.dumps(FINISHED)) == []


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("{oops", "frame.bad_json"),
        ("[1]", "frame.not_object"),
        (7, "frame.not_object"),
        ({"a": 1}, "frame.no_type"),
        ({"type": ""}, "frame.no_type"),
        ({"type": 3}, "frame.no_type"),
    ],
)
def test_what_is_no_event_is_told_and_skipped(given: object, rule: str):
    assert found(STARTED, given, FINISHED) == [(rule, 1)]


def test_the_verifier_tells_what_is_open_and_where_the_run_is():
    verifier = OrderingVerifier()
    assert verifier.run_state == "idle"
    for one in (STARTED, TEXT, CALL):
        assert verifier.receive(one) == ()
    assert verifier.run_state == "running"
    assert verifier.what_is_open() == {"text": ["m1"], "tool": ["c1"]}
    assert verifier.ok
    (left,) = verifier.close()
    assert left.rule == "stream.truncated"
    assert not verifier.ok


def test_an_index_that_is_handed_in_is_used():
    verifier = OrderingVerifier()
    (violation,) = verifier.receive(TEXT, index=40)
    assert violation.index == 40
    verifier.receive(TEXT)
    assert verifier.violations[0].index == 40


def test_a_malformed_event_of_an_older_dialect_says_how_to_read_it():
    old = event("RUN_STARTED", runId="r1", model="m")
    first = check_ordering([old]).violations[0]
    assert "dialect='tanstack'" in first.message
    assert first.expected == "a value at /threadId"


def test_a_held_finish_is_judged_at_its_own_index():
    old = (
        event("RUN_STARTED", runId="r1", model="m"),
        event("RUN_FINISHED", runId="r1", finishReason="tool_calls"),
    )
    assert check_ordering(old, dialect="tanstack").violations == ()


def test_minted_ids_come_from_the_factory():
    verifier = OrderingVerifier(new_id=lambda: "own")
    verifier.receive(STARTED)
    verifier.receive(event("THINKING_START"))
    assert verifier.what_is_open() == {"reasoning_span": ["own"]}


def test_a_fault_in_an_optional_field_does_not_hide_the_rest():
    events = run({**TEXT, "subagentRunId": None}, SAID, TEXT_END, TEXT_END)
    assert found(*events) == [("schema.malformed", 1), ("text.end_unopened", 4)]


# ---------------------------------------------------------------- properties

IDS = st.sampled_from(["m1", "m2", "c1", "g1", "", None, 7])
SOUP = st.fixed_dictionaries(
    {"type": st.sampled_from([*EVENT_FIELDS, "THINKING_START", "PING"])},
    optional={
        **dict.fromkeys(("messageId", "toolCallId", "subagentRunId"), IDS),
        **dict.fromkeys(("threadId", "runId", "parentMessageId"), IDS),
        **dict.fromkeys(("toolCallName", "stepName", "name", "entityId"), IDS),
        "activityType": IDS,
        "encryptedValue": IDS,
        "subtype": st.sampled_from(["message", "tool-call", "x"]),
        "delta": st.sampled_from(
            ["x", [], [{"op": "add", "path": "/a", "value": 1}], [{"op": "x"}], 3]
        ),
        "patch": st.sampled_from([[], [{"op": "remove", "path": "/a"}], None]),
        "role": st.sampled_from(["assistant", "user", "reasoning", "tool", 1]),
        "content": st.sampled_from(["x", {}, [], [{"type": "text", "text": "y"}]]),
        "message": IDS,
        "messages": st.sampled_from(
            [[], [{"id": "m1", "role": "user", "content": ""}], [{"id": 1}], "x"]
        ),
        "outcome": st.sampled_from(
            [{"type": "success"}, {"type": "interrupt", "interrupts": []}, None, 3]
        ),
        "timestamp": st.sampled_from([1, 1.5, 1_700_000_000_000, True]),
        "metadata": st.sampled_from([{}, {"tanstack": {}}, None]),
        "model": st.just("m"),
        "finishReason": st.sampled_from(["stop", "tool_calls", None]),
        "result": st.sampled_from(["x", None]),
        "snapshot": IDS,
        "event": IDS,
        "value": IDS,
    },
)


@settings(max_examples=150, deadline=None)
@given(st.lists(SOUP | st.sampled_from([*run(TEXT, SAID, TEXT_END)]), max_size=14))
def test_no_soup_breaks_the_verifier_and_its_answer_is_always_the_same(
    soup: list[dict[str, Any]],
):
    before = json.dumps(soup)
    for dialect in ("official", "tanstack"):
        reports = [
            check_ordering(soup, profile="teach", dialect=dialect) for _ in range(2)
        ]
        assert repr(reports[0]) == repr(reports[1])
        assert reports[0]._repr_html_()
    assert json.dumps(soup) == before


@settings(max_examples=80, deadline=None)
@given(st.lists(SOUP, max_size=14))
def test_profiles_agree_about_what_is_fatal(soup: list[dict[str, Any]]):
    client = check_ordering(soup, profile="client").violations
    teach = check_ordering(soup, profile="teach").violations
    fatal = [(v.rule, v.index) for v in teach if v.level == "fatal"]
    assert [(v.rule, v.index) for v in client] == fatal


@st.composite
def legal_streams(draw: st.DrawFn) -> list[Event]:
    """Runs whose messages, calls and steps interleave freely and are all ended."""
    stream: list[Event] = []
    for number in range(draw(st.integers(1, 3))):
        ids = {"threadId": "t1", "runId": f"r{number}"}
        stream.append(event("RUN_STARTED", protocolVersion="1.0", **ids))
        threads = [
            _item(kind, f"{kind}{number}{place}")
            for place, kind in enumerate(
                draw(st.lists(st.sampled_from(sorted(_ITEMS)), max_size=5))
            )
        ]
        while any(threads):
            ready = [thread for thread in threads if thread]
            stream.append(draw(st.sampled_from(ready)).pop(0))
        stream.append(event("RUN_FINISHED", **ids))
    return stream


_ITEMS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "messageId": [
        ("TEXT_MESSAGE_START", {}),
        ("TEXT_MESSAGE_CONTENT", {"delta": ""}),
        ("TEXT_MESSAGE_END", {}),
    ],
    "toolCallId": [
        ("TOOL_CALL_START", {"toolCallName": "f"}),
        ("TOOL_CALL_ARGS", {"delta": "{}"}),
        ("TOOL_CALL_END", {}),
    ],
    "stepName": [("STEP_STARTED", {}), ("STEP_FINISHED", {})],
    "subagentRunId": [("SUBAGENT_STARTED", {"name": "x"}), ("SUBAGENT_FINISHED", {})],
}


def _item(key: str, item_id: str) -> list[Event]:
    return [event(kind, **{key: item_id}, **rest) for kind, rest in _ITEMS[key]]


@settings(max_examples=100, deadline=None)
@given(legal_streams())
def test_a_legal_stream_breaks_nothing(stream: list[Event]):
    assert check_ordering(stream, profile="teach").violations == ()


@settings(max_examples=100, deadline=None)
@given(legal_streams(), st.data())
def test_an_event_that_is_left_out_is_told_at_most_twice(
    stream: list[Event], data: st.DataObject
):
    gone = data.draw(st.integers(0, len(stream) - 1))
    left = [one for place, one in enumerate(stream) if place != gone]
    rules = Counter(v.rule for v in check_ordering(left, profile="client").violations)
    assert sum(rules.values()) <= 2, rules


@pytest.mark.parametrize(
    ("given", "due"),
    [
        ("TEXT_MESAGE_CONTENT", "TEXT_MESSAGE_CONTENT"),
        ("TextMessageContent", "TEXT_MESSAGE_CONTENT"),
        ("run_started", "RUN_STARTED"),
        ("THINKING_STAR", "REASONING_START"),
    ],
)
@pytest.mark.parametrize("profile", ["spec", "teach"])
def test_a_misspelt_type_is_told_with_the_one_that_was_meant(
    given: str, due: str, profile: Any
):
    report = check_ordering(run(event(given), event(given)), profile=profile)
    (told,) = report.violations
    assert (told.rule, told.level, told.index) == ("schema.misspelt_type", "warning", 1)
    assert told.expected == due
    assert given in told.message
    assert report.ok


@pytest.mark.parametrize("given", ["PLUGIN_PING", "VENDOR_THING", "X" * 100_000])
def test_a_type_that_is_like_no_other_is_an_extension_and_not_misspelt(given: str):
    assert found(*run(event(given))) == [("schema.unknown_type", 1)]
    assert check_ordering(run(event(given))).violations == ()


def test_a_stream_without_any_event_of_ag_ui_is_not_in_order():
    report = check_ordering([event("RunBegan"), event("TextBit"), event("RunOver")])
    (told,) = report.violations
    assert (told.rule, told.index) == ("stream.truncated", -1)
    assert "'RunBegan'" in told.message
    assert not report.ok


def test_one_known_event_makes_a_stream_one_of_ag_ui():
    assert found(event("RunBegan"), FAILED) == [("schema.unknown_type", 0)]
    assert ("stream.truncated", -1) not in found(event("THINKING_START"))


def test_the_official_client_resolves_a_stream_without_any_event_that_it_knows():
    assert check_ordering([event("RunBegan")], profile="client").ok
