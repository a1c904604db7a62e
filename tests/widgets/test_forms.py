"""The forms of a display: the live one only where somebody may watch."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from aistream_nb.conversation import Conversation
from aistream_nb.widgets import forms
from aistream_nb.widgets.forms import forms_of

LIVE = "application/vnd.jupyter.widget-view+json"


@pytest.mark.parametrize(
    ("comms", "headless", "live"),
    [(True, False, True), (True, True, False), (False, False, False)],
)
def test_the_live_form_is_there_only_for_somebody_who_may_watch(
    monkeypatch: pytest.MonkeyPatch, *, comms: bool, headless: bool, live: bool
) -> None:
    place = SimpleNamespace(frontend_comms=comms, headless=headless)
    monkeypatch.setattr(forms, "environment", lambda: place)
    widget: Any = SimpleNamespace(model_id="m")
    shown = forms_of(Conversation(), lambda: widget)
    assert (LIVE in shown) is live
    assert shown["text/plain"] == "Nothing was said yet."
    assert "<div" in shown["text/html"]
