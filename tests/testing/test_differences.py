from __future__ import annotations

from typing import Any

import pytest
from agui_kit import call, result, text

from aistream_nb.testing.differences import (
    conversation_differences,
    folded,
)

Events = list[Any]


def started(*tools: dict[str, Any]) -> Events:
    run_input = {"messages": [], "tools": list(tools)}
    return [{"type": "RUN_STARTED", "threadId": "t", "runId": "r", "input": run_input}]


def said(before: Events, now: Events) -> list[str]:
    return conversation_differences(folded(before), folded(now))


TITLE = "call 1, alpha(n=1): "
A = [*call("a", "alpha", '{"n": 1}'), result("a", "one")]
B = [*call("b", "beta"), result("b", "two")]


def test_the_same_has_no_difference():
    assert said([*A, *B], [*A, *B]) == []


def test_a_changed_order_is_told_once_and_by_name():
    found = said([*A, *B], [*B, *A])

    assert found[0] == (
        "the calls come in another order\n  was: alpha, beta\n  now: beta, alpha"
    )


def test_a_call_that_is_new_or_missing_is_named_with_its_arguments():
    assert "call 1, alpha(n=1): it was made, and now it is not" in said([*A, *B], B)
    assert "call 2, beta(): it is made now, and was not" in said(A, [*A, *B])


@pytest.mark.parametrize(
    ("now", "sentence"),
    [
        (
            [*call("a", "alpha", '{"n": 2}'), result("a", "one")],
            TITLE
            + 'the text of the arguments differs\n  was: {"n": 1}\n  now: {"n": 2}',
        ),
        (
            [*call("a", "alpha", '{"n": 1}'), result("a", "three")],
            TITLE + "the result differs\n  was: one\n  now: three",
        ),
        (
            call("a", "alpha", '{"n": 1}'),
            TITLE + "the result differs\n  was: one\n  now: nothing",
        ),
    ],
    ids=["arguments", "result", "no result"],
)
def test_what_changed_of_a_call_is_said(now: Events, sentence: str):
    assert sentence in said(A, now)


def test_texts_are_shown_from_where_they_part():
    long = "The same words. " * 9

    (found,) = said(text(f"{long}Old end"), text(f"{long}New end"))

    assert found.startswith("message 1 (assistant): the text differs")
    assert "Old end" in found
    assert "New end" in found
    assert found.count("The same words") < 8


def test_messages_that_come_or_go_are_quoted():
    assert said(text("One"), []) == ["message 1 (assistant) is missing: One"]
    assert said([], text("One")) == ["message 1 (assistant) is new: One"]


def test_another_speaker_is_told():
    user = [{**event, "role": "user"} for event in text("One")]

    assert "message 1: it was of the assistant, now of the user" in said(
        text("One"), user
    )


def test_a_run_that_fails_now_is_told():
    failed = [{"type": "RUN_ERROR", "message": "no answer"}]

    assert "the last run ends differently" in said(started(), [*started(), *failed])[-1]


def test_what_a_model_is_told_of_a_tool_it_called_is_compared():
    then = started({"name": "alpha", "description": "old"})
    today = started({"name": "alpha", "description": "new"})

    assert said([*then, *A], [*today, *A]) == [
        "the tool alpha: its description differs\n  was: old\n  now: new"
    ]
    assert said([*then, *A], [*started(), *A]) == [
        "the tool alpha is not offered any more"
    ]


def test_a_long_value_is_cut_and_an_odd_one_is_shown_somehow():
    long = [*call("a", "alpha"), result("a", "x" * 5000)]

    (found,) = said(long, [*call("a", "alpha"), result("a", "y")])

    assert len(found) < 700
