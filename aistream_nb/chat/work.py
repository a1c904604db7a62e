"""The work of one run, which can be stopped from the moment it is claimed.

A click on Stop may come before the run had its first step, or between two of them.
Rules that a change here must keep:

1. A stop is never lost. One that comes before the first step is kept until then, so
   that the run can still say what was asked and that it was stopped.
2. A stop ends the run and not the cell that awaits it; a cancellation of the cell ends
   both.
3. No task outlives :meth:`Work.perform`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

__all__ = ["Work"]


class Work:
    """A place for the task of one run.

    >>> work, seen = Work(), []
    >>> async def run() -> None:
    ...     seen.append("began")
    ...     await asyncio.sleep(0)
    ...     seen.append("went on")
    >>> work.stop()
    >>> asyncio.run(work.perform(run))
    >>> seen
    ['began']
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._stopped = False

    def stop(self) -> None:
        """Cancel the run at the wait where it is, or at its first one."""
        self._stopped = True
        if self._task is not None:
            self._task.cancel()

    async def perform(self, run: Callable[[], Awaitable[None]]) -> None:
        """Run to the end; what the run raises is raised, unless it was stopped."""
        try:
            # A group of one: its child can be cancelled without us.
            async with asyncio.TaskGroup() as group:
                group.create_task(self._begin(run))
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _begin(self, run: Callable[[], Awaitable[None]]) -> None:
        self._task = asyncio.current_task()
        if self._stopped:
            self.stop()
        await run()
