"""A way to stop a turn from outside, and to notice it where a turn waits.

Use it in the event loop's own thread; from another thread go through
``loop.call_soon_threadsafe(signal.abort)``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

__all__ = ["AbortError", "AbortSignal", "interruptible"]


class AbortError(Exception):
    """What was awaited under :func:`interruptible` was given up."""


class AbortSignal:
    """Says once, to all who listen, that the turn is not wanted any more.

    >>> signal = AbortSignal()
    >>> signal.abort("stop was pressed")
    >>> signal.aborted, signal.reason
    (True, 'stop was pressed')
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[], None]] = []
        self.aborted: bool = False
        self.reason: str = ""

    def abort(self, reason: str = "the turn was aborted") -> None:
        """Stop the turn; a second call changes nothing."""
        if self.aborted:
            return
        self.aborted, self.reason = True, reason
        for listener in tuple(self._listeners):
            listener()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have ``listener`` called at the abort; returns what takes that back."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)


@asynccontextmanager
async def interruptible(signal: AbortSignal | None) -> AsyncGenerator[None]:
    """Let the abort end what is awaited inside.

    Raises:
        AbortError: The signal was given, before or while something was awaited.
    """
    if signal is None:
        yield
        return
    if signal.aborted:
        raise AbortError(signal.reason)
    loop = asyncio.get_running_loop()
    scope = asyncio.timeout(None)
    try:
        async with scope:
            unlisten = signal.listen(lambda: scope.reschedule(loop.time()))
            try:
                yield
            finally:
                unlisten()
    except TimeoutError:
        if not scope.expired():
            raise  # somebody else's time-out, from inside
        raise AbortError(signal.reason) from None
