"""A plain function in a thread of its own, so that the event loop never waits for it.

Not in the loop's pool: Python waits for the threads of a pool when a loop closes and
when the process ends, so one function that never returns would hold both for ever,
and a few of them would leave no thread for anybody else. A thread of its own can be
given up. Nothing can stop it; it ends with the process at the latest. That it goes on
is noted on the cancellation, and the thread bears the tool's name, so that
``threading.enumerate()`` shows what still runs.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeAlias

from aistream_nb.core.running_on import note_running_on

__all__ = ["Outcome", "in_thread"]

Outcome: TypeAlias = tuple[object, BaseException | None]
"""What a function returned, or what it raised."""


async def in_thread(function: Callable[[], Any], *, name: str = "") -> Outcome:
    """What ``function`` returned or raised, as a value, in the caller's context.

    The thread is called after the tool's ``name``.

    It is a value because StopIteration and SystemExit cannot travel through a future,
    and because nothing that is raised in a thread may end the loop: a person's stop
    never arrives in one, so a KeyboardInterrupt there is the function's own.

    >>> asyncio.run(in_thread(lambda: 6 * 7))
    (42, None)
    """
    loop = asyncio.get_running_loop()
    arrival: asyncio.Future[Outcome] = loop.create_future()
    context = copy_context()

    def work() -> None:
        outcome = context.run(_tried, function)
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(_arrive, arrival, outcome)

    label = f"aistream_nb tool {name}".rstrip()
    threading.Thread(target=work, name=label, daemon=True).start()
    try:
        return await arrival
    except asyncio.CancelledError as stop:
        note_running_on(stop)
        raise


def _tried(function: Callable[[], Any]) -> Outcome:
    try:
        return function(), None
    except BaseException as error:  # noqa: BLE001 it is judged in the loop
        return None, error


def _arrive(arrival: asyncio.Future[Outcome], outcome: Outcome) -> None:
    if not arrival.done():
        arrival.set_result(outcome)
