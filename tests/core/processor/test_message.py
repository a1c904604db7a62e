from __future__ import annotations

from aistream_nb.core.messages import (
    Approval,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
)
from aistream_nb.core.processor.drafts import TextDraft
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.processor import StreamProcessor

CALL = ToolCallPart(id="c", name="f", approval=Approval(id="p"))
RESULT = ToolResultPart(tool_call_id="c", content="r")
MESSAGE = UIMessage(id="m", role="assistant", parts=(TextPart("a"), CALL, RESULT))


def test_a_thawed_message_freezes_to_what_it_was():
    draft = MessageDraft.thaw(MESSAGE)
    assert draft.freeze() is MESSAGE
    draft.frozen = None
    assert draft.freeze() == MESSAGE


def test_the_first_call_of_an_id_counts():
    draft = MessageDraft(id="m", role="assistant")
    draft.add_all([CALL, ToolCallPart(id="c", name="second")])
    call = draft.call("c")
    assert call is not None
    assert call.name == "f"
    assert draft.call("c") is call
    assert draft.call("d") is None
    assert list(draft.call_ids) == ["c"]


def test_a_result_replaces_the_one_before():
    draft = MessageDraft.thaw(MESSAGE)
    newer = ToolResultPart(tool_call_id="c", content="s")
    assert draft.put_result(newer)
    assert draft.parts[-1] is newer
    assert not draft.put_result(ToolResultPart(tool_call_id="d", content=""))
    assert draft.has_result("c")
    assert not draft.has_result("d")


def test_a_call_is_found_by_its_approval():
    draft = MessageDraft.thaw(MESSAGE)
    found = draft.awaiting("p")
    assert found is not None
    assert found.id == "c"
    assert draft.awaiting("q") is None


def test_the_text_is_that_of_all_text_parts():
    draft = MessageDraft.thaw(MESSAGE)
    draft.add(TextDraft("b"))
    assert draft.text() == "ab"
    draft = MessageDraft(id="m", role="user")
    assert draft.text() == ""
    draft.add(CALL)
    assert draft.text() == ""


def test_answers_are_results_outputs_and_decisions():
    answered = (
        ToolCallPart(id="a", name="f", state="approval-responded"),
        ToolCallPart(id="b", name="f", output=None),
        ToolCallPart(id="d", name="f", metadata={"providerExecuted": True}),
    )
    draft = MessageDraft.thaw(UIMessage(id="m", role="assistant", parts=answered))
    assert draft.has_all_answers
    draft.add(ToolCallPart(id="e", name="f", output=1, approval=Approval(id="p")))
    assert not draft.has_all_answers


def test_the_text_beside_a_thought_is_read_without_a_copy():
    processor = StreamProcessor()
    thought = {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "hm"}
    told = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "ahoy"}
    for event in (thought, told, told):
        processor.receive(event)
    text = processor.text_of("msg-1")
    assert text == "ahoyahoy"
    assert processor.messages[0].parts[1] == TextPart(text)
    assert processor.text_of("msg-1") is text
