"""The forms of a display: the live one only where somebody may watch."""

from __future__ import annotations

import sys
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
    place = SimpleNamespace(kind="ipykernel", frontend_comms=comms, headless=headless)
    monkeypatch.setattr(forms, "environment", lambda: place)
    widget: Any = SimpleNamespace(model_id="m")
    shown = forms_of(Conversation(), lambda: widget)
    assert (LIVE in shown) is live
    assert shown["text/plain"] == "Nothing was said yet."
    assert "<div" in shown["text/html"]


def test_marimo_gets_its_own_element_and_always_the_same_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Any] = []

    def element(widget: Any) -> Any:
        made.append(widget)
        return SimpleNamespace(text="<marimo-anywidget>")

    place = SimpleNamespace(kind="marimo", frontend_comms=True, headless=None)
    marimo = SimpleNamespace(ui=SimpleNamespace(anywidget=element))
    monkeypatch.setattr(forms, "environment", lambda: place)
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    widget: Any = SimpleNamespace(model_id="m", marimo_element=None)
    for _ in range(2):
        shown = forms_of(Conversation(), lambda: widget)
        assert shown["text/html"] == "<marimo-anywidget>"
        assert LIVE not in shown
    assert made == [widget]
