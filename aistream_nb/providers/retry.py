"""When a round is tried again: before its first event, and never after.

A server that says itself whether to try again is believed, whatever its status.

A policy is a value. Its chance and its sleep are handed in, so that tests and replays
know what will happen.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from aistream_nb.core.kinds import COUNT, FUNCTION, WAIT, wrong_kind
from aistream_nb.errors import (
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderStreamError,
)
from aistream_nb.http import BrokenStreamError

__all__ = ["NO_RETRY", "RetryPolicy", "RetryableStreamError"]

_SERVER_ERRORS: Final = 500
_TRY_AGAIN: Final = frozenset({408, 409, 425, 429})


class RetryableStreamError(ProviderStreamError):
    """A provider said in its stream, before anything else, that it is overloaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often, and after how long, a request that met no answer is sent again.

    >>> policy = RetryPolicy(chance=lambda: 1.0)
    >>> busy = ProviderStatusError("busy", provider="x", status_code=529)
    >>> [policy.delay(busy, attempt) for attempt in (1, 2, 3)]
    [0.5, 1.0, None]

    Raises:
        ValueError: A number cannot be.
    """

    attempts: int = 3
    """Requests in all; 1 never tries again."""
    first_delay: float = 0.5
    longest_delay: float = 8.0
    longest_wait: float = 60.0
    """A server that asks for more patience than this is taken as a failure."""
    chance: Callable[[], float] = field(default=random.random, repr=False)
    """Between 0 and 1: the share of the delay that is left to chance."""
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep, repr=False)

    def __post_init__(self) -> None:
        kinds = dict.fromkeys(("first_delay", "longest_delay", "longest_wait"), WAIT)
        kinds |= {"attempts": COUNT, "chance": FUNCTION, "sleep": FUNCTION}
        wrong = wrong_kind(((name, getattr(self, name)) for name in kinds), kinds)
        if wrong is not None:
            raise ValueError(wrong)

    def delay(self, error: ProviderError, attempt: int) -> float | None:
        """Seconds to wait after the given attempt (from 1); ``None`` gives up."""
        if attempt >= self.attempts or not _is_passing(error):
            return None
        asked = error.retry_after if isinstance(error, ProviderStatusError) else None
        if asked is not None:
            return asked if asked <= self.longest_wait else None
        full = min(self.longest_delay, self.first_delay * 2 ** (attempt - 1))
        return full * (0.5 + self.chance() / 2)


NO_RETRY: Final = RetryPolicy(attempts=1)
"""One request, and that is it."""


def _is_passing(error: ProviderError) -> bool:
    """Whether the same request may work a little later."""
    if isinstance(error, ProviderStatusError):
        if error.should_retry is not None:
            return error.should_retry
        status = error.status_code
        return status >= _SERVER_ERRORS or status in _TRY_AGAIN
    return isinstance(
        error, (ProviderConnectionError, BrokenStreamError, RetryableStreamError)
    )
