"""A session with the tracker: what a host sends, what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from aistream_nb.core.invocation.events import ReaderEvent
from aistream_nb.tracker import CallReader, Diagnostic, ToolInvocationTracker
from aistream_nb.tracker.waiting import Stream

TURNS = 40


def call(tool_call_id: str, text: str | None = "", **fields: Any) -> dict[str, Any]:
    """A call part of the tool ``work``."""
    spoken = {} if text is None else {"argsText": text}
    name = {"type": "tool-call", "toolCallId": tool_call_id, "toolName": "work"}
    return name | spoken | fields


def message(*parts: Any, **fields: Any) -> dict[str, Any]:
    """An assistant's message."""
    return {"role": "assistant", "content": list(parts), **fields}


class Work:
    """A tool that notes what is asked of it, and answers with its arguments."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.ran: list[tuple[str, Any]] = []
        self.readers: dict[str, Any] = {}
        self.contexts: dict[str, Any] = {}
        self.work: Callable[[Any, Any], Any] = lambda args, _: args

    def stream_call(self, reader: Any, context: Any) -> None:
        self.opened.append(context.tool_call_id)
        self.readers[context.tool_call_id] = reader

    def execute(self, args: Any, context: Any) -> Any:
        self.ran.append((context.tool_call_id, args))
        self.contexts[context.tool_call_id] = context
        return self.work(args, context)


class Session:
    """One tracker, its tool, and everything that it told."""

    def __init__(self) -> None:
        self.tool = Work()
        self.tools: dict[str, Any] = {"work": self.tool}
        self.results: list[dict[str, Any]] = []
        self.statuses: list[dict[str, Any]] = []
        self.diagnostics: list[Diagnostic] = []
        self.trackers: list[ToolInvocationTracker] = []
        self.streams: dict[str, Stream[ReaderEvent]] = {}
        self.tracker = self.start()

    def start(self, **options: Any) -> ToolInvocationTracker:
        """Begin anew with a tracker of these options."""
        options.setdefault("on_result", self.results.append)
        options.setdefault(
            "on_statuses_change", lambda statuses: self.statuses.append(dict(statuses))
        )
        options.setdefault("on_diagnostic", self.diagnostics.append)
        self.tracker = ToolInvocationTracker(lambda: self.tools, **options)
        self.trackers.append(self.tracker)
        return self.tracker

    async def live(self, **options: Any) -> ToolInvocationTracker:
        """A tracker that has had its history: nothing."""
        tracker = self.start(**options) if options else self.tracker
        await self.show()
        return tracker

    async def show(
        self, *parts: Any, running: bool = True, loading: bool = False
    ) -> None:
        """Send a snapshot of one message with these parts, and let the loop turn."""
        await self.send([message(*parts)], running=running, loading=loading)

    async def send(
        self, messages: Any, *, running: bool = True, loading: bool = False
    ) -> None:
        """Send a snapshot with these messages, and let the loop turn."""
        self.tracker.set_state(
            {"messages": messages, "isRunning": running, "isLoading": loading}
        )
        await self.turn()

    async def turn(self) -> None:
        """Let the loop turn until nothing happens."""
        for _ in range(TURNS):
            await asyncio.sleep(0)

    @property
    def ran(self) -> list[tuple[str, Any]]:
        """What ran, with its arguments."""
        return self.tool.ran

    @property
    def codes(self) -> list[str]:
        """What was reported, in short."""
        return [diagnostic.code for diagnostic in self.diagnostics]

    @property
    def told(self) -> list[tuple[str, Any]]:
        """The results that the host was told, in short."""
        return [(result["toolCallId"], result["result"]) for result in self.results]

    def watch(self) -> None:
        """Have the tool keep the events of each call from the start."""
        stream_call = self.tool.stream_call

        def keep(reader: CallReader, context: Any) -> None:
            stream_call(reader, context)
            self.streams[context.tool_call_id] = reader.events()

        self.tools["work"] = {"stream_call": keep, "execute": self.tool.execute}

    async def events(self, tool_call_id: str) -> list[ReaderEvent]:
        """What the call's reader was told since the last time."""
        stream = self.streams[tool_call_id]
        found: list[ReaderEvent] = []
        while not stream.empty:
            found.append(await anext(stream))
        return found


Edge: TypeAlias = Callable[[Session], Awaitable[None]]


class Register(dict[str, Edge]):
    """The tests of edges by their sentence, which begins with the edge's number."""

    def edge(self, sentence: str) -> Callable[[Edge], Edge]:
        """Enter a test into the register."""

        def enter(test: Edge) -> Edge:
            assert sentence not in self
            self[sentence] = test
            return test

        return enter
