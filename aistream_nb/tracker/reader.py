"""What a tool's ``stream_call`` sees of a call: its arguments and its answer.

Rules that a change must keep. What was given is never taken back. Reads may be made
before, during and after the stream, several at once, and none disturbs another. No
read waits for ever: all of them end when the arguments end, and the response comes,
at the latest, when the call is abandoned. A reader costs nothing but the text until
somebody reads by path; only then is the text parsed, and only what is new of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from aistream_nb.core.invocation.events import (
    Answered,
    ArgsDelta,
    ArgsDone,
    Ended,
    ReaderEvent,
    ToolResponse,
)
from aistream_nb.core.partial_json.parsers import ArgumentsParser
from aistream_nb.core.values import ABSENT, copy_json
from aistream_nb.tracker.waiting import Latch, Stream

__all__ = ["ArgumentsReader", "CallReader", "Path"]

Path: TypeAlias = tuple[str | int, ...]

_Read: TypeAlias = Callable[[ArgumentsParser], bool]
"""Takes what it needs from the parser; whether it has all."""


class ArgumentsReader:
    """The arguments of one call, by path, while they arrive.

    A path is keys and indexes from the root: ``args.get("to", "name")``. Without any,
    the whole is meant. A value that is not there is :data:`~aistream_nb.core.ABSENT`.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._parser: ArgumentsParser | None = None
        self._reads: list[tuple[_Read, Callable[[], None]]] = []
        self._closed: bool = False

    @property
    def text(self) -> str:
        """The JSON text so far."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def value(self) -> Any:
        """A copy of the value so far; ``{}`` as long as there is none."""
        return self._parsed().snapshot()

    @property
    def done(self) -> bool:
        """Whether no more text will come."""
        return self._closed

    def get(self, *path: str | int) -> Awaitable[Any]:
        """The value at ``path``, once it cannot change any more.

        When the arguments end first, it is what is there then, or ``ABSENT``.
        """
        box: Latch[Any] = Latch()

        def read(parser: ArgumentsParser) -> bool:
            final = parser.field_state(path) == "complete"
            if final:
                box.set(_copy(parser.get(path)))
            return final

        def end() -> None:
            box.set(_copy(self._parsed().get(path)))

        self._begin(read, end)
        return box

    def stream_text(self, *path: str | int) -> Stream[str]:
        """The text at ``path`` as it is first seen, and then what is added to it.

        Something that is not a text yields nothing.
        """
        out: Stream[str] = Stream()
        seen = -1

        def read(parser: ArgumentsParser) -> bool:
            nonlocal seen
            text = parser.get(path)
            if isinstance(text, str) and len(text) > seen:
                out.put(text[max(seen, 0) :])
                seen = len(text)
            return parser.field_state(path) == "complete"

        self._begin(read, out.close)
        return out

    def stream_values(self, *path: str | int) -> Stream[Any]:
        """The value at ``path`` so far, now and after each piece of text."""
        out: Stream[Any] = Stream()

        def read(parser: ArgumentsParser) -> bool:
            value = parser.get(path)
            if value is not ABSENT and parser.readable:
                out.put(_copy(value))
            return parser.field_state(path) == "complete"

        self._begin(read, out.close)
        return out

    def each(self, *path: str | int) -> Stream[Any]:
        """Each element of the array at ``path``, once it cannot change any more."""
        out: Stream[Any] = Stream()
        count = 0

        def read(parser: ArgumentsParser) -> bool:
            nonlocal count
            array = parser.get(path)
            while (
                isinstance(array, list)
                and count < len(array)
                and parser.field_state((*path, count)) == "complete"
            ):
                out.put(_copy(array[count]))
                count += 1
            return parser.field_state(path) == "complete"

        self._begin(read, out.close)
        return out

    # ------------------------------------------------------------ for the tracker

    def receive(self, delta: str) -> None:
        """Take the next piece of text."""
        self._pieces.append(delta)
        if self._parser is not None:
            self._parser.receive(delta)
            if self._reads:
                self._advance(self._parser)

    def close(self) -> None:
        """Take it that no more text comes: every open read ends."""
        self._closed = True
        reads, self._reads = self._reads, []
        for _, end in reads:
            end()

    def _parsed(self) -> ArgumentsParser:
        if self._parser is None:
            self._parser = ArgumentsParser()
            self._parser.receive(self.text)
        return self._parser

    def _begin(self, read: _Read, end: Callable[[], None]) -> None:
        if read(self._parsed()) or self._closed:
            end()
        else:
            self._reads.append((read, end))

    def _advance(self, parser: ArgumentsParser) -> None:
        still_open: list[tuple[_Read, Callable[[], None]]] = []
        for read, end in self._reads:
            if read(parser):
                end()
            else:
                still_open.append((read, end))
        self._reads = still_open


def _copy(value: Any) -> Any:
    return copy_json(value) if isinstance(value, (dict, list)) else value


class CallReader:
    """One call as its tool sees it."""

    def __init__(self, tool_call_id: str) -> None:
        self.tool_call_id: str = tool_call_id
        self.args: ArgumentsReader = ArgumentsReader()
        self._response: Latch[ToolResponse] = Latch()
        self._deltas: list[Stream[str]] = []
        self._events: list[Stream[ReaderEvent]] = []
        self._ended: bool = False

    @property
    def text(self) -> str:
        """The arguments' JSON text so far."""
        return self.args.text

    def deltas(self) -> Stream[str]:
        """The text in the pieces in which it came: what is there, then what comes."""
        out: Stream[str] = Stream()
        if self.args.text:
            out.put(self.args.text)
        if self.args.done:
            out.close()
        else:
            self._deltas.append(out)
        return out

    async def response(self) -> ToolResponse:
        """The one response of the call, whoever gave it."""
        return await self._response

    async def result(self) -> Any:
        """The result that the response carries."""
        return (await self._response).result

    def events(self) -> Stream[ReaderEvent]:
        """Everything that happens to the call, also after its response.

        What had happened before comes first, in short: the text in one piece.
        """
        out: Stream[ReaderEvent] = Stream()
        self._events.append(out)
        if self.args.text:
            out.put(ArgsDelta(self.args.text))
        if self.args.done:
            out.put(ArgsDone())
        if self._ended:
            out.close()
        return out

    # ------------------------------------------------------------ for the tracker

    @property
    def finished(self) -> bool:
        """Whether everything was said, and nobody asked for the events after it."""
        return self.args.done and self._response.done and not self._events

    def receive(self, delta: str) -> None:
        """Take the next piece of the arguments."""
        self.args.receive(delta)
        for stream in self._deltas:
            stream.put(delta)
        if self._events:
            self.tell(ArgsDelta(delta))

    def close_arguments(self) -> None:
        """Take it that the arguments are at their end."""
        if self.args.done:
            return
        self.args.close()
        for stream in self._deltas:
            stream.close()
        self._deltas.clear()
        self.tell(ArgsDone())

    def respond(self, response: ToolResponse) -> None:
        """Take the response; only the first one counts."""
        if self._response.set(response):
            self.tell(Answered(response))

    def tell(self, event: ReaderEvent) -> None:
        """Show an event to whoever iterates over them."""
        for stream in self._events:
            stream.put(event)

    def end(self, reason: str, response: ToolResponse | None = None) -> None:
        """Let nobody wait for ever: nothing more will be heard of the call."""
        self.close_arguments()
        if response is not None:
            self.respond(response)
        self.tell(Ended(reason))
        self._ended = True
        for stream in self._events:
            stream.close()
