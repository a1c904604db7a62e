"""The view of a recording: the transcript at a position, and a bar to move it.

The widget knows a :class:`Source` and one callback; moving about is the source's
work. Nothing can be decided here: a question of a recording was answered long ago, so
its card has no buttons.
"""

from __future__ import annotations

from typing import Any, Protocol

from aistream_nb.widgets.pulse import PULSE, Pulse
from aistream_nb.widgets.transcript import OnAction, TranscriptWidget
from aistream_nb.widgets.view_model import CallLike, ConversationLike, view_call
from aistream_nb.widgets.wire import Frame
from aistream_nb.widgets.wire_inspector import PutInspect
from aistream_nb.widgets.wire_views import CallView, ConversationView, InspectView

__all__ = ["PlayerWidget", "Source"]


class Source(Protocol):
    """What a player plays."""

    @property
    def conversation(self) -> ConversationLike:
        """The fold of the events up to the position."""
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

    def __len__(self) -> int:
        """How many events there are."""
        ...


class PlayerWidget(TranscriptWidget):
    """A transcript with play, step and a slider.

    Args:
        source: What to play.
        on_action: Does what a person asked for: to seek, to play, to pause.
        pulse: The beat that batches are sent with; for tests.
    """

    def __init__(
        self, source: Source, *, on_action: OnAction, pulse: Pulse = PULSE
    ) -> None:
        self._source = source
        self._inspect = self._place()
        # What is folded at once says nothing of how long it took.
        super().__init__(
            source.conversation, on_action=on_action, pulse=pulse, clock=lambda: 0.0
        )

    def moved(self) -> None:
        """Say that the position changed, or that it plays or stopped."""
        self.request_flush(urgent=True)

    def _read_call(self, call: CallLike) -> CallView:
        return view_call(call)

    def _take(self) -> tuple[Frame, ...]:
        frames = super()._take()
        place = self._place()
        if place == self._inspect:
            return frames
        self._inspect = place
        return (*frames, PutInspect(inspect=place))

    def _compose(self) -> ConversationView:
        return super()._compose().model_copy(update={"inspect": self._inspect})

    def _place(self) -> InspectView:
        source: Any = self._source
        return InspectView(
            count=len(source),
            position=source.position,
            playing=source.playing,
            speed=source.speed,
        )
