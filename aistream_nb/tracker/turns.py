"""Later, on the loop: the one place in which the tracker's work is scheduled.

Every task that the tracker starts lies on this shelf with a strong reference, and
:meth:`Turns.close` ends them all; so no task outlives the tracker. Nor does one keep
it: what a task holds knows the tracker only :func:`weakly`, so that a tracker which
is dropped goes, and :func:`end_tasks` ends what it had begun. Without a running loop a
request waits, without an error, until the next call that is made inside one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, Final, ParamSpec
from weakref import WeakMethod

__all__ = [
    "Turns",
    "end_task",
    "end_tasks",
    "running_loop",
    "wait_for_ends",
    "weakly",
]

P = ParamSpec("P")

PATIENCE: Final = 1.0
"""Seconds that a cancelled task has to clean up before we stop waiting for it."""


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that runs now, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def weakly(method: Callable[P, None]) -> Callable[P, None]:
    """A function that calls a method as long as somebody else keeps its object."""
    reference = WeakMethod(method)

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        found = reference()
        if found is not None:
            found(*args, **kwargs)

    return call


class Turns:
    """Runs ``pump`` on a later turn of the loop, and keeps the tasks."""

    def __init__(self, pump: Callable[[], None]) -> None:
        self._pump: Callable[[], None] = pump
        self._requested_on: asyncio.AbstractEventLoop | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        """What runs. Whoever keeps this set keeps the tasks from being lost."""

    def request(self) -> bool:
        """Have the pump run on the next turn; ``False`` if no loop is running."""
        # A request on a loop that stopped meanwhile may be lost, so it is made again.
        # Asking the loop is cheap; to find out which one runs takes a system call.
        if self._requested_on is not None and self._requested_on.is_running():
            return True
        loop = running_loop()
        if loop is None:
            return False
        self._requested_on = loop
        loop.call_soon(self._turn)
        return True

    def _turn(self) -> None:
        self._requested_on = None
        self._pump()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run ``work`` as a task that :meth:`close` will end."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def later(self, turns: int, action: Callable[[], None]) -> None:
        """Run ``action`` after so many turns; at once if no loop is running."""
        loop = running_loop()
        if loop is None or turns <= 0:
            action()
        else:
            loop.call_soon(self.later, turns - 1, action)

    async def close(self) -> int:
        """Cancel every task and wait for their ends; how many ignored it."""
        own = asyncio.current_task()
        tasks = [task for task in self.tasks if task is not own]
        for task in tasks:
            end_task(task)
        return await wait_for_ends(tasks)


def end_task(task: asyncio.Task[None]) -> None:
    """Cancel a task, unless its loop has gone."""
    if not task.get_loop().is_closed():
        task.cancel()


def end_tasks(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks of which nobody knows any more, from wherever we are called.

    That may be in the middle of anything, and in any thread: the garbage collector
    calls. So it is left to the tasks' own loops to do it.
    """
    for task in tuple(tasks):
        with suppress(RuntimeError):  # the loop was closed, so nothing goes on in it
            task.get_loop().call_soon_threadsafe(task.cancel)


async def wait_for_ends(tasks: Iterable[asyncio.Task[None]]) -> int:
    """Wait until the tasks have ended, with patience; how many have not."""
    own = asyncio.current_task()
    loop = asyncio.get_running_loop()
    # A task of a loop that does not run any more has no end to wait for.
    waited = [
        task
        for task in tasks
        if task is not own and not task.done() and task.get_loop() is loop
    ]
    if not waited:
        return 0
    _, pending = await asyncio.wait(waited, timeout=PATIENCE)
    return len(pending)
