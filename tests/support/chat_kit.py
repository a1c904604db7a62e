"""An agent of a test, a person who watches, and a chat that needs no time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import aistream_nb as ai
from aistream_nb.chat.agent import Task
from aistream_nb.chat.ids import counted_ids
from aistream_nb.core.bridge import TurnBridge


def offline(**options: Any) -> ai.Chat:
    return ai.Chat("offline", pace=0, ids=counted_ids("t"), **options)


class Agent:
    """An agent of a test: emits what it is given, then does what it is told."""

    name = "agent of a test"
    facts: Mapping[str, str] = {}

    def __init__(self, *events: Mapping[str, Any]) -> None:
        self.events = events
        self.closed = False
        self.go_on = asyncio.Event()
        self.reached = asyncio.Event()

    async def run(self, task: Task) -> None:
        bridge = TurnBridge(thread_id="t", run_id=task.run_id, new_id=task.new_id)
        for event in bridge.open_run(messages=[task.question or {}]):
            task.emit(event)
        for event in self.events:
            task.emit(event)
        self.reached.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            for event in bridge.cancel_run():
                task.emit(event)
            raise
        for event in bridge.finish_run():
            task.emit(event)

    async def aclose(self) -> None:
        self.closed = True


async def somebody() -> None:
    """A person watches."""


async def until(holds: Any) -> None:
    """Let the loop turn until something holds."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 # what is waited for is no event of ours
            await asyncio.sleep(0)
