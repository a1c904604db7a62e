from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.normalise.runs import HeldFinish

TOOLS: dict[str, Any] = {
    "type": "RUN_FINISHED",
    "runId": "r2",
    "metadata": {"tanstack": {"finishReason": "tool_calls"}},
}


@pytest.mark.parametrize(
    ("event", "held"),
    [
        (TOOLS, True),
        ({**TOOLS, "outcome": {"type": "success"}}, False),
        ({**TOOLS, "metadata": {"tanstack": {"finishReason": "stop"}}}, False),
        ({**TOOLS, "metadata": {"tanstack": 3}}, False),
        ({**TOOLS, "metadata": None}, False),
        ({**TOOLS, "type": "CUSTOM"}, False),
    ],
)
def test_only_an_end_that_wants_tools_is_held(event: dict[str, Any], held: bool):  # noqa: FBT001  # pytest passes it by name
    assert HeldFinish().holds(event, 3) == held


def test_nothing_is_released_collected_or_swallowed_when_nothing_is_held():
    held = HeldFinish()
    assert held.release() == []
    assert not held.swallows({"type": "RUN_STARTED"})
    assert not held.collects({"type": "CUSTOM", "value": {}})
    assert held.before({"type": "RAW"}, old=False) == []


def test_a_custom_event_is_collected_only_if_it_names_what_it_asks_for():
    held = HeldFinish()
    held.holds(TOOLS, 3)
    for value in (3, {}, {"toolCallId": 7}, {"approval": 3}):
        for name in ("approval-requested", "tool-input-available", "x"):
            assert not held.collects({"type": "CUSTOM", "name": name, "value": value})
    (one,) = held.release()
    assert one.origin == 3
    assert "outcome" not in one.event


def test_what_comes_between_drops_the_end_in_the_newer_dialect_only():
    for old, left in ((True, 1), (False, 0)):
        held = HeldFinish()
        held.holds(TOOLS, 3)
        assert held.before({"type": "TOOL_CALL_RESULT"}, old=old) == []
        assert len(held.release()) == left
