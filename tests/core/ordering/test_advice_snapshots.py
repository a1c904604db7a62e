from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules import event, run

TEXT = (
    event("TEXT_MESSAGE_START", messageId="m1"),
    event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="Hi"),
    event("TEXT_MESSAGE_END", messageId="m1"),
)
CALL = (
    event("TOOL_CALL_START", toolCallId="c1", toolCallName="f", parentMessageId="m1"),
    event("TOOL_CALL_END", toolCallId="c1"),
)
RESULT = event("TOOL_CALL_RESULT", messageId="t1", toolCallId="c1", content="x")


def found(*events: Any) -> list[str]:
    report = check_ordering(run(*events), profile="teach")
    return [violation.rule for violation in report.violations]


def snapshot(*messages: Any) -> Any:
    return event("MESSAGES_SNAPSHOT", messages=list(messages))


def holder(message_id: str, arguments: str = "") -> Any:
    function = {"name": "f", "arguments": arguments}
    call = {"id": "c1", "type": "function", "function": function}
    return {"id": message_id, "role": "assistant", "toolCalls": [call], "content": "Hi"}


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ((), []),
        (({"id": "m9", "role": "assistant", "content": "Hi"},), ["m1"]),
        (({"id": "m9", "role": "assistant", "content": "Ho"},), []),
        (({"id": "m9", "role": "user", "content": "Hi"},), []),
        (({"id": "m1", "role": "assistant", "content": "Hi"},), []),
        ((holder("m9"),), ["m1"]),
        (({"id": "t9", "role": "tool", "toolCallId": "c1", "content": ""},), ["t1"]),
        (({"id": "t9", "role": "tool", "toolCallId": "c9", "content": ""},), []),
    ],
)
def test_a_message_under_another_id_is_known_by_what_it_says(
    messages: tuple[Any, ...], told: list[str]
):
    report = check_ordering(
        run(*TEXT, *CALL, RESULT, snapshot(*messages)), profile="teach"
    )
    renamed = [v.ids for v in report.violations if v.rule == "snapshot.rekeyed_message"]
    assert renamed == ([tuple(told)] if told else [])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [("", []), ("{}", []), ('{"a":1}', ["tool.args_only_in_snapshot"])],
)
def test_arguments_that_nobody_streamed_are_told_once(arguments: str, told: list[str]):
    shown = snapshot(holder("m1", arguments))
    assert found(*TEXT, *CALL, shown, shown) == told


def test_a_call_of_the_history_may_have_arguments_in_a_snapshot():
    assert found(snapshot(holder("m0", '{"a":1}'))) == []


def test_only_a_move_into_itself_is_that():
    def moved(source: str, target: str) -> list[str]:
        patch = [{"op": "move", "from": source, "path": target}]
        return found(
            event("STATE_SNAPSHOT", snapshot={"a": {"b": 1}}),
            event("STATE_DELTA", delta=patch),
        )

    assert moved("/a", "/a/b") == ["patch.move_into_self"]
    assert moved("/a", "/a") == []
    assert moved("/a/b", "/ab") == []


def test_sealed_values_belong_to_what_is_there():
    def sealed(subtype: str, entity: str) -> Any:
        return event(
            "REASONING_ENCRYPTED_VALUE",
            subtype=subtype,
            entityId=entity,
            encryptedValue="x",
        )

    assert found(*TEXT, *CALL, sealed("tool-call", "c1"), sealed("message", "m1")) == []
    assert found(sealed("tool-call", "c9")) == ["reasoning.encrypted_unknown"]
