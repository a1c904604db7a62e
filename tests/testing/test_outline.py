from __future__ import annotations

from typing import Any

from agui_kit import call, result, text
from inline_snapshot import snapshot

from aistream_nb.testing import outline
from aistream_nb.testing.differences import folded


def decided(call_id: str, **value: Any) -> dict[str, Any]:
    told = {"toolCallId": call_id, **value}
    return {"type": "CUSTOM", "name": "aistream:decision", "value": told}


def test_an_outline_is_plain_values_without_ids_and_times():
    events = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        *text("Let me see."),
        *call("a", "look", '{"where": "here"}'),
        result("a", "nothing"),
        *call("b", "book", '{"seats": 2}'),
        decided("b", decision="deny", by="you", reason="too dear"),
        *call("c", "cook", '{"hot": false}'),
        decided("c", decision="proceed", by="you", arguments={"hot": True}),
        {**result("c", "Error: burnt"), "isError": True},
        {"type": "RUN_ERROR", "message": "the kitchen is closed"},
    ]

    assert outline(folded(events)) == snapshot(
        [
            {"assistant": "Let me see."},
            {
                "call": "look",
                "arguments": {"where": "here"},
                "status": "complete",
                "result": "nothing",
            },
            {
                "call": "book",
                "arguments": {"seats": 2},
                "status": "denied",
                "by": "you",
                "reason": "too dear",
            },
            {
                "call": "cook",
                "arguments": {"hot": False},
                "status": "complete",
                "edited": {"hot": True},
                "result": "Error: burnt",
            },
            {"ended": "error", "why": "the kitchen is closed"},
        ]
    )


def test_nothing_has_an_empty_outline():
    assert outline(folded([])) == []
