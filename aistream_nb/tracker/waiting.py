"""Two things to await: a value that comes once, and values that come one by one.

Both can be made, set and closed by synchronous code and without a running loop; only
who waits needs one. Waking is all they do: nothing here starts a task.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Generator
from typing import Generic, TypeVar

__all__ = ["Latch", "Stream"]

T = TypeVar("T")


class _Waiters:
    """Those who wait now. A waiter that is cancelled is simply forgotten."""

    __slots__ = ("_futures",)

    def __init__(self) -> None:
        self._futures: list[asyncio.Future[None]] = []

    def wake(self) -> None:
        futures, self._futures = self._futures, []
        for future in futures:
            # A loop that was closed has nobody left to wake.
            if not future.done() and not future.get_loop().is_closed():
                future.set_result(None)

    async def wait(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._futures.append(future)
        await future


class Latch(Generic[T]):
    """A value, or a failure, that comes once and that any number may await."""

    __slots__ = ("_error", "_value", "_waiters")

    def __init__(self) -> None:
        # In a list, because every value, also ABSENT and None, can be given.
        self._value: list[T] = []
        self._error: BaseException | None = None
        self._waiters: _Waiters = _Waiters()

    @property
    def done(self) -> bool:
        """Whether the value or the failure has come."""
        return bool(self._value) or self._error is not None

    def set(self, value: T) -> bool:
        """Give the value; whether it was the first."""
        if self.done:
            return False
        self._value.append(value)
        self._waiters.wake()
        return True

    def fail(self, error: BaseException) -> bool:
        """Give the failure; whether it was the first. Nobody has to look at it."""
        if self.done:
            return False
        self._error = error
        self._waiters.wake()
        return True

    async def wait(self) -> T:
        """The value, once it is there.

        Raises:
            BaseException: What :meth:`fail` was given.
        """
        while True:
            if self._error is not None:
                raise self._error
            if self._value:
                return self._value[0]
            await self._waiters.wait()

    def __await__(self) -> Generator[object, None, T]:
        return self.wait().__await__()


class Stream(AsyncIterator[T]):
    """Values that come one by one until the stream is closed. For one consumer."""

    __slots__ = ("_closed", "_items", "_waiters")

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._closed: bool = False
        self._waiters: _Waiters = _Waiters()

    @property
    def closed(self) -> bool:
        """Whether no more values will come."""
        return self._closed

    @property
    def empty(self) -> bool:
        """Whether nothing is there to be read now."""
        return not self._items

    def put(self, item: T) -> None:
        """Add a value for who iterates."""
        if not self._closed:
            self._items.append(item)
            self._waiters.wake()

    def close(self) -> None:
        """Say that no more values come; those that came can still be read."""
        self._closed = True
        self._waiters.wake()

    async def __anext__(self) -> T:
        while not self._items:
            if self._closed:
                raise StopAsyncIteration
            await self._waiters.wait()
        return self._items.popleft()
