from __future__ import annotations

from aistream_nb.conversation import Change


def test_a_change_is_a_value_that_starts_out_empty():
    assert Change() == Change()
    assert not any((Change().structure, Change().run, Change().growth, Change().reset))
