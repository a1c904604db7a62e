"""Player: a recording in a cell, with the same traits and views as a live chat.

How one moves about in it, and what that costs, is told in
:mod:`aistream_nb.conversation.playhead`. Nothing is run here, no tool and no request;
see :func:`aistream_nb.testing.replay`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from aistream_nb.conversation.playhead import Playback, Playhead
from aistream_nb.core.counted import counted
from aistream_nb.recording import Recording
from aistream_nb.widgets.forms import forms_of

if TYPE_CHECKING:
    from aistream_nb.widgets.player import PlayerWidget

__all__ = ["Playback", "Player"]


class Player(Playhead):
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

    _NAME: ClassVar[str] = "player"

    def __init__(
        self,
        recording: Recording | str | PathLike[str],
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        super().__init__(sleep=sleep)
        loaded = recording if isinstance(recording, Recording) else None
        self.recording: Recording = loaded or Recording.load(str(recording))
        entries = [e for e in self.recording.entries if e.event is not None]
        self._extend(self.recording.events, [entry.t for entry in entries])
        self._widget: PlayerWidget | None = None

    @property
    def ending(self) -> str:
        """Where the recording ends: ``finished``, ``failed``, or where it was cut."""
        return self.recording.ending

    def _arrived(self) -> None:
        """A run that a crash cut off has failed: nothing of it is going on any more."""
        if self.ending.startswith("cut off"):
            words = f"the recording is {self.ending}"
            self.conversation.receive({"type": "RUN_ERROR", "message": words})

    # ------------------------------------------------------------ showing

    def _moved(self) -> None:
        if self._widget is not None:
            self._widget.moved()

    def __repr__(self) -> str:
        cut = f", {self.ending}" if self.ending.startswith("cut off") else ""
        where = f"{self._position} of {counted(len(self), 'event')}"
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
        return "" if self._steer(action) else "A recording can only be played."
