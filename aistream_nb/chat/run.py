"""A run that goes on in the background while the kernel is free."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any

from aistream_nb.chat.reply import Reply

__all__ = ["Run"]


class Run:
    """A run that goes on in the background; await it for its reply."""

    def __init__(self, task: asyncio.Task[Reply], stop: Callable[[], None]) -> None:
        self._task = task
        self._stop = stop

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return self._task.done()

    def stop(self) -> None:
        """End the run; what had arrived is kept."""
        self._stop()

    def __await__(self) -> Generator[Any, None, Reply]:
        return self._task.__await__()

    def __repr__(self) -> str:
        return f"<run: {'ended' if self.done else 'going on'}>"
