from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.wire.schema_nested import MESSAGES, OUTCOME, PATCH, RUN_INPUT
from aistream_nb.core.wire.shapes import Check, Findings, Verdict


def checked(check: Check, value: Any) -> Any:
    return check(value, "", Findings())


@pytest.mark.parametrize(
    "message",
    [
        {"id": "m", "role": "developer", "content": "x", "name": "n"},
        {"id": "m", "role": "system", "content": "x", "encryptedValue": "v"},
        {"id": "m", "role": "user", "content": []},
        {"id": "m", "role": "assistant"},
        {"id": "m", "role": "tool", "toolCallId": "c", "content": "x", "error": "e"},
        {"id": "m", "role": "reasoning", "content": "", "subagentRunId": ""},
        {"id": "m", "role": "activity", "activityType": "s", "content": {}},
    ],
)
def test_every_role_has_its_fields(message: dict[str, Any]):
    assert checked(MESSAGES, [message]) == [message]


def test_an_activity_cannot_be_sealed():
    shown = {"id": "m", "role": "activity", "activityType": "s", "content": {}}
    assert checked(MESSAGES, [{**shown, "encryptedValue": "v"}]) == [shown]


@pytest.mark.parametrize(
    ("outcome", "good"),
    [
        ({"type": "success"}, True),
        ({"type": "success", "pendingToolCallIds": ["c"]}, True),
        ({"type": "success", "pendingToolCallIds": "c"}, False),
        ({"type": "cancelled"}, True),
        ({"type": "interrupt", "interrupts": [{"id": "i", "reason": "r"}]}, True),
        ({"type": "interrupt", "interrupts": []}, False),
        ({"type": "interrupt"}, False),
    ],
)
def test_an_outcome_is_one_of_three(outcome: dict[str, Any], good: bool):  # noqa: FBT001  # pytest passes it by name
    assert checked(OUTCOME, outcome) == (outcome if good else Verdict.BAD)


def test_a_call_of_another_type_is_bad_and_not_unknown():
    call = {"id": "c", "type": "shell", "function": {"name": "f", "arguments": ""}}
    message = {"id": "m", "role": "assistant", "toolCalls": [call]}
    assert checked(MESSAGES, [message]) is Verdict.BAD


def test_an_operation_keeps_members_that_nobody_described():
    patch = [{"op": "remove", "path": "/a", "value": "left over"}]
    assert checked(PATCH, patch) == patch


def test_a_request_may_lack_all_but_its_ids_and_messages():
    given = {"threadId": "t", "runId": "r", "messages": [], "state": None}
    assert checked(RUN_INPUT, given) == given
    assert checked(RUN_INPUT, {**given, "tools": None}) is Verdict.BAD
    assert checked(RUN_INPUT, {"threadId": "t", "runId": "r"}) is Verdict.BAD
