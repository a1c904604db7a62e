"""Events that are made in a hurry are no worse than the others."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields

import pytest

from aistream_nb.core.turn_events import TextDelta, ThinkingDelta, ToolCallArgsDelta
from aistream_nb.providers.quick_events import args_delta, text_delta, thinking_delta

PAIRS = [
    (text_delta("x"), TextDelta(delta="x")),
    (thinking_delta("x"), ThinkingDelta(delta="x")),
    (args_delta("c", "x"), ToolCallArgsDelta(call_id="c", delta="x")),
]


@pytest.mark.parametrize(("quick", "plain"), PAIRS)
def test_a_quick_event_equals_a_plain_one(quick, plain):
    assert quick == plain
    assert (hash(quick), repr(quick)) == (hash(plain), repr(plain))
    assert copy.copy(quick) == pickle.loads(pickle.dumps(quick)) == plain  # noqa: S301 - our own bytes
    assert all(hasattr(quick, field.name) for field in fields(quick))


@pytest.mark.parametrize(("quick", "_plain"), PAIRS)
def test_a_quick_event_is_frozen(quick, _plain):
    with pytest.raises(FrozenInstanceError):
        quick.delta = "y"
