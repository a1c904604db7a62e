"""Requests to Anthropic, for what the cases and the comparison do not show."""

from __future__ import annotations

import pytest
from turn_kit import body_of

from aistream_nb.errors import TurnError


def test_thinking_needs_room_that_the_caller_left():
    options = {"model": "claude-sonnet-4-5", "thinking": "high"}
    with pytest.raises(TurnError, match="needs max_tokens above 24000, got 9000"):
        body_of("anthropic", max_tokens=9000, **options)
    assert body_of("anthropic", max_tokens=30000, **options)["max_tokens"] == 30000
    assert body_of("anthropic", **options)["max_tokens"] == 28096
