from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.conversion import convert_messages, ui_to_model
from aistream_nb.core.messages import (
    Approval,
    MediaPart,
    OtherPart,
    StructuredOutputPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
)


def assistant(*parts: Any) -> UIMessage:
    return UIMessage(id="a", role="assistant", parts=parts)


def call(**fields: Any) -> ToolCallPart:
    fields = {
        "id": "c",
        "name": "f",
        "arguments": "{}",
        "state": "input-complete",
    } | fields
    return ToolCallPart(**fields)


ASKED = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def test_a_faithful_assistant_keeps_identity_thinking_and_metadata():
    message = UIMessage(
        id="a",
        role="assistant",
        parts=(
            ThinkingPart("why", signature="S"),
            TextPart("x"),
            call(metadata={"k": 1}),
            ToolResultPart(
                tool_call_id="c", content="no", state="error", error="e", id="r"
            ),
        ),
        created_at="then",
        metadata={"m": 1},
    )
    assert ui_to_model(message, faithful=True) == [
        {
            "id": "a",
            "createdAt": "then",
            "metadata": {"m": 1},
            "role": "assistant",
            "content": "x",
            "toolCalls": [{**ASKED, "metadata": {"k": 1}}],
            "thinking": [{"content": "why", "signature": "S"}],
        },
        {"role": "tool", "content": "no", "toolCallId": "c", "id": "r", "error": "e"},
    ]


def test_an_unfaithful_one_drops_them():
    message = assistant(ThinkingPart("why", signature="S"), call(metadata={"k": 1}))
    assert ui_to_model(message) == [
        {"role": "assistant", "content": None, "toolCalls": [ASKED]}
    ]


def test_a_call_that_waits_for_approval_is_told_only_faithfully():
    waiting = assistant(call(state="approval-requested", approval=Approval(id="p")))
    assert ui_to_model(waiting) == [{"role": "assistant", "content": None}]
    told = ui_to_model(waiting, faithful=True)
    assert told == [
        {"id": "a", "role": "assistant", "content": None, "toolCalls": [ASKED]}
    ]


def test_an_approval_without_an_answer_tells_nothing():
    message = assistant(call(state="approval-responded", approval=Approval(id="p")))
    assert len(ui_to_model(message)) == 1
    assert len(ui_to_model(assistant(call(state="approval-responded")))) == 1


def test_a_system_message_is_not_told():
    assert ui_to_model(UIMessage(id="s", role="system")) == []


def test_a_result_is_told_once_and_only_when_it_is_whole():
    growing = ToolResultPart(tool_call_id="c", content="r", state="streaming")
    whole = ToolResultPart(tool_call_id="c", content="r")
    told = ui_to_model(assistant(growing, whole, whole))
    assert told == [{"role": "tool", "content": "r", "toolCallId": "c"}]


@pytest.mark.parametrize(("approved", "word"), [(True, "approved"), (False, "denied")])
def test_a_decision_stands_for_the_result(word: str, *, approved: bool):
    decided = Approval(id="p", approved=approved)
    told = ui_to_model(assistant(call(state="approval-responded", approval=decided)))
    assert word in told[1]["content"]


def test_pictures_are_told_as_parts():
    picture = MediaPart(type="image", source={"type": "url", "value": "u"})
    (told,) = ui_to_model(
        UIMessage(id="u", role="user", parts=(TextPart("see"), picture))
    )
    assert told["content"] == [TextPart("see").to_wire(), picture.to_wire()]


def test_an_output_wins_over_its_approval():
    approved = Approval(id="p", approved=True)
    message = assistant(
        call(state="approval-responded", approval=approved, output={"v": 1})
    )
    assert ui_to_model(message)[1]["content"] == '{"v":1}'


def test_a_structured_answer_is_text_once_it_is_whole():
    whole = StructuredOutputPart(status="complete", raw='{"n":1}', data={"n": 1})
    growing = StructuredOutputPart(raw="{")
    (told,) = ui_to_model(assistant(whole, growing), faithful=True)
    assert told["content"] == '{"n":1}'
    assert told["structuredOutput"]["data"] == {"n": 1}


def test_parts_that_no_model_knows_are_left_out():
    message = assistant(OtherPart(wire={"type": "ui-resource"}), TextPart("x"))
    assert ui_to_model(message, faithful=True) == [
        {"id": "a", "role": "assistant", "content": "x"}
    ]


def test_an_output_that_has_no_json_is_told_as_its_text():
    told = ui_to_model(assistant(call(output={1, 2})))
    assert told[1]["content"] == "{1, 2}"


ROWS: dict[str, tuple[list[Any], list[Any]]] = {
    "reasoning goes into the assistant that follows": (
        [{"role": "reasoning", "content": "hm"}, {"role": "assistant", "content": "a"}],
        [{"role": "assistant", "content": "a", "thinking": [{"content": "hm"}]}],
    ),
    "activities are for people": ([{"role": "activity", "content": {}}], []),
    "a developer speaks as the system": (
        [{"role": "developer", "content": "d"}],
        [{"role": "system", "content": "d"}],
    ),
    "anything else stays": (
        [{"role": "user", "content": "u"}],
        [{"role": "user", "content": "u"}],
    ),
}


@pytest.mark.parametrize(("rows", "told"), ROWS.values(), ids=ROWS)
def test_rows_of_agui_are_told_faithfully(rows: list[Any], told: list[Any]):
    assert convert_messages(rows, faithful=True) == told


def test_rows_are_told_as_they_are_by_default():
    row = {"role": "reasoning", "content": "hm"}
    assert convert_messages([row]) == [row]
    assert convert_messages([row])[0] is not row


def test_no_model_hears_a_result_twice():
    message = assistant(call(output=1), ToolResultPart(tool_call_id="c", content="1"))
    again = {"role": "tool", "content": "1", "toolCallId": "c"}
    other = {"role": "tool", "content": "2", "toolCallId": "d"}
    told = convert_messages([message, again, other])
    assert [row.get("toolCallId") for row in told] == [None, "c", "d"]
