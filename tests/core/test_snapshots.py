from __future__ import annotations

from typing import Any

from aistream_nb.core.messages import (
    Approval,
    MediaPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
)
from aistream_nb.core.processor.processor import counted_ids
from aistream_nb.core.snapshots import (
    RowReader,
    model_to_ui,
    models_to_ui,
    normalize_message,
)
from aistream_nb.core.values import ABSENT

ASK = {"id": "c", "function": {"name": "f", "arguments": '{"n":1}'}}


def read(*rows: dict[str, Any], **options: Any) -> list[UIMessage]:
    return RowReader(id_factory=counted_ids(), **options).read(rows)


def answer(content: Any, call_id: str = "c", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "toolCallId": call_id, "content": content, **more}


def test_a_result_is_told_as_text():
    parts = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}, 7]
    (result,) = model_to_ui(answer(parts), message_id="m").parts
    assert result == ToolResultPart(tool_call_id="c", content="a")
    (nothing,) = model_to_ui(answer(None), message_id="m").parts
    assert nothing == ToolResultPart(tool_call_id="c", content="")


def test_what_a_user_says_may_be_parts():
    source = {"type": "url", "value": "u"}
    image: dict[str, Any] = {"type": "image", "source": source}
    content = [{"type": "text", "text": "see"}, image, {"type": "binary"}]
    message = model_to_ui({"role": "user", "content": content}, message_id="m")
    assert message.role == "user"
    assert message.parts == (
        TextPart("see"),
        MediaPart(type="image", source=source),
    )


def test_calls_that_are_no_calls_are_read_as_far_as_they_go():
    row = {"role": "assistant", "toolCalls": [7, {"id": 7, "function": 7}]}
    (call,) = model_to_ui(row, message_id="m").parts
    assert call == ToolCallPart(id="", name="", state="input-complete")


def test_who_says_in_no_word_who_it_is_counts_as_the_assistant():
    assert model_to_ui({"role": ["user"]}, message_id="m").role == "assistant"


def test_a_history_without_faith_leaves_calls_without_output():
    rows = [{"role": "assistant", "toolCalls": [ASK]}, answer("7", error="e", id="r")]
    (message,) = models_to_ui(rows, id_factory=counted_ids())
    call, result = message.parts
    assert isinstance(call, ToolCallPart)
    assert (call.output, call.input) == (ABSENT, ABSENT)
    assert result == ToolResultPart(tool_call_id="c", content="7")


def test_a_result_after_another_voice_is_a_message_of_its_own():
    rows = [
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "u"},
        answer("1", "x"),
    ]
    messages = models_to_ui(rows, id_factory=counted_ids())
    assert [len(message.parts) for message in messages] == [1, 1, 1]
    assert messages[2].role == "assistant"


def test_a_result_goes_to_its_call_wherever_that_is():
    first, second = read(
        {"id": "a", "role": "assistant", "toolCalls": [ASK]},
        {"id": "b", "role": "assistant", "content": "later"},
        answer('{"v":1}', id="r"),
    )
    call = first.tool_calls[0]
    assert (call.output, call.state, call.input) == ({"v": 1}, "complete", {"n": 1})
    assert first.parts[-1] == ToolResultPart(
        tool_call_id="c", content='{"v":1}', id="r"
    )
    assert second.text == "later"


def test_a_failed_result_marks_its_call():
    row = {"id": "a", "role": "assistant", "toolCalls": [ASK]}
    (message,) = read(row, answer("no", error="bad"))
    assert message.tool_calls[0].state == "error"
    (reference,) = read(row, answer("no", error="bad"), final_states=False)
    assert reference.tool_calls[0].state == "input-complete"


def test_reasoning_goes_into_the_assistant_that_follows():
    reasoning = {"id": "r", "role": "reasoning", "content": "hm"}
    user, assistant = read(
        reasoning,
        {"id": "u", "role": "user", "content": "q"},
        {"id": "a", "role": "assistant", "content": "x"},
    )
    assert user.parts == (TextPart("q"),)
    assert assistant.parts == (ThinkingPart("hm"), TextPart("x"))


