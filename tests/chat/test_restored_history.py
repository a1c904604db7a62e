"""What a provider is told of a saved conversation; more is in test_restore.py."""

from __future__ import annotations

from aistream_nb.chat.restored_history import closing_events

STARTED = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
CANCELLED = {
    "type": "RUN_FINISHED",
    "threadId": "t",
    "runId": "r",
    "outcome": {"type": "cancelled"},
}


def test_a_torn_run_is_closed_in_the_order_in_which_a_stop_closes_it():
    closing = closing_events(
        (
            STARTED,
            {"type": "REASONING_START", "messageId": "m"},
            {"type": "REASONING_MESSAGE_START", "messageId": "m"},
            {"type": "TOOL_CALL_START", "toolCallId": "a"},
            {"type": "TOOL_CALL_START", "toolCallId": "b"},
        )
    )

    assert closing == (
        {"type": "REASONING_MESSAGE_END", "messageId": "m"},
        {"type": "REASONING_END", "messageId": "m"},
        {"type": "TOOL_CALL_END", "toolCallId": "a"},
        {"type": "TOOL_CALL_END", "toolCallId": "b"},
        CANCELLED,
    )


def test_what_was_used_before_the_crash_is_counted():
    rounds = [
        {"type": "CUSTOM", "name": "aistream:round", "value": {"usage": {"n": 1}}},
        {"type": "CUSTOM", "name": "aistream:round", "value": {}},
    ]

    assert closing_events((STARTED, *rounds)) == ({**CANCELLED, "usage": [{"n": 1}]},)
