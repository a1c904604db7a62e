from __future__ import annotations

import math
from typing import Any

import pytest

from aistream_nb.errors import TurnError
from aistream_nb.providers.options_check import OPTION_KINDS, refuse_wrong_kinds
from aistream_nb.providers.retry import NO_RETRY
from aistream_nb.providers.turn_abort import AbortSignal
from aistream_nb.providers.turn_prepare import TurnSettings

RIGHT: dict[str, Any] = {
    "system": "Be brief.",
    "model": {"base": "small", "advanced": "large"},
    "tier": "advanced",
    "thinking": {"effort": "low"},
    "server_tools": iter(["web_search"]),
    "tool_conflict_policy": "error",
    "output_schema": {"type": "object"},
    "api_key": "sk-planted",
    "endpoint": "https://here.example",
    "temperature": 0,
    "max_tokens": 1,
    "max_answer_bytes": 10,
    "max_result_chars": 10,
    "tool_timeout": 0.5,
    "headers": {"x-team": "blue"},
    "extra_body": {"seed": 1},
    "retry": NO_RETRY,
    "abort": AbortSignal(),
    "concurrent": True,
    "interrupt_tools": False,
    "on_request": print,
    "on_bytes": print,
    "on_retry": print,
    "max_rounds": 3,
    "budget": print,
}


def test_every_option_that_has_a_kind_is_tried_here():
    assert set(RIGHT) == set(OPTION_KINDS)
    refuse_wrong_kinds(RIGHT.items())


@pytest.mark.parametrize("name", RIGHT)
def test_an_option_of_another_kind_is_refused(name: str):
    class Odd:
        """Nothing that any option may be."""

    with pytest.raises(TurnError, match=f"^{name}.* is not "):
        refuse_wrong_kinds([(name, Odd())])


def test_the_defaults_are_of_their_kind():
    refuse_wrong_kinds(vars(TurnSettings()).items())


@pytest.mark.parametrize("name", ["system", "retry", "headers", "max_rounds"])
def test_what_has_a_default_of_its_own_cannot_be_none(name: str):
    with pytest.raises(TurnError, match=f"{name}.* is not"):
        refuse_wrong_kinds([(name, None)])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tool_timeout", "2"),
        ("tool_timeout", 0),
        ("tool_timeout", -1),
        ("tool_timeout", math.nan),
        ("tool_timeout", math.inf),
        ("tool_timeout", True),
        ("temperature", math.nan),
        ("temperature", True),
        ("max_tokens", 0),
        ("max_tokens", 1.5),
        ("max_tokens", True),
        ("max_result_chars", -1),
        ("model", ["small"]),
        ("model", {}),
        ("model", {"base": 5}),
        ("thinking", True),
        ("server_tools", "web_search"),
        ("server_tools", {"type": "web_search"}),
        ("output_schema", "object"),
        ("headers", {"x": 1}),
        ("headers", {1: "x"}),
    ],
)
def test_a_value_that_cannot_be_is_refused(name: str, value: object):
    with pytest.raises(TurnError, match=f"^{name}"):
        refuse_wrong_kinds([(name, value)])


@pytest.mark.parametrize("name", ["api_key", "headers", "extra_body"])
def test_what_may_be_secret_is_not_shown(name: str):
    with pytest.raises(TurnError) as caught:
        refuse_wrong_kinds([(name, ["sk-planted"])])
    assert str(caught.value).startswith(f"{name} of type 'list' is not ")


def test_an_option_without_a_kind_is_for_others():
    refuse_wrong_kinds([("client", 5)])
