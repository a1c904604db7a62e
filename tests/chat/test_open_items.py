from __future__ import annotations

from typing import Any

from aistream_nb.chat.open_items import OpenItems


def note_all(*events: dict[str, Any]) -> OpenItems:
    items = OpenItems()
    for event in events:
        items.note(event)
    return items


def test_what_was_opened_and_not_closed_is_closed_from_the_inside():
    items = note_all(
        {"type": "SUBAGENT_STARTED", "subagentRunId": "s"},
        {"type": "STEP_STARTED", "stepName": "plan", "subagentRunId": "s"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "TOOL_CALL_START", "toolCallId": "c"},
    )

    assert items.close() == [
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
        {"type": "STEP_FINISHED", "stepName": "plan", "subagentRunId": "s"},
        {"type": "SUBAGENT_FINISHED", "subagentRunId": "s"},
    ]
    assert items.close() == []


def test_a_subagent_that_failed_is_closed():
    items = note_all(
        {"type": "SUBAGENT_STARTED", "subagentRunId": "s"},
        {"type": "SUBAGENT_ERROR", "subagentRunId": "s"},
    )

    assert items.close() == []


def test_a_new_run_has_nothing_open():
    items = note_all({"type": "TOOL_CALL_START", "toolCallId": "c"})
    items.forget()

    assert items.close() == []
