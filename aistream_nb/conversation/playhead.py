"""A place in a stream that can be moved: what players and inspectors have in common.

Rules that a change here must keep:

1. What is shown is the fold of the events before :attr:`Playhead.position` and nothing
   else, whichever way one came.
2. A seek folds no more than a stretch of events (:data:`STRETCH`), wherever it goes:
   every so often the conversation is kept, and it is put back from there. The first
   way through a stream is the one that folds it.
3. Nothing is run here: no tool and no request.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from aistream_nb.conversation.conversation import Conversation
from aistream_nb.core.values import Event
from aistream_nb.errors import AIStreamError
from aistream_nb.recording.compaction import compact_entries
from aistream_nb.recording.entries import Entry

__all__ = ["STRETCH", "Playback", "Playhead"]

STRETCH: Final = 100
"""Events between two states that are kept."""
_MESSAGES_PER_EVENT: Final = 4
"""A kept state points to each message; so many of them are worth one more event."""
_BETWEEN_LOOPS: Final = 1.0
"""Seconds that the end is shown before a loop begins again."""


class Playback:
    """A stream that plays; await it to wait for its end."""

    def __init__(self, task: asyncio.Task[None]) -> None:
        self._task = task

    @property
    def done(self) -> bool:
        """Whether it has stopped, at the end or before."""
        return self._task.done()

    def pause(self) -> None:
        """Stop where it is."""
        self._task.cancel()

    def __await__(self) -> Generator[Any, None, None]:
        # A pause is not a failure for who waits.
        return asyncio.wait([self._task]).__await__()  # pyright: ignore[reportReturnType] - the pair of sets is not for the caller


class Playhead:
    """Folds events up to a position, and plays them.

    Args:
        sleep: Waits so many seconds; for tests.
    """

    _NAME: ClassVar[str]
    """What the object is called in a message."""
    _SHORTEST: ClassVar[float] = 0.0
    _LONGEST: ClassVar[float] = 3.0
    """Seconds that a gap is shown at most; a person may have had lunch."""
    _UNTIMED: ClassVar[float] = 0.02
    """Seconds between events that carry no times."""

    def __init__(
        self, *, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._events: list[Event] = []
        self._told: tuple[Event, ...] = ()
        self._times: list[float] = []
        self._position = 0
        self._sleep = sleep
        self._playing: asyncio.Task[None] | None = None
        self.speed: float = 1.0
        """How many times faster than recorded it plays."""
        self.conversation: Conversation = Conversation()
        """The fold of the events up to the position."""
        self._marks = [0]
        self._kept = [self.conversation.keep()]

    def _extend(self, events: Iterable[Event], times: Iterable[float]) -> None:
        self._events.extend(events)
        self._times.extend(times)

    # ------------------------------------------------------------ where we are

    def __len__(self) -> int:
        return len(self._events)

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far."""
        if len(self._told) != len(self._events):
            self._told = tuple(self._events)
        return self._told

    @property
    def times(self) -> Sequence[float | None]:
        """Seconds of each event since the first; ``None`` where nothing is known."""
        known = any(self._times)
        return [at - self._times[0] if known else None for at in self._times]

    @property
    def position(self) -> int:
        """How many events have been folded, from 0 to the number of all."""
        return self._position

    @property
    def last_event(self) -> Event | None:
        """The event that was folded last, or ``None`` at the start."""
        return self._events[self._position - 1] if self._position else None

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._playing is not None and not self._playing.done()

    # ------------------------------------------------------------ moving

    def seek(self, position: int) -> None:
        """Go to where ``position`` events have been folded.

        A position outside means the nearest end; a negative one counts from the end,
        as in a list.
        """
        wanted = position + len(self) if position < 0 else position
        wanted = max(0, min(wanted, len(self)))
        before = self._position
        self._jump(wanted)
        while self._position < wanted:
            self._advance(wanted)
        if wanted == len(self) != before:
            self._arrived()
        self._moved()

    def step(self, count: int = 1) -> Event | None:
        """Go so many events on, or back; the answer is the event we are at."""
        self.seek(max(0, self._position + count))
        return self.last_event

    def _jump(self, wanted: int) -> None:
        """Put back the last state that was kept on the way, if that is nearer."""
        at = bisect_right(self._marks, wanted) - 1
        mark = self._marks[at]
        if wanted < self._position or mark > self._position:
            self.conversation.put_back(self._kept[at])
            self._position = mark

    def _advance(self, wanted: int) -> None:
        """Fold up to the next place where the state may be kept."""
        start = self._position
        end = min(start - start % STRETCH + STRETCH, wanted)
        events = self._events[start:end]
        # A whole stretch is on the way to somewhere: it costs what it says, and not
        # how finely it was cut.
        whole = len(events) == STRETCH
        self.conversation.receive_all(_joined(events) if whole else events)
        self._position = end
        if end % STRETCH == 0 and end - self._marks[-1] >= self._distance:
            self._marks.append(end)
            self._kept.append(self.conversation.keep())

    @property
    def _distance(self) -> int:
        """Events between two states, so that all need no more room than the stream."""
        messages = len(self.conversation.messages)
        return max(STRETCH, messages // _MESSAGES_PER_EVENT)

    def _arrived(self) -> None:
        """All events have been folded."""

    def _moved(self) -> None:
        """The position changed, or it plays or stopped."""

    # ------------------------------------------------------------ playing

    def play(self, speed: float = 1.0, *, loop: bool = False) -> Playback:
        """Play from here to the end, as fast as it was recorded times ``speed``.

        At the end it starts over. Returns at once; await the answer to wait. With
        ``loop`` it plays again and again, until it is paused.

        Raises:
            AIStreamError: No event loop runs here, or the speed is not positive.
        """
        if not speed > 0:
            raise AIStreamError(f"speed={speed!r} must be positive, such as 1 or 4.")
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            raise AIStreamError(
                f"{self._NAME}.play needs a running event loop, as a notebook has. "
                f"Use {self._NAME}.seek(n) or {self._NAME}.step() elsewhere."
            ) from None
        self.pause()
        if self._position == len(self):
            self.seek(0)
        self.speed = speed
        playing = self._playing = running.create_task(self._play(loop=loop))
        playing.add_done_callback(lambda _done: self._moved())
        self._moved()
        return Playback(playing)

    def pause(self) -> None:
        """Stop playing; the position stays."""
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None
            self._moved()

    async def _play(self, *, loop: bool) -> None:
        timed = any(self._times)
        while self._position < len(self):
            gap = self._gap(self._position) if timed else self._UNTIMED
            await self._sleep(gap / self.speed)
            self.step()
            if loop and self._position == len(self):
                await self._sleep(_BETWEEN_LOOPS / self.speed)
                self.seek(0)

    def _gap(self, position: int) -> float:
        """Seconds to wait before the event at a position."""
        before = self._times[position - 1] if position else self._times[position]
        gap = self._times[position] - before
        return max(self._SHORTEST, min(gap, self._LONGEST))

    # ------------------------------------------------------------ steering

    def _steer(self, action: Any) -> bool:
        """Do what a view asks for; false if a stream cannot be steered like that."""
        perform = self._ACTIONS.get(action.type)
        if perform is not None:
            perform(self, action)
        return perform is not None

    def _seek_action(self, action: Any) -> None:
        self.pause()
        self.seek(action.index)

    def _play_action(self, action: Any) -> None:
        self.speed = action.speed
        if action.playing:
            self.play(action.speed)
        else:
            self.pause()
            self._moved()

    _ACTIONS: ClassVar[Mapping[str, Callable[..., None]]] = {
        "seek": _seek_action,
        "play": _play_action,
    }


def _joined(events: Iterable[Event]) -> Iterable[Event]:
    """The same in fewer events: neighbouring deltas are one."""
    entries = [Entry(0.0, "event", event) for event in events]
    return [entry.value for entry in compact_entries(entries)]
