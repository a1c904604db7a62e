"""How wishes about thinking are merged."""

from __future__ import annotations

import pytest

from aistream_nb.errors import TurnError
from aistream_nb.providers.registry import find_provider
from aistream_nb.providers.thinking import ResolvedThinking, resolve_thinking

OPENAI, GEMINI = find_provider("openai"), find_provider("gemini")


def test_nothing_wished_is_nothing():
    assert resolve_thinking(OPENAI, "m", None) == ResolvedThinking()
    assert not ResolvedThinking().is_on


def test_an_effort_becomes_a_budget_for_gemini():
    resolved = resolve_thinking(GEMINI, "m", "high")
    assert (resolved.effort, resolved.budget) == (None, 8192)


def test_a_provider_without_thinking_ignores_everything():
    assert (
        resolve_thinking(find_provider("groq"), "m", "nonsense") == ResolvedThinking()
    )


def test_later_and_closer_wishes_win():
    wishes = {
        "effort": "low",
        "show": True,
        "providers": [
            {"provider": "openai", "models": ["m"], "config": {"effort": "max"}},
            {"provider": "openai", "config": {"effort": "high"}},
            {"provider": "openai", "models": ["n"], "config": {"effort": "none"}},
            {"provider": "google", "config": {"thinkingBudget": 1}},
            {"provider": "other", "models": ["m"], "config": {"store": False}},
            {"provider": "other", "config": {"lost": 1}},
            {"provider": "other", "models": "m"},
            {"provider": "openai", "models": [["m"]], "config": 7},
            {"provider": "openai", "config": 7},
            {"provider": ["openai"]},
            7,
        ],
    }
    assert resolve_thinking(OPENAI, "m-2026", wishes) == ResolvedThinking(
        effort="max", show=True, other={"store": False}
    )
    assert resolve_thinking(OPENAI, "x", wishes).effort == "high"
    assert resolve_thinking(OPENAI, "x", {"providers": 7}) == ResolvedThinking()


def test_an_unknown_effort_is_refused():
    with pytest.raises(TurnError, match="unknown thinking effort 'much'"):
        resolve_thinking(OPENAI, "m", "much")
