from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules import event, run

TEXT = event("TEXT_MESSAGE_START", messageId="m1")
TEXT_END = event("TEXT_MESSAGE_END", messageId="m1")
THOUGHT = event("REASONING_MESSAGE_START", messageId="m1", role="reasoning")
THOUGHT_END = event("REASONING_MESSAGE_END", messageId="m1")
CALL = event("TOOL_CALL_START", toolCallId="c1", toolCallName="f")
CALL_END = event("TOOL_CALL_END", toolCallId="c1")
RESULT = event("TOOL_CALL_RESULT", messageId="t1", toolCallId="c1", content="x")
SHOWN = event("ACTIVITY_SNAPSHOT", messageId="m1", activityType="s", content={})


def args(delta: str) -> Any:
    return event("TOOL_CALL_ARGS", toolCallId="c1", delta=delta)


def found(*events: Any, **options: Any) -> list[tuple[str, int]]:
    report = check_ordering(run(*events), profile="teach", **options)
    return [(v.rule, v.index) for v in report.violations]


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ((TEXT, TEXT_END, SHOWN), [("message.id_reused", 3)]),
        ((TEXT, TEXT_END, {**SHOWN, "replace": False}), []),
        ((SHOWN, TEXT, TEXT_END), [("message.id_reused", 2)]),
        ((SHOWN, THOUGHT, THOUGHT_END), [("message.id_reused", 2)]),
        ((TEXT, TEXT_END, THOUGHT, THOUGHT_END), [("message.kind_collision", 3)]),
        ((THOUGHT, THOUGHT_END, TEXT, TEXT_END), [("message.kind_collision", 3)]),
        ((CALL, CALL_END, {**RESULT, "messageId": "c1"}), [("message.id_reused", 3)]),
        ((SHOWN, SHOWN), []),
        ((TEXT, TEXT_END, TEXT, TEXT_END), []),
        ((THOUGHT, THOUGHT_END, THOUGHT, THOUGHT_END), []),
    ],
)
def test_an_id_stands_for_one_thing(events: Any, told: list[tuple[str, int]]):
    assert found(*events) == told


@pytest.mark.parametrize(
    ("again", "told"),
    [
        ({}, []),
        ({"role": "assistant"}, []),
        ({"role": "user"}, ["text.reopen_disagrees"]),
        ({"name": "ana"}, ["text.reopen_disagrees"]),
        ({"role": "user", "name": "ana"}, ["text.reopen_disagrees"]),
    ],
)
def test_a_message_started_again_stays_what_it_was(
    again: dict[str, str], told: list[str]
):
    rules = [rule for rule, _ in found(TEXT, TEXT_END, {**TEXT, **again}, TEXT_END)]
    assert rules == told


def test_text_in_a_message_that_a_call_made_is_no_second_start():
    parented = {**CALL, "parentMessageId": "m1"}
    assert found(parented, CALL_END, TEXT, TEXT_END) == []


@pytest.mark.parametrize(
    ("again", "told"),
    [
        ({}, []),
        ({"toolCallName": "g"}, ["tool.reopen_disagrees"]),
        ({"parentMessageId": "m9"}, ["tool.reopen_disagrees"]),
    ],
)
def test_a_call_started_again_stays_what_it_was(again: dict[str, str], told: list[str]):
    rules = [rule for rule, _ in found(CALL, CALL_END, {**CALL, **again}, CALL_END)]
    assert rules == told


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (("",), []),
        ((" \n",), []),
        (("{}",), []),
        (('{"a"', ":1}"), []),
        (("{",), ["tool.args_not_json"]),
        (("NaN",), ["tool.args_not_json"]),
        (("{}{}",), ["tool.args_not_json"]),
    ],
)
def test_arguments_are_judged_whole_and_blank_ones_are_none(
    texts: tuple[str, ...], told: list[str]
):
    assert [rule for rule, _ in found(CALL, *map(args, texts), CALL_END)] == told


def test_a_call_of_which_an_event_was_refused_is_not_judged_by_its_arguments():
    assert found(CALL, CALL_END, args("{"), CALL_END) == [("tool.args_unopened", 3)]


def test_a_message_that_repeats_is_told_and_a_blank_one_is_not():
    said = event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="x")
    second = tuple({**one, "messageId": "m2"} for one in (TEXT, said, TEXT_END))
    assert found(TEXT, said, TEXT_END, *second) == [("message.repeated", 6)]
    assert found(TEXT, TEXT_END, second[0], second[2]) == []


def test_a_time_in_seconds_is_told_once():
    late = [{**one, "timestamp": 1_700_000_000} for one in (TEXT, TEXT_END)]
    assert found(*late) == [("event.timestamp_unit", 1)]
    assert found({**TEXT, "timestamp": 0}, TEXT_END) == []


def test_a_result_of_another_s_call_is_judged_by_what_the_client_offered():
    tools = {"tools": [{"name": "g", "description": "G"}]}
    assert found(CALL, CALL_END, RESULT, run_input=tools) == []
    offered = {"tools": [{"name": "f", "description": "F"}]}
    assert found(CALL, CALL_END, RESULT, run_input=offered) == [
        ("tool.frontend_answered", 3)
    ]


def test_a_result_may_come_before_the_end_and_that_is_said():
    assert found(CALL, RESULT, CALL_END) == [("tool.result_before_end", 2)]
