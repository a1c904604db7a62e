from __future__ import annotations

import pytest
from traitlets import TraitError

from aistream_nb.conversation import Conversation, MessageModel, ToolCallModel
from aistream_nb.conversation.models import CallNotes

CALL = [
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
]


def test_a_model_cannot_be_written():
    conversation = Conversation()
    conversation.receive_all(CALL)

    with pytest.raises(TraitError):
        conversation.tool_calls["c"].status = "complete"


def test_a_call_can_be_observed():
    conversation = Conversation()
    conversation.receive(CALL[0])
    heard: list[str] = []
    call = conversation.tool_calls["c"]
    call.observe(lambda change: heard.append(change["new"]), "status")

    conversation.receive(CALL[1])

    assert heard == ["ready"]


def test_an_answer_of_a_remote_approval_is_a_decision():
    conversation = Conversation()
    conversation.receive_all(CALL)
    approval = {"id": "a", "needsApproval": True}
    asked = {"toolCallId": "c", "toolName": "f", "input": {}, "approval": approval}
    conversation.receive(
        {"type": "CUSTOM", "name": "approval-requested", "value": asked}
    )
    conversation.processor.add_tool_approval_response("a", approved=False)
    conversation.tool_calls["c"].touch()

    assert conversation.tool_calls["c"].decision == "deny"
    assert conversation.tool_calls["c"].status == "denied"


class Emptied:
    """A source whose messages are gone."""

    def tool_call(self, call_id: str) -> None:
        del call_id

    def read_message(self, message_id: str) -> None:
        del message_id

    def read_tool(self, name: str) -> dict[str, object]:
        del name
        return {}


def test_what_is_gone_keeps_what_was_last_seen_of_it():
    message = MessageModel(Emptied(), "m")
    call = ToolCallModel(Emptied(), "c", CallNotes(message_id="m"))
    stopped = ToolCallModel(Emptied(), "c", CallNotes(message_id="m", stopped=True))

    assert (message.text, message.tool_calls) == ("", ())
    assert (call.status, stopped.status) == ("streaming", "aborted")


def test_a_call_that_its_message_lost_keeps_its_status():
    conversation = Conversation()
    conversation.receive_all(CALL)
    orphan = ToolCallModel(
        conversation, "z", CallNotes(message_id=conversation.messages[0].id)
    )

    assert orphan.status == "streaming"
