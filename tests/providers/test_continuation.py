"""Continuations on their own: what is refused, in the words of the specification."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.turn_events import ToolCallResult
from aistream_nb.errors import TurnError
from aistream_nb.providers.continuation import (
    anthropic_continuation,
    chat_continuation,
    guard_tail,
    responses_continuation,
)


def result(ident: str | None, *, is_error: bool = False) -> ToolCallResult:
    return ToolCallResult(tool_name="T", call_id=ident, result="R", is_error=is_error)


USE = {"type": "tool_use", "id": "t1", "name": "T", "input": {}}
CALL = {"type": "function_call", "call_id": "c1", "name": "T", "arguments": "{}"}


def test_anthropics_results_stand_in_one_user_message():
    other = {**USE, "id": "t2"}
    text = {"type": "text", "text": "x"}
    results = [result("t1"), result("t2", is_error=True)]
    assistant, user = anthropic_continuation([text, USE, other], results)
    assert assistant == {"role": "assistant", "content": [text, USE, other]}
    base = {"type": "tool_result", "content": "R"}
    assert user == {
        "role": "user",
        "content": [
            {**base, "tool_use_id": "t1"},
            {**base, "tool_use_id": "t2", "is_error": True},
        ],
    }


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (
            lambda: anthropic_continuation([USE], [result("X")]),
            (
                "Anthropic continuation: tool 'T' call id 'X' does not match any "
                "buffered assistant tool_use block id"
            ),
        ),
        (
            lambda: anthropic_continuation([USE], [result("")]),
            (
                "Anthropic continuation: tool 'T' result has no call id (missing or "
                "empty); cannot correlate it to an assistant tool_use block"
            ),
        ),
        (
            lambda: anthropic_continuation([{**USE, "id": ""}], []),
            (
                "Anthropic continuation: buffered tool_use block for tool 'T' has an "
                "empty id; cannot build a valid continuation"
            ),
        ),
        (
            lambda: responses_continuation([CALL], [result("X")]),
            (
                "OpenAI continuation: tool 'T' call id 'X' does not match any "
                "accumulated function_call call_id"
            ),
        ),
        (
            lambda: chat_continuation("", [], [result(None)]),
            (
                "OpenAI continuation: tool 'T' result has no call id (missing or "
                "empty); cannot correlate it to a function_call item"
            ),
        ),
    ],
)
def test_ids_that_do_not_correlate_are_refused(build: Any, said: str):
    with pytest.raises(TurnError) as caught:
        build()
    assert str(caught.value) == said


def test_a_call_that_nobody_answered_is_answered_as_cut_off():
    *_, output = responses_continuation([CALL], [])
    assert output["type"] == "function_call_output"
    assert output["output"].startswith("T (callId=c1): the call was cut off")


def test_a_tail_keeps_what_has_a_role_and_a_body():
    tail: list[Any] = [
        {"role": "user", "content": "x", "id": 1},
        {"role": "user", "content": 5},
        {"role": "tool", "content": "x"},
        "junk",
    ]
    kept = guard_tail(tail, roles=("user",), body="content", text=True)
    assert kept == [{"role": "user", "content": "x"}]
    assert guard_tail(tail, roles=("user",), body="content", text=False) == []
