"""A bundle of forms reaches the output of the cell as it is."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.widgets import display
from aistream_nb.widgets.display import show


def test_every_form_is_displayed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[Any, bool]] = []

    def keep(value: Any, *, raw: bool) -> None:
        shown.append((value, raw))

    monkeypatch.setattr(display, "display", keep)
    show({"text/plain": "words"})
    assert shown == [({"text/plain": "words"}, True)]
