"""ai.show: any stream of AG-UI events in a cell, wherever it comes from.

An agent of another framework in this kernel, the answer of a server, a list, a file:
what yields events can be watched like a chat. Nothing is run and nothing is sent.

Rules that a change here must keep:

1. What had arrived stays, whatever the source does then: a source that raises, ends
   too early or is stopped ends the run that is shown, and says why.
2. Events are folded and judged as they came. What ends a broken run is not one of
   them: it is in no violation and in no :attr:`Shown.events`.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, Awaitable, Generator, Iterable, Mapping
from os import PathLike
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from aistream_nb.conversation import Conversation
from aistream_nb.core.counted import counted
from aistream_nb.core.json_text import parse_json
from aistream_nb.core.ordering.verifier import (
    DialectChoice,
    OrderingVerifier,
    Violation,
)
from aistream_nb.core.values import Event, is_mapping
from aistream_nb.core.wire.events import as_event
from aistream_nb.core.wire.frame_readers import FrameReader, frames_of_body
from aistream_nb.core.wire.frames import Frame
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording
from aistream_nb.widgets.forms import forms_of
from aistream_nb.widgets.kernel import cell_wait, quiet_interrupt

if TYPE_CHECKING:
    from aistream_nb.widgets.transcript import TranscriptWidget

__all__ = ["Shown", "Source", "show"]

Source: TypeAlias = (
    Iterable[Any]
    | AsyncIterable[Any]
    | Awaitable[Any]
    | Recording
    | str
    | bytes
    | PathLike[str]
)
"""Whatever holds events, or gives them one by one."""


class _Conversing(Protocol):
    """A chat, a player: what has a conversation, and shows it."""

    conversation: Conversation


Showable = TypeVar("Showable", bound=_Conversing)

_STOPPED: Final = "Stopped. What had arrived is kept."
_CUT: Final = "The stream ended in the middle of the run."


@overload
def show(source: Showable, *, dialect: DialectChoice = "official") -> Showable: ...


@overload
def show(source: Source, *, dialect: DialectChoice = "official") -> Shown: ...


def show(source: Any, *, dialect: DialectChoice = "official") -> Any:
    """A conversation view of the events of ``source``.

    Args:
        source: An iterable, an async iterable, or what such a one can be awaited
            from; its items are mappings, JSON lines, objects of an AG-UI SDK, or
            pieces of a body of server-sent events. Or a whole body, a recording, or the
            path of a file that holds one.
        dialect: What the order is judged as; ``tanstack`` for TanStack AI.

    Events that are there are shown at once. An asynchronous source is read in the
    background where an event loop runs, as in a notebook; ``await`` the answer to
    wait for its end.

    What shows a conversation by itself, such as a chat or a player, is given back.

    Raises:
        RecordingError: The file cannot be read.
        AIStreamError: There can be no events in the source.

    >>> shown = show(
    ...     [
    ...         {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    ...         {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Hello"},
    ...         {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    ...     ]
    ... )
    >>> shown.conversation.messages[-1].text, shown.conversation.status
    ('Hello', 'finished')
    """
    if isinstance(getattr(source, "conversation", None), Conversation):
        return source
    shown = Shown(dialect=dialect)
    if not _may_give_events(source):
        raise AIStreamError(
            f"There are no events in {source!r:.60} of type {type(source).__name__}. "
            "show takes what yields events: a list, an iterator, an async iterator, "
            "a recording, a body, or the path of a file."
        )
    if isinstance(source, str) and source.lstrip().startswith(("{", "data:")):
        source = source.encode("utf-8", "surrogatepass")
    if isinstance(source, str) or hasattr(source, "__fspath__"):
        source = Recording.load(str(source))
    if isinstance(source, Recording):
        source = source.events
    if isinstance(source, bytes):
        source = (source,)
    shown.read(source)
    return shown


def _may_give_events(source: object) -> bool:
    kinds = (Iterable, AsyncIterable, Recording, PathLike)
    return isinstance(source, kinds) or inspect.isawaitable(source)


class Shown:
    """Events that are shown, and how far they are. Await it to wait for the end."""

    def __init__(self, *, dialect: DialectChoice = "official") -> None:
        self.conversation: Conversation = Conversation()
        self.error: Exception | None = None
        """What the source raised, if it did."""
        self._intake = _Intake()
        self._verifier = OrderingVerifier(dialect=dialect)
        self._events: list[Event] = []
        self._task: asyncio.Task[None] | None = None
        self._waits: AsyncIterable[Any] | Awaitable[Any] | None = None
        self._done = False
        self._widget: TranscriptWidget | None = None

    # ------------------------------------------------------------ looking

    @property
    def events(self) -> tuple[Event, ...]:
        """The events so far."""
        return tuple(self._events)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Where they break the AG-UI order."""
        return self._verifier.violations

    @property
    def done(self) -> bool:
        """Whether the source has ended."""
        return self._done

    def __repr__(self) -> str:
        how = "ended" if self._done else "going on"
        return f"<shown: {counted(len(self._events), 'event')}, {how}>"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return forms_of(self.conversation, self._view)

    def _view(self) -> TranscriptWidget:
        if self._widget is None:
            from aistream_nb.widgets.transcript import (  # noqa: PLC0415 # a script has no view
                Abilities,
                TranscriptWidget,
            )

            self._widget = TranscriptWidget(
                self.conversation,
                on_action=self._act,
                abilities=Abilities(stop=self._task is not None),
            )
        return self._widget

    def _act(self, action: Any) -> str:
        if action.type != "stop":
            return "Events that are shown can only be stopped."
        if self._task is None or self._done:
            return "Nothing is running."
        self._task.get_loop().call_soon_threadsafe(self.stop)
        return ""

    # ------------------------------------------------------------ reading

    def read(self, source: Iterable[Any] | AsyncIterable[Any] | Awaitable[Any]) -> None:
        """Read a source: at once, or in the background if it is asynchronous."""
        if not isinstance(source, AsyncIterable) and not inspect.isawaitable(source):
            self._read_now(source)
            return
        self._waits = source
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # it is read when somebody awaits
        self._task = loop.create_task(self._read_on(source))
        # Whoever awaits still gets the error; the conversation shows it anyway.
        self._task.add_done_callback(_seen)

    def stop(self) -> None:
        """Read no more; what had arrived is kept."""
        if self._task is not None:
            self._task.cancel()

    def __await__(self) -> Generator[Any, None, Shown]:
        return self.wait().__await__()

    async def wait(self) -> Shown:
        """Itself, once the source has ended; for ``asyncio.run`` in a script.

        Raises:
            Exception: Whatever the source raised.
        """
        if self._task is None and self._waits is not None:
            self.read(self._waits)
        if self._task is not None:
            with quiet_interrupt(_STOPPED), cell_wait():
                await asyncio.wait([self._task])
        if self.error is not None:
            raise self.error
        return self

    def _read_now(self, source: Iterable[Any]) -> None:
        try:
            for item in source:
                self._take(item)
        except Exception as error:  # noqa: BLE001 -- rule 1: a source may raise anything
            self.error = error
        self._end()

    async def _read_on(self, source: AsyncIterable[Any] | Awaitable[Any]) -> None:
        try:
            given: Any = await source if inspect.isawaitable(source) else source
            if isinstance(given, AsyncIterable):
                async for item in cast("AsyncIterable[Any]", given):
                    self._take(item)
            else:
                for item in given:
                    self._take(item)
        except asyncio.CancelledError:
            self._end(stopped=True)
            raise
        except Exception as error:  # noqa: BLE001 -- rule 1: a source may raise anything
            self.error = error
        self._end()

    def _take(self, item: Any) -> None:
        for found in self._intake.receive(item):
            self._fold(found)

    def _fold(self, found: object) -> None:
        if isinstance(found, Frame):
            for fault in found.faults:
                self._verifier.note(fault, index=found.index)
            if found.event is None:
                return
            found = found.event
        self._verifier.receive(found)
        self.conversation.receive(found)
        try:
            self._events.append(as_event(found))
        except (TypeError, ValueError):
            return  # the violation says what it is

    def _end(self, *, stopped: bool = False) -> None:
        for found in self._intake.close():
            self._fold(found)
        is_open = self._verifier.run_state == "running"
        self._verifier.close()
        self._done = True
        if is_open and stopped:
            cancelled = {"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}
            self.conversation.receive(cancelled)
        elif is_open or self.error is not None:
            self.conversation.receive({"type": "RUN_ERROR", "message": self._why()})

    def _why(self) -> str:
        if self.error is None:
            return _CUT
        return f"The source failed with {type(self.error).__name__}."


class _Intake:
    """Events, or frames that hold them, out of items in any form."""

    def __init__(self) -> None:
        self._frames: FrameReader | None = None
        self._rest = ""
        """The start of a JSON line, or nothing."""
        self._is_text = False

    def receive(self, item: object) -> Iterable[object]:
        if not isinstance(item, (str, bytes)):
            return (item,)
        if self._frames is None and not self._is_text:
            head = item if isinstance(item, str) else item.decode("utf-8", "replace")
            self._is_text = head.lstrip("\ufeff \t\r\n").startswith("{")
            self._frames = None if self._is_text else frames_of_body(_as_bytes(item))
        if self._frames is not None:
            return self._frames.receive(_as_bytes(item))
        return self._lines(_as_bytes(item).decode("utf-8", "surrogatepass"))

    def close(self) -> Iterable[object]:
        if self._frames is not None:
            return self._frames.close()
        rest, self._rest = self._rest.strip(), ""
        return (rest,) if rest else ()

    def _lines(self, text: str) -> list[object]:
        *lines, self._rest = (self._rest + text).split("\n")
        if _is_json_object(self._rest):
            # Many write one object per item and no line end.
            lines.append(self._rest)
            self._rest = ""
        return [line for line in lines if line.strip()]


def _as_bytes(item: str | bytes) -> bytes:
    return item.encode("utf-8", "surrogatepass") if isinstance(item, str) else item


def _is_json_object(text: str) -> bool:
    try:
        value: Mapping[str, Any] | object = parse_json(text)
    except ValueError:
        return False
    return is_mapping(value)


def _seen(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()
