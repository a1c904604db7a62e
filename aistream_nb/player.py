"""Player: a recording in a cell, with the same traits and views as a live chat.

Where the player stands is a number, :attr:`Player.position`: how many events have
been folded. Everything shown is the fold of those events and nothing else, so two
players at the same position show the same, whichever way they got there.

Going back is folding again from the start, over a prefix whose neighbouring deltas
are joined: the cost grows with what the conversation holds, not with its tokens.
Nothing is run here, no tool and no request; see :func:`aistream_nb.testing.replay`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from aistream_nb.conversation import Conversation
from aistream_nb.core.values import Event
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording
from aistream_nb.widgets.forms import forms_of

if TYPE_CHECKING:
    from aistream_nb.widgets.player import PlayerWidget

__all__ = ["Playback", "Player"]

_BETWEEN_LOOPS: Final = 1.0
"""Seconds that the end is shown before a loop begins again."""
_LONGEST_PAUSE: Final = 3.0
"""Seconds that a gap in a recording is shown at most; a person may have had lunch."""


class Playback:
    """A recording that plays; await it to wait for its end."""

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


class Player:
    """Shows a recording, at any of its events.

    Args:
        recording: A recording, or the path of a file that holds one: JSONL of ours,
            server-sent events, or AG-UI events as JSON.
        sleep: Waits so many seconds; for tests.

    Raises:
        RecordingError: The file cannot be read.

    >>> player = Player(
    ...     Recording.of(
    ...         [
    ...             {
    ...                 "type": "TEXT_MESSAGE_START",
    ...                 "messageId": "m",
    ...                 "role": "assistant",
    ...             },
    ...             {
    ...                 "type": "TEXT_MESSAGE_CONTENT",
    ...                 "messageId": "m",
    ...                 "delta": "Hello",
    ...             },
    ...             {
    ...                 "type": "TEXT_MESSAGE_CONTENT",
    ...                 "messageId": "m",
    ...                 "delta": " there",
    ...             },
    ...         ]
    ...     )
    ... )
    >>> player.seek(2)
    >>> player.conversation.messages[-1].text, player.last_event["type"]
    ('Hello', 'TEXT_MESSAGE_CONTENT')
    """

    def __init__(
        self,
        recording: Recording | str | PathLike[str],
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        loaded = recording if isinstance(recording, Recording) else None
        self.recording: Recording = loaded or Recording.load(str(recording))
        entries = [e for e in self.recording.entries if e.event is not None]
        self._times = tuple(entry.t for entry in entries)
        self._events: tuple[Event, ...] = self.recording.events
        self._sleep = sleep
        self._position = 0
        self._playing: asyncio.Task[None] | None = None
        self._widget: PlayerWidget | None = None
        self.speed: float = 1.0
        """How many times faster than recorded it plays."""
        self.conversation: Conversation = Conversation()

    # ------------------------------------------------------------ where we are

    def __len__(self) -> int:
        return len(self._events)

    @property
    def events(self) -> tuple[Event, ...]:
        """All events of the recording."""
        return self._events

    @property
    def position(self) -> int:
        """How many events have been folded, from 0 to ``len(player)``."""
        return self._position

    @property
    def last_event(self) -> Event | None:
        """The event that was folded last, or ``None`` at the start."""
        return self._events[self._position - 1] if self._position else None

    @property
    def ending(self) -> str:
        """Where the recording ends: ``finished``, ``failed``, or where it was cut."""
        return self.recording.ending

    @property
    def playing(self) -> bool:
        """Whether the recording is playing."""
        return self._playing is not None and not self._playing.done()

    # ------------------------------------------------------------ moving

    def seek(self, position: int) -> None:
        """Show the conversation as it was after ``position`` events.

        A position outside the recording means its nearest end; a negative one counts
        from the end, as in a list.
        """
        wanted = position + len(self) if position < 0 else position
        wanted = max(0, min(wanted, len(self)))
        if wanted < self._position:
            self.conversation.reset()
            prefix = Recording.of(self._events[:wanted]).compact()
            self.conversation.receive_all(prefix.events)
        else:
            self.conversation.receive_all(self._events[self._position : wanted])
        if wanted == len(self) and wanted != self._position:
            self._tell_the_cut()
        self._position = wanted
        self._tell()

    def _tell_the_cut(self) -> None:
        """A run that a crash cut off has failed: nothing of it is going on any more."""
        if self.ending.startswith("cut off"):
            words = f"the recording is {self.ending}"
            self.conversation.receive({"type": "RUN_ERROR", "message": words})

    def step(self, count: int = 1) -> Event | None:
        """Go so many events on, or back; the answer is the event we are at."""
        self.seek(max(0, self._position + count))
        return self.last_event

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
                "player.play needs a running event loop, as a notebook has. "
                "Use player.seek(n) or player.step() elsewhere."
            ) from None
        self.pause()
        if self._position == len(self):
            self.seek(0)
        self.speed = speed
        playing = self._playing = running.create_task(self._play(speed, loop=loop))
        playing.add_done_callback(lambda _done: self._tell())
        self._tell()
        return Playback(playing)

    def pause(self) -> None:
        """Stop playing; the position stays."""
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None
            self._tell()

    async def _play(self, speed: float, *, loop: bool) -> None:
        while self._position < len(self):
            before = self._times[self._position - 1] if self._position else 0.0
            gap = max(0.0, self._times[self._position] - before)
            await self._sleep(min(gap, _LONGEST_PAUSE) / speed)
            self.step()
            if loop and self._position == len(self):
                await self._sleep(_BETWEEN_LOOPS / speed)
                self.seek(0)

    # ------------------------------------------------------------ showing

    def _tell(self) -> None:
        if self._widget is not None:
            self._widget.moved()

    def __repr__(self) -> str:
        cut = f", {self.ending}" if self.ending.startswith("cut off") else ""
        where = f"{self._position} of {len(self)} events"
        return f"Player({self.recording.name!r}, {where}{cut})"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return forms_of(self.conversation, self._view)

    def _view(self) -> PlayerWidget:
        if self._widget is None:
            from aistream_nb.widgets.player import (  # noqa: PLC0415 # a script has no view
                PlayerWidget,
            )

            self._widget = PlayerWidget(self, on_action=self._act)
        return self._widget

    def _act(self, action: Any) -> str:
        perform = self._ACTIONS.get(action.type)
        if perform is None:
            return "A recording can only be played."
        perform(self, action)
        return ""

    def _seek_action(self, action: Any) -> None:
        self.pause()
        self.seek(action.index)

    def _play_action(self, action: Any) -> None:
        self.speed = action.speed
        if action.playing:
            self.play(action.speed)
        else:
            self.pause()
            self._tell()

    _ACTIONS: Mapping[str, Callable[..., None]] = {
        "seek": _seek_action,
        "play": _play_action,
    }
