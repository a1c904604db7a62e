"""Who is known, and how names, models and keys are found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aistream_nb.errors import TurnError
from aistream_nb.providers.registry import (
    PROVIDERS,
    ProviderRecord,
    find_provider,
    resolve_key,
    resolve_model,
    split_target,
    uses_responses_only,
)

OPENAI = find_provider("openai")


@pytest.mark.parametrize("record", PROVIDERS.values(), ids=PROVIDERS)
def test_every_record_can_be_used_as_it_stands(record: ProviderRecord):
    assert record.base_url == record.base_url.rstrip("/")
    for alias in record.aliases:
        assert not resolve_model(record, alias).startswith("@")
    if record.default_model:
        for tier in ("base", "advanced", "frontier"):
            assert resolve_model(record, tier=tier)


@pytest.mark.parametrize(
    ("name", "ident"),
    [("claude", "anthropic"), ("gemini", "google-gemini"), ("lmstudio", "lm-studio")],
)
def test_short_names_are_understood(name, ident):
    assert find_provider(name).id == ident


def test_a_record_of_ones_own_is_taken_as_it_is():
    record = replace(OPENAI, id="mine", base_url="http://x")
    assert find_provider(record) is record


def test_an_unknown_name_is_refused_with_those_that_are_known():
    with pytest.raises(TurnError, match=r"unknown provider 'opnai'; known .*openai"):
        find_provider("opnai")


def test_a_target_is_split_once():
    assert split_target("openai") == (OPENAI, None)
    assert split_target("openai:ft:gpt")[1] == "ft:gpt"


@pytest.mark.parametrize(
    ("choice", "tier", "model"),
    [
        ("plain", "base", "plain"),
        ({"base": "b", "advanced": "a"}, "base", "b"),
        ({"base": "b", "advanced": "a"}, "advanced", "a"),
        ({"base": "b", "advanced": "a"}, "frontier", "a"),
        ({"base": "b"}, "image", "b"),
        ({"image": "i"}, "image", "i"),
        ({"odd": "o"}, "base", "o"),
        (None, "base", "gpt-5.6-luna"),
    ],
)
def test_a_tier_falls_back_to_the_next(choice, tier, model):
    assert resolve_model(OPENAI, choice, tier=tier) == model


def test_an_alias_may_lead_to_another_and_not_in_a_circle():
    record = replace(OPENAI, aliases={"@a": "@b", "@b": "model", "@c": "@c"})
    assert resolve_model(record, "@a") == "model"
    with pytest.raises(TurnError, match='cyclic model alias "@c"'):
        resolve_model(record, "@c")
    with pytest.raises(TurnError, match='unknown model alias "@d"'):
        resolve_model(record, "@d")


@pytest.mark.parametrize("choice", [None, "", {}])
def test_no_model_at_all_is_refused(choice):
    with pytest.raises(TurnError, match='"vllm": no model resolved; name one '):
        resolve_model(find_provider("vllm"), choice)


def test_a_key_is_taken_from_the_argument_or_the_environment(monkeypatch):
    gemini = find_provider("gemini")
    for name in gemini.key_variables:
        monkeypatch.delenv(name, raising=False)
    assert resolve_key(gemini, " given ") == "given"
    assert resolve_key(gemini, "") == ""
    with pytest.raises(TurnError, match="set GEMINI_API_KEY or GOOGLE_API_KEY"):
        resolve_key(gemini, None)
    monkeypatch.setenv("GOOGLE_API_KEY", "second")
    assert resolve_key(gemini, None) == "second"
    monkeypatch.setenv("GEMINI_API_KEY", "first")
    assert resolve_key(gemini, None) == "first"


def test_a_server_of_ones_own_needs_no_key():
    assert resolve_key(find_provider("llama-cpp"), None) == ""


@pytest.mark.parametrize("key", ["a\nb", "kľúč"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key):
    with pytest.raises(TurnError, match="that no header can carry") as caught:
        resolve_key(OPENAI, key)
    assert key not in str(caught.value)


def test_some_models_speak_responses_only():
    assert uses_responses_only(OPENAI, "gpt-5.5-pro")
    assert not uses_responses_only(OPENAI, "gpt-5.5")
    assert not uses_responses_only(find_provider("vllm"), "gpt-5.5-pro")
