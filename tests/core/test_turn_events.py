from __future__ import annotations

import dataclasses
from typing import Any, get_args

import pytest

from aistream_nb.core import turn_events
from aistream_nb.core.turn_events import TurnEvent, Usage

MADE: dict[str, dict[str, Any]] = {
    "text-delta": {"delta": "x"},
    "thinking-delta": {"delta": "x"},
    "tool-event": {"tool_type": "web_search", "phase": "started"},
    "client-tool-call-start": {"tool_name": "t", "call_id": "c"},
    "client-tool-args-delta": {"call_id": "c", "delta": "{"},
    "client-tool-call-done": {"tool_name": "t", "call_id": None, "arguments": {}},
    "client-tool-result": {
        "tool_name": "t",
        "call_id": "c",
        "result": "ok",
        "is_error": False,
    },
    "done": {"truncated": False, "full_text": "x"},
    "error": {"message": "broke off"},
}
KINDS: dict[str, Any] = {
    str(next(f.default for f in dataclasses.fields(kind) if f.name == "type")): kind
    for kind in get_args(TurnEvent)
}


def test_the_vocabulary_is_the_references_and_two_more():
    assert set(KINDS) == set(MADE)
    exported = {getattr(turn_events, name) for name in turn_events.__all__}
    assert exported == {*KINDS.values(), TurnEvent, Usage}


@pytest.mark.parametrize("name", MADE)
def test_an_event_is_a_value_that_nobody_can_change(name: str):
    event = KINDS[name](**MADE[name])
    assert event.type == name
    assert event == KINDS[name](**MADE[name])
    assert not hasattr(event, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        event.type = "other"


def test_what_a_provider_did_not_count_is_none():
    assert set(dataclasses.asdict(Usage()).values()) == {None}
