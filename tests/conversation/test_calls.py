from __future__ import annotations

from aistream_nb.conversation.calls import CallBook
from aistream_nb.conversation.conversation import Conversation


def test_what_is_said_of_an_unknown_call_is_ignored():
    book = CallBook(Conversation())
    book.note_growth({"toolCallId": "c"})
    book.note_question({"toolCallId": "c", "approval": {"id": "a"}}, {})
    book.note_execution({"toolCallId": "c"}, {})
    book.note_result({"toolCallId": "c"})

    assert book.note_decision({"toolCallId": "c", "decision": "deny"}, {}) is None
    assert not book.is_asking
    assert book.take_touched() == ()


def test_a_call_is_told_once_however_often_it_was_touched():
    conversation = Conversation()
    start = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}

    change = conversation.receive(start)

    assert change.tool_calls == ("c",)
