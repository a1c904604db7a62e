"""Inspector: a stream that can be stopped between two events, and why it is wrong.

:class:`Inspector` folds the events up to a position into a conversation of its own,
and has every event judged by the
:class:`~aistream_nb.core.ordering.OrderingVerifier`. It looks at events at hand, at a
recording, at a file, or at something that is still running and has a recording (a
chat): then new events are taken in as they come, and the position stays with the end
as long as it is there.

Nothing is run here: no tool and no request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from aistream_nb.conversation import Conversation
from aistream_nb.core.ordering.rules import Profile
from aistream_nb.core.ordering.verifier import RULES, OrderingVerifier, Violation
from aistream_nb.core.values import Event
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording
from aistream_nb.recording.compaction import compact_entries
from aistream_nb.recording.entries import Entry
from aistream_nb.widgets.forms import forms_of
from aistream_nb.widgets.wire_inspector import ViolationView

if TYPE_CHECKING:
    from aistream_nb.widgets.inspector import InspectorWidget
    from aistream_nb.widgets.wire import Action

__all__ = ["Inspector"]

_SEGMENT: Final = 100
"""Events that are joined at once."""
_LONGEST_PAUSE: Final = 3.0
_SHORTEST_PAUSE: Final = 0.02
_NO_TIME_PAUSE: Final = 0.25
"""Seconds between events that carry no times: a pace to follow with the eyes."""


class Inspector:
    """Shows a stream at any of its events, and every violation of the order.

    Args:
        source: Events, a recording, the path of one, or a chat.
        profile: How much is shown, as for ``check_ordering``.

    Raises:
        RecordingError: The file cannot be read.

    >>> inspector = Inspector(
    ...     [
    ...         {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    ...         {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"},
    ...         {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    ...     ]
    ... )
    >>> inspector.seek(2)
    >>> inspector.last_event["type"], inspector.violations[-1].rule
    ('TEXT_MESSAGE_CONTENT', 'text.content_unopened')
    """

    def __init__(self, source: Any, *, profile: Profile = "teach") -> None:
        self._chat = source if hasattr(source, "conversation") else None
        self._recording = _recording_of(source)
        self._verifier = OrderingVerifier(profile=profile)
        self._ending: tuple[Violation, ...] = ()
        self._events: tuple[Event, ...] = ()
        self._segments: list[tuple[Event, ...]] = []
        self._position = 0
        self._playing: asyncio.Task[None] | None = None
        self._widget: InspectorWidget | None = None
        self.speed: float = 1.0
        """How many times faster than recorded it plays."""
        self.conversation: Conversation = Conversation()
        """The fold of the events up to the position."""
        self._absorb()
        if self._chat is None:
            self._ending = self._verifier.close()
        else:
            self._chat.conversation.subscribe(self._grew)

    # ------------------------------------------------------------ where we are

    def __len__(self) -> int:
        return len(self._events)

    def __repr__(self) -> str:
        found = len(self.violations)
        return f"Inspector({self._position} of {len(self)} events, {found} violations)"

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far."""
        return self._events

    @property
    def times(self) -> Sequence[float | None]:
        """Seconds of each event since the first; ``None`` where nothing is known."""
        entries = [e.t for e in self._recording.entries if e.event is not None]
        known = any(entries)
        return [at - entries[0] if known else None for at in entries]

    @property
    def violations(self) -> tuple[ViolationView, ...]:
        """Everything that was found so far, with its meaning and its fix."""
        return tuple(_view(found) for found in self._verifier.violations)

    @property
    def position(self) -> int:
        """How many events have been folded, from 0 to ``len(inspector)``."""
        return self._position

    @property
    def last_event(self) -> Event | None:
        """The event that was folded last, or ``None`` at the start."""
        return self._events[self._position - 1] if self._position else None

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._playing is not None and not self._playing.done()

    @property
    def live(self) -> bool:
        """Whether events may still come."""
        return self._chat is not None

    # ------------------------------------------------------------ moving

    def seek(self, position: int) -> None:
        """Go to where so many events have been folded; negative counts from the end."""
        wanted = position + len(self) if position < 0 else position
        wanted = max(0, min(wanted, len(self)))
        if wanted < self._position:
            self.conversation.reset()
            whole, rest = divmod(wanted, _SEGMENT)
            for number in range(whole):
                self.conversation.receive_all(self._segment(number))
            self.conversation.receive_all(self._events[wanted - rest : wanted])
        else:
            self.conversation.receive_all(self._events[self._position : wanted])
        self._position = wanted
        self._tell()

    def _segment(self, number: int) -> tuple[Event, ...]:
        """The events of one segment with neighbouring deltas joined, made once.

        Going back folds these, so that it costs what the stream says and not how
        finely it was cut.
        """
        while len(self._segments) <= number:
            start = len(self._segments) * _SEGMENT
            entries = [
                Entry(0.0, "event", event)
                for event in self._events[start : start + _SEGMENT]
            ]
            joined = (entry.event for entry in compact_entries(entries))
            self._segments.append(tuple(event for event in joined if event is not None))
        return self._segments[number]

    def step(self, count: int = 1) -> Event | None:
        """Go so many events on, or back; the answer is the event we are at."""
        self.seek(max(0, self._position + count))
        return self.last_event

    def play(self, speed: float = 1.0) -> asyncio.Task[None]:
        """Play from here to the end; returns at once, await the answer to wait.

        Raises:
            AIStreamError: No event loop runs here, or the speed is not positive.
        """
        if not speed > 0:
            raise AIStreamError(f"speed={speed!r} must be positive, such as 1 or 4.")
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise AIStreamError(
                "inspector.play needs a running event loop, as a notebook has. "
                "Use inspector.seek(n) or inspector.step() elsewhere."
            ) from None
        self.pause()
        if self._position == len(self):
            self.seek(0)
        self.speed = speed
        playing = self._playing = loop.create_task(self._play(speed))
        playing.add_done_callback(lambda _done: self._tell())
        self._tell()
        return playing

    def pause(self) -> None:
        """Stop playing; the position stays."""
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None
            self._tell()

    async def _play(self, speed: float) -> None:
        times = self.times
        while self._position < len(self):
            await asyncio.sleep(_pause(times, self._position) / speed)
            self.step()

    # ------------------------------------------------------------ growing

    def _grew(self, _change: object) -> None:
        at_end = self._position == len(self)
        self._absorb()
        if at_end:
            self.seek(len(self))
        else:
            self._tell()

    def _absorb(self) -> None:
        """Take in what the recording has and we have not."""
        known = len(self._events)
        self._events = self._recording.events
        for event in self._events[known:]:
            self._verifier.receive(event)

    def _tell(self) -> None:
        if self._widget is not None:
            self._widget.moved()

    # ------------------------------------------------------------ showing

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return forms_of(self.conversation, self.widget)

    def widget(self) -> InspectorWidget:
        """The widget, made at the first call."""
        if self._widget is None:
            from aistream_nb.widgets.inspector import (  # noqa: PLC0415 # a script has no view
                InspectorWidget,
            )

            self._widget = InspectorWidget(self, on_action=self._act)
        return self._widget

    def _act(self, action: Action) -> str:
        match action.type:
            case "seek":
                self.pause()
                self.seek(action.index)
            case "play" if action.playing:
                self.play(action.speed)
            case "play":
                self.pause()
            case _:
                return "An inspector only looks."
        return ""


def _recording_of(source: Any) -> Recording:
    recording = getattr(source, "recording", source)
    if isinstance(recording, Recording):
        return recording
    if isinstance(source, (str, PathLike)):
        return Recording.load(str(source))  # pyright: ignore[reportUnknownArgumentType] # any path
    events: Iterable[object] = source
    return Recording.of(events)


def _pause(times: Sequence[float | None], position: int) -> float:
    """Seconds to wait before the event at a position."""
    now = times[position]
    before = times[position - 1] if position else now
    if now is None or before is None:
        return _NO_TIME_PAUSE
    return max(_SHORTEST_PAUSE, min(now - before, _LONGEST_PAUSE))


def _view(found: Violation) -> ViolationView:
    rule = RULES.get(found.rule)
    return ViolationView(
        rule=found.rule,
        level=found.level,
        index=found.index,
        event_type=found.event_type,
        message=found.message,
        expected=found.expected,
        fix=found.hint,
        meaning=rule.meaning if rule else "",
        opened_at=found.opened_at,
        caused_by=found.caused_by,
    )
