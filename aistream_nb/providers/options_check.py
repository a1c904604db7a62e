"""The options of a turn, and of a run of turns, looked at before anything is sent.

What is of its kind and still makes no sense (an unknown model, an endpoint with a
query) is for those who resolve it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from aistream_nb.core.kinds import (
    COUNT,
    FLAG,
    FUNCTION,
    MAPPING,
    NUMBER,
    SECONDS,
    TEXT,
    TEXTS,
    Kind,
    wrong_kind,
)
from aistream_nb.core.values import is_mapping
from aistream_nb.errors import TurnError
from aistream_nb.providers.base import OutputSchema
from aistream_nb.providers.retry import RetryPolicy
from aistream_nb.providers.turn_abort import AbortSignal

__all__ = ["OPTION_KINDS", "refuse_wrong_kinds"]


def _is_model(value: object) -> bool:
    return isinstance(value, str) or (TEXTS[0](value) and bool(value))


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


OPTION_KINDS: Final[Mapping[str, Kind]] = {
    "system": TEXT,
    "model": (_is_model, "a model's name, or a mapping of tiers to such names"),
    "tier": TEXT,
    "thinking": (lambda it: isinstance(it, str) or is_mapping(it), "text or a mapping"),
    "server_tools": (_is_list, "a list of server tools"),
    "tool_conflict_policy": TEXT,
    "output_schema": (
        lambda value: isinstance(value, OutputSchema) or is_mapping(value),
        "an OutputSchema or a mapping",
    ),
    "api_key": TEXT,
    "endpoint": TEXT,
    "temperature": NUMBER,
    "max_tokens": COUNT,
    "max_answer_bytes": COUNT,
    "max_result_chars": COUNT,
    "tool_timeout": SECONDS,
    "headers": TEXTS,
    "extra_body": MAPPING,
    "retry": (lambda value: isinstance(value, RetryPolicy), "a RetryPolicy"),
    "abort": (lambda value: isinstance(value, AbortSignal), "an AbortSignal"),
    "concurrent": FLAG,
    "interrupt_tools": FLAG,
    "on_request": FUNCTION,
    "on_bytes": FUNCTION,
    "on_retry": FUNCTION,
    "max_rounds": COUNT,  # these two are of a chat's run of several turns
    "budget": FUNCTION,
}
"""Option, and what it must be."""

_HAVE_DEFAULTS: Final = frozenset(
    {"system", "tier", "headers", "extra_body", "retry", "concurrent"}
    | {"interrupt_tools", "max_rounds", "server_tools", "tool_conflict_policy"}
)


def refuse_wrong_kinds(options: Iterable[tuple[str, object]]) -> None:
    """Refuse an option that is of another kind than it has to be.

    Raises:
        TurnError: There is one.

    >>> refuse_wrong_kinds([("tool_timeout", "2")])
    Traceback (most recent call last):
    aistream_nb.errors.TurnError: tool_timeout='2' is not a number of seconds above 0
    """
    wrong = wrong_kind(
        options,
        OPTION_KINDS,
        optional=OPTION_KINDS.keys() - _HAVE_DEFAULTS,
        secret=("api_key", "headers", "extra_body"),
    )
    if wrong is not None:
        raise TurnError(wrong)
