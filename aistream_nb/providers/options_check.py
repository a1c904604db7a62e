"""The options of a turn, and of a run of turns, looked at before anything is sent.

An option of the wrong kind must not become an error of the provider, or one of ours in
the middle of a run. What is of its kind and still makes no sense (an unknown model, an
endpoint with a query) is for those who resolve it. No value is shown that may be a
secret.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from aistream_nb.core.values import is_mapping
from aistream_nb.errors import TurnError
from aistream_nb.providers.retry import RetryPolicy
from aistream_nb.providers.turn_abort import AbortSignal

__all__ = ["refuse_wrong_kinds"]

_Kind: TypeAlias = tuple[Callable[[Any], bool], str]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    return is_mapping(value) and all(map(_is_text, (*value, *value.values())))


_TEXT: Final[_Kind] = (_is_text, "text")
_COUNT: Final[_Kind] = (_is_count, "a whole number above 0")
_FUNCTION: Final[_Kind] = (callable, "a function")
_FLAG: Final[_Kind] = (lambda value: isinstance(value, bool), "True or False")

_KINDS: Final[Mapping[str, _Kind]] = {
    "system": _TEXT,
    "tier": _TEXT,
    "api_key": _TEXT,
    "temperature": (
        lambda value: _is_number(value) and math.isfinite(value),
        "a number",
    ),
    "max_tokens": _COUNT,
    "max_answer_bytes": _COUNT,
    "max_result_chars": _COUNT,
    "tool_timeout": (
        lambda value: _is_number(value) and 0 < value < math.inf,
        "a number of seconds above 0",
    ),
    "headers": (_are_texts, "a mapping of text to text"),
    "extra_body": (is_mapping, "a mapping"),
    "retry": (lambda value: isinstance(value, RetryPolicy), "a RetryPolicy"),
    "abort": (lambda value: isinstance(value, AbortSignal), "an AbortSignal"),
    "concurrent": _FLAG,
    "interrupt_tools": _FLAG,
    "on_request": _FUNCTION,
    "on_bytes": _FUNCTION,
    "on_retry": _FUNCTION,
    "max_rounds": _COUNT,  # these two are of a chat's run of several turns
    "budget": _FUNCTION,
}
"""Option, how it is known, and what it is called."""

_NEVER_NONE: Final = frozenset(
    {"system", "tier", "headers", "extra_body", "retry", "concurrent"}
    | {"interrupt_tools", "max_rounds"}
)
_MAY_BE_SECRET: Final = frozenset({"api_key", "headers", "extra_body"})


def refuse_wrong_kinds(options: Iterable[tuple[str, object]]) -> None:
    """Refuse an option that is of another kind than it has to be.

    Raises:
        TurnError: There is one.

    >>> refuse_wrong_kinds([("tool_timeout", "2")])
    Traceback (most recent call last):
    aistream_nb.errors.TurnError: tool_timeout='2' is not a number of seconds above 0
    """
    for name, value in options:
        if name not in _KINDS or (value is None and name not in _NEVER_NONE):
            continue
        is_of_kind, words = _KINDS[name]
        if not is_of_kind(value):
            shown = f"of type {type(value).__name__!r}"
            said = f" {shown}" if name in _MAY_BE_SECRET else f"={value!r}"
            raise TurnError(f"{name}{said} is not {words}")