def test_reasoning_that_nothing_follows_is_a_message():
    (message,) = read({"id": "r", "role": "reasoning", "content": "hm"})
    assert message == UIMessage(
        id="msg-1", role="assistant", parts=(ThinkingPart("hm"),)
    )


def test_activities_are_no_messages():
    assert read({"id": "x", "role": "activity", "content": {}}) == []


def test_a_row_with_parts_is_a_message_already():
    message = UIMessage(id="a", role="assistant", parts=(TextPart("x"),))
    assert read(message.to_wire()) == [message]


def test_thinking_beside_the_content_is_kept():
    thinking = [{"content": "hm", "signature": "S"}, 7]
    (message,) = read({"id": "a", "role": "assistant", "thinking": thinking})
    assert message.parts == (ThinkingPart("hm", signature="S"),)


KNOWN = UIMessage(
    id="a",
    role="assistant",
    parts=(
        ThinkingPart("why"),
        ToolCallPart(
            id="c",
            name="f",
            arguments='{"n":1}',
            state="approval-requested",
            approval=Approval(id="p"),
            metadata={"k": 1},
        ),
    ),
    created_at="then",
    metadata={"m": 1},
)


def test_what_the_wire_omits_is_kept():
    row = {"id": "a", "role": "assistant", "content": "x", "toolCalls": [ASK]}
    (message,) = read(row, known=[KNOWN])
    assert message.created_at == "then"
    assert message.metadata == {"m": 1}
    assert message.thinking == "why"
    call = message.tool_calls[0]
    assert (call.approval, call.metadata) == (Approval(id="p"), {"k": 1})
    assert call.state == "approval-requested"


def test_what_the_wire_says_wins():
    row = {
        "id": "a",
        "role": "assistant",
        "createdAt": "now",
        "metadata": {"m": 2},
        "toolCalls": [{**ASK, "metadata": {"k": 2}}],
    }
    reasoning = {"id": "r", "role": "reasoning", "content": "new"}
    (message,) = read(reasoning, row, known=[KNOWN])
    assert (message.created_at, message.metadata) == ("now", {"m": 2})
    assert message.thinking == "new"
    assert message.tool_calls[0].metadata == {"k": 2}


def test_a_call_that_only_its_result_names_is_restored():
    (message,) = read(
        {"id": "b", "role": "assistant", "content": "x"},
        answer("7"),
        known=[KNOWN],
    )
    text, call, result = message.parts
    assert text == TextPart("x")
    assert isinstance(call, ToolCallPart)
    assert (call.id, call.output, call.state) == ("c", 7, "complete")
    assert isinstance(result, ToolResultPart)


def test_a_result_that_nobody_can_hold_is_a_message():
    (message,) = read(answer("7", "x", id="r"))
    assert message.id == "r"
    assert message.parts == (ToolResultPart(tool_call_id="x", content="7", id="r"),)


def test_a_result_between_assistants_goes_to_the_one_before():
    first, _ = read(
        {"id": "a", "role": "assistant"}, answer("7", "x"), {"id": "u", "role": "user"}
    )
    assert first.parts == (ToolResultPart(tool_call_id="x", content="7"),)


def test_a_row_gets_an_id_and_a_time():
    row = {"role": "user", "content": "q"}
    message = normalize_message(row, id_factory=counted_ids(), now=lambda: "now")
    assert message == UIMessage(
        id="msg-1", role="user", parts=(TextPart("q"),), created_at="now"
    )


def test_a_message_gets_what_it_lacks():
    make, now = counted_ids(), lambda: "now"
    found = normalize_message(KNOWN, id_factory=make, now=now)
    assert found == KNOWN
    bare = UIMessage(id="", role="user")
    assert normalize_message(bare, id_factory=make, now=now) == UIMessage(
        id="msg-1", role="user", created_at="now"
    )
