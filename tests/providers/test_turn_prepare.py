"""The options of a turn, in their two shapes."""

from __future__ import annotations

from dataclasses import fields
from typing import get_type_hints

import httpx

from aistream_nb.providers import turn_prepare
from aistream_nb.providers.turn_prepare import TurnOptions, TurnSettings


def test_every_option_has_a_default_and_every_default_is_an_option(monkeypatch):
    monkeypatch.setattr(turn_prepare, "httpx", httpx, raising=False)
    settings = {field.name for field in fields(TurnSettings)}
    assert settings == set(get_type_hints(TurnOptions))
    assert TurnSettings() is not None
