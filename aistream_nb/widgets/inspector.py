"""The inspector: a stream that can be stopped between two events, and its judgement.

Beside the transcript of the position it shows the list of events (only the rows that
the page asks for), what was open when, and every violation with its meaning and fix.
The widget knows a :class:`Source` and one callback; moving about is the source's work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from aistream_nb.core.ordering.verifier import OrderingVerifier
from aistream_nb.core.values import Event
from aistream_nb.widgets.base import Refusal, StreamWidget
from aistream_nb.widgets.bundles import find_bundle
from aistream_nb.widgets.display_text import row_of, snippet_of
from aistream_nb.widgets.frames import FrameEncoder
from aistream_nb.widgets.ghost import ghost_of
from aistream_nb.widgets.mirror import fitting
from aistream_nb.widgets.pulse import PULSE, Pulse
from aistream_nb.widgets.spans import SpanTracker
from aistream_nb.widgets.view_model import ConversationLike, clean
from aistream_nb.widgets.wire import (
    Action,
    EventAction,
    Frame,
    RowsAction,
    StoryAction,
)
from aistream_nb.widgets.wire_inspector import (
    EventDetail,
    EventRow,
    GhostView,
    PutInspect,
    Rows,
    Story,
    ViolationView,
)
from aistream_nb.widgets.wire_views import ConversationView, InspectView, RunView

__all__ = ["InspectorWidget", "Source"]

_BUNDLE: Final = find_bundle("inspector")
_SNAPSHOT_LIMIT: Final = 4_000_000
_STATE_LIMIT: Final = 200_000
_DETAIL_LIMIT: Final = 200_000
_RANK: Final = ("dialect", "info", "warning", "error", "fatal")

OnAction: TypeAlias = Callable[[Action], Refusal | None]


class Source(Protocol):
    """What an inspector looks at."""

    @property
    def events(self) -> Sequence[Event]:
        """All events so far."""
        ...

    @property
    def times(self) -> Sequence[float | None]:
        """Seconds of each event since the first, where they are known."""
        ...

    @property
    def violations(self) -> Sequence[ViolationView]:
        """Everything that was found so far."""
        ...

    @property
    def position(self) -> int:
        """How many events have been folded."""
        ...

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        ...

    @property
    def speed(self) -> float:
        """How fast it plays."""
        ...

    @property
    def live(self) -> bool:
        """Whether events are still coming."""
        ...

    @property
    def conversation(self) -> ConversationLike:
        """The fold of the events up to the position."""
        ...

    def new_verifier(self) -> OrderingVerifier:
        """One that judges as the violations were found, for trying what mends them."""
        ...


class InspectorWidget(StreamWidget):
    """A view of a stream at any of its events.

    Args:
        source: What to look at.
        on_action: Does what a person asked for: to seek, to play, to pause.
        pulse: The beat that batches are sent with; for tests.
    """

    _esm: ClassVar[Any] = _BUNDLE.esm
    _css: ClassVar[Any] = _BUNDLE.css

    def __init__(
        self, source: Source, *, on_action: OnAction, pulse: Pulse = PULSE
    ) -> None:
        self._source = source
        self._on_action = on_action
        self._spans = SpanTracker()
        self._tracked = 0
        self._inspect = InspectView()
        self._searched: list[str] = []
        self._encoder = FrameEncoder(
            # What is folded at once says nothing of how long it took.
            source.conversation,
            read_run=self._read_run,
            clock=lambda: 0.0,
        )
        self._take()  # the mirror starts where the snapshot will
        super().__init__(pulse=pulse)
        self._unsubscribe = source.conversation.subscribe(self._changed)

    def close(self) -> None:
        """Stop listening, and take the widget off every page."""
        self._unsubscribe()
        self._pulse.forget(self.flush)
        super().close()

    def moved(self) -> None:
        """Say that the position, the events or the violations changed."""
        self.request_flush(urgent=True)

    # ------------------------------------------------------------ down

    def _changed(self, change: Any) -> None:
        with self._lock:
            self._encoder.note(change)
        self.request_flush()

    def _take(self) -> tuple[Frame, ...]:
        frames = self._encoder.take()
        inspect = self._view()
        if inspect == self._inspect:
            return frames
        self._inspect = inspect
        return (*frames, PutInspect(inspect=inspect))

    def _compose(self) -> ConversationView:
        view = fitting(self._encoder.snapshot(), limit=_SNAPSHOT_LIMIT)
        return view.model_copy(update={"inspect": self._inspect})

    def _view(self) -> InspectView:
        source = self._source
        return InspectView(
            count=len(source.events),
            position=source.position,
            playing=source.playing,
            speed=source.speed,
            live=source.live,
            state=_state_text(getattr(source.conversation, "state", None)),
        )

    def _read_run(self) -> RunView:
        conversation = self._source.conversation
        error = conversation.error
        return RunView(
            status=conversation.status, error=clean(str(error)) if error else None
        )

    # ------------------------------------------------------------ up

    def _act(self, action: Action) -> Refusal:
        match action:
            case RowsAction():
                self._tell(self._rows(action))
            case StoryAction():
                self._tell(self._story())
            case EventAction():
                return self._tell_event(action.index)
            case _:
                return self._on_action(action) or ""
        return ""

    def _rows(self, action: RowsAction) -> Rows:
        row = self._row_reader()
        passing = self._passing(action.filter.strip().lower(), row)
        shown = passing[action.start : action.start + action.count]
        return Rows(
            filter=action.filter,
            start=action.start,
            total=len(passing),
            rows=tuple(row(index) for index in shown),
        )

    def _row_reader(self) -> Callable[[int], EventRow]:
        """Makes rows; what is the same for all of them is looked up once."""
        events, times, worst = self._source.events, self._source.times, self._worst()

        def row(index: int) -> EventRow:
            return row_of(
                events[index],
                index=index,
                seconds=times[index] if index < len(times) else None,
                violation=worst.get(index),
            )

        return row

    def _passing(self, wanted: str, row: Callable[[int], EventRow]) -> Sequence[int]:
        """The events that pass a filter; what is looked through is made once."""
        count, texts, words = len(self._source.events), self._searched, wanted.split()
        if not words:
            return range(count)
        if len(texts) > count:
            texts.clear()
        texts.extend(_searched(row(index)) for index in range(len(texts), count))
        passing = range(count)
        for word in words:
            passing = [index for index in passing if word in texts[index]]
        return passing

    def _worst(self) -> dict[int, ViolationView]:
        worst: dict[int, ViolationView] = {}
        for violation in self._source.violations:
            known = worst.get(violation.index)
            if known is None or _rank(violation) > _rank(known):
                worst[violation.index] = violation
        return worst

    def _story(self) -> Story:
        events = self._source.events
        if len(events) < self._tracked:
            self._spans, self._tracked = SpanTracker(), 0
        for event in events[self._tracked :]:
            self._spans.receive(event)
        self._tracked = len(events)
        return Story(
            count=len(events),
            spans=self._spans.spans,
            violations=tuple(self._source.violations),
        )

    def _tell_event(self, index: int) -> Refusal:
        events = self._source.events
        if index >= len(events):
            return "There is no such event."
        text = "" if index < 0 else _pretty(events[index])
        violation = self._worst().get(index)
        self._tell(
            EventDetail(
                index=index,
                json_text=clean(text[:_DETAIL_LIMIT]),
                snippet=snippet_of(events, violation) if violation else "",
                ghost=self._ghost(violation) if violation else None,
            )
        )
        return ""

    def _ghost(self, violation: ViolationView) -> GhostView | None:
        source = self._source
        return ghost_of(source.events, violation, new_verifier=source.new_verifier)


def _pretty(event: Event) -> str:
    return json.dumps(event, ensure_ascii=False, indent=2, default=str)


def _searched(row: EventRow) -> str:
    """What the words of a filter are looked for in."""
    return f"{row.type} {row.id} {row.rule} {row.level or ''} {_kinds(row)}".lower()


_KINDS: Final = {
    "TEXT": "text",
    "TOOL": "call",
    "REASONING": "thought",
    "THINKING": "thought",
    "RUN": "run",
    "STEP": "run",
    "SUBAGENT": "run",
    "STATE": "state",
    "MESSAGES": "state",
    "ACTIVITY": "state",
}
"""The first word of a type, and the kind that the page offers to choose."""


def _kinds(row: EventRow) -> str:
    kind = _KINDS.get(row.type.partition("_")[0], "other")
    return f"kind:{kind}{' kind:wrong' if row.level else ''}"


def _rank(violation: ViolationView) -> int:
    return _RANK.index(violation.level)


def _state_text(state: object) -> str | None:
    if state is None:
        return None
    return clean(json.dumps(state, ensure_ascii=False, default=str)[:_STATE_LIMIT])
