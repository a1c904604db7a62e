from __future__ import annotations

from typing import get_args

import pytest

from aistream_nb.providers.history import assistant_entry, user_entry
from aistream_nb.providers.registry import Wire


@pytest.mark.parametrize("wire", get_args(Wire))
def test_every_wire_has_words_for_both_sides(wire: Wire):
    assert user_entry(wire, "Hi")["role"] == "user"
    assert assistant_entry(wire, "Hello")["role"] in {"assistant", "model"}
