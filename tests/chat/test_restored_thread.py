"""A saved thread with a server; more of it is in test_restore_remote.py."""

from __future__ import annotations

from agui_binary import binary
from agui_kit import answer, finished, sse, started, text

from aistream_nb.chat.remote_thread import RemoteThread
from aistream_nb.chat.restored_thread import finish_on_the_wire, restore_thread
from aistream_nb.chat.saved import SavedConversation
from aistream_nb.recording import Recording

IDS = {"threadId": "t", "runId": "r"}


def test_the_end_of_a_run_that_nobody_was_told_is_on_the_wire():
    whole = sse(started(**IDS), *text("Hi"), finished(**IDS))

    assert finish_on_the_wire(whole) == finished(**IDS)
    assert finish_on_the_wire(whole[:-60]) is None
    assert finish_on_the_wire(b"") is None


def test_the_end_of_a_run_is_found_in_the_binary_form_too():
    whole = binary(started(**IDS), *text("Hi"), finished("c1", **IDS))

    assert finish_on_the_wire(whole) == finished("c1", **IDS)
    assert finish_on_the_wire(whole[:-1]) is None


def test_what_we_said_ourselves_is_not_the_server_s():
    made = {"metadata": {"aistream": {"made": "by-the-client"}}}
    events = [
        {**started(**IDS), **made},
        {"type": "TOOL_CALL_START", "toolCallId": "i", "toolCallName": "ask", **made},
        {"type": "RUN_ERROR", "message": "no", **made},
        *({**event, **IDS} for event in answer("Hello")),
    ]
    thread = RemoteThread("t")

    restore_thread(thread, SavedConversation(Recording.of(events)))

    assert [message["content"] for message in thread.messages] == ["Hello"]


def test_bare_text_before_a_run_is_no_run():
    thread = RemoteThread("t")
    events = text("Welcome")

    restore_thread(thread, SavedConversation(Recording.of(events)))

    assert thread.messages == []


def test_only_a_decision_makes_a_part_a_decision():
    recording = Recording.of([{**event, **IDS} for event in answer("Hello")])
    parts = [{"type": "text"}, {"id": "c", "approval": {"id": "a", "approved": True}}]
    body = {"messages": [{"id": "m", "parts": parts}, "no message"]}
    recording.append_wire(1, request={"body": body})
    thread = RemoteThread("t")

    restore_thread(thread, SavedConversation(recording))

    assert thread._approvals == {"c": ("a", True)}
