from __future__ import annotations

from typing import get_args

import pytest

from aistream_nb.providers.history import (
    ToldCall,
    assistant_entry,
    call_entries,
    user_entry,
)
from aistream_nb.providers.registry import Wire


@pytest.mark.parametrize("wire", get_args(Wire))
def test_every_wire_has_words_for_both_sides(wire: Wire):
    assert user_entry(wire, "Hi")["role"] == "user"
    assert assistant_entry(wire, "Hello")["role"] in {"assistant", "model"}


@pytest.mark.parametrize(
    ("given", "told"), [("functions.add:0", "functions_add_0"), ("ü", "_"), ("", "_")]
)
def test_anthropic_is_told_ids_in_letters_that_it_takes(given: str, told: str):
    call = ToldCall(id=given, name="add", arguments="{}", answer="2")
    asked, answered = call_entries("anthropic", "", [call])
    assert asked["content"][0]["id"] == told
    assert answered["content"][0]["tool_use_id"] == told
