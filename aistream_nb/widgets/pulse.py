"""One beat for the whole kernel: when what has gathered is sent to the browser.

Text arrives a few characters at a time; a browser needs about thirty pictures a
second. A :class:`Pulse` lets the first change through at once, holds back those that
follow within one interval, and sends them together with the next beat.

It works with a running event loop (a timer ends the wait) and without one (the next
request that is due does). Urgent requests are few by nature and are sent at once; where
a thousand come together (a recording is folded in one go), only the first few are.
There is one pulse for all widgets, because the road to the browser is one.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from typing import Final, TypeAlias

__all__ = ["PULSE", "Flush", "Pulse"]

_MOST_URGENT: Final = 4
"""Urgent beats that follow each other without a pause."""

_log = logging.getLogger(__name__)

Flush: TypeAlias = Callable[[], None]
"""Sends what one widget has gathered."""


class Pulse:
    """Calls the flushes that were asked for, at most once per interval.

    >>> now, sent = [0.0], []
    >>> pulse = Pulse(interval=1.0, clock=lambda: now[0])
    >>> flush = lambda: sent.append(now[0])
    >>> pulse.request(flush)  # the first goes at once
    >>> now[0] = 0.5
    >>> pulse.request(flush)  # too early
    >>> now[0] = 1.1
    >>> pulse.request(flush)
    >>> sent
    [0.0, 1.1]
    """

    def __init__(
        self,
        *,
        interval: float = 1 / 30,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._interval = interval
        self._clock = clock
        self._waiting: dict[Flush, None] = {}
        self._last = float("-inf")
        self._urgent = 0
        self._timer: asyncio.TimerHandle | None = None
        self._lock = threading.RLock()

    def request(self, flush: Flush, *, urgent: bool = False) -> None:
        """Have ``flush`` called with the next beat, or now if it is ``urgent``."""
        with self._lock:
            self._waiting[flush] = None
            due = self._last + self._interval
            if self._clock() >= due:
                self._urgent = 0
                self._beat()
            elif urgent and self._urgent < _MOST_URGENT:
                self._urgent += 1
                self._beat()
            else:
                self._set_timer(due - self._clock())

    def forget(self, flush: Flush) -> None:
        """Never call ``flush`` again: its widget is closed."""
        with self._lock:
            self._waiting.pop(flush, None)

    def _set_timer(self, delay: float) -> None:
        if self._timer is not None and not self._timer.cancelled():
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # no loop: the next request that is due sends
        self._timer = loop.call_later(delay, self._beat)

    def _beat(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            waiting = list(self._waiting)
            self._waiting.clear()
            for flush in waiting:
                self._call(flush)
            # NB: taken after the flushes: a slow road makes the beat slower.
            self._last = self._clock()

    def _call(self, flush: Flush) -> None:
        try:
            flush()
        except Exception:  # noqa: BLE001 # one closed page must not stop the others, or the run
            _log.exception("A view could not be brought up to date")


PULSE: Final = Pulse()
"""The kernel's own."""
