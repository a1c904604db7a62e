"""The transcript: a conversation to watch, and the place to steer it.

The widget knows a conversation and one callback, never a chat: the same transcript
shows a live agent and a recording. What a person may do is said by
:class:`Abilities`; what they did reaches ``on_action``, after it was checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeAlias, cast

from aistream_nb.widgets.approval import ApprovalDesk
from aistream_nb.widgets.base import Refusal, StreamWidget
from aistream_nb.widgets.bundles import find_bundle
from aistream_nb.widgets.frames import FrameEncoder
from aistream_nb.widgets.mirror import fitting
from aistream_nb.widgets.pulse import PULSE, Pulse
from aistream_nb.widgets.static_html import to_html, to_text
from aistream_nb.widgets.view_model import (
    CallLike,
    ChangeLike,
    ConversationLike,
    clean,
)
from aistream_nb.widgets.wire import Action, DecideAction, Frame
from aistream_nb.widgets.wire_views import (
    CallView,
    ConversationView,
    RunStatus,
    RunView,
)

__all__ = ["Abilities", "OnAction", "TranscriptWidget", "display_bundle"]

OnAction: TypeAlias = Callable[[Action], Refusal | None]
"""Does what a person asked for; answers why not, or nothing."""

_BUNDLE: Final = find_bundle("transcript")
_LIVE: Final = frozenset({"running", "waiting"})
_SNAPSHOT_LIMIT: Final = 8_000_000
"""Characters of JSON in a snapshot; older messages are cut, with a note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What a person can do with this conversation."""

    send: bool = False
    stop: bool = False
    retry: bool = False


class TranscriptWidget(StreamWidget):
    """A live view of a conversation, with approval cards and a composer.

    Args:
        conversation: What to show.
        on_action: Called with each checked action; without it nothing can be done.
        abilities: Which buttons there are.
        approval_hint: What each approval card says about clicks that cannot arrive.
        always_scope: How far *Always allow* reaches; empty takes the button away.
        pulse: The beat that batches are sent with; for tests.
        clock: The clock of durations; for tests.
    """

    _esm: ClassVar[Any] = _BUNDLE.esm
    _css: ClassVar[Any] = _BUNDLE.css

    def __init__(  # noqa: PLR0913 # all but the first are keywords with defaults
        self,
        conversation: ConversationLike,
        *,
        on_action: OnAction | None = None,
        abilities: Abilities | None = None,
        approval_hint: str = "",
        always_scope: str = "in this chat",
        pulse: Pulse = PULSE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._conversation = conversation
        self._on_action = on_action
        self._abilities = abilities or Abilities()
        self._notice = ""
        self._desk = ApprovalDesk(conversation, hint=approval_hint, scope=always_scope)
        self._encoder = FrameEncoder(
            conversation,
            read_call=self._read_call,
            read_run=self._read_run,
            clock=clock,
        )
        self._encoder.take()  # the mirror starts where the snapshot will
        super().__init__(pulse=pulse)
        self._unsubscribe = conversation.subscribe(self._changed)

    def close(self) -> None:
        """Stop listening, and take the widget off every page."""
        self._unsubscribe()
        self._pulse.forget(self.flush)
        super().close()

    def set_notice(self, text: str) -> None:
        """Show one line in the bar at the top; an empty text takes it away."""
        self._notice = text
        self.request_flush(urgent=True)

    def set_abilities(self, abilities: Abilities) -> None:
        """Say anew what a person can do."""
        self._abilities = abilities
        self.request_flush(urgent=True)

    def set_approval_hint(self, text: str) -> None:
        """Say anew what the approval cards say about clicks that cannot arrive."""
        self._desk.hint = text
        self._encoder.note_calls(*self._conversation.tool_calls)
        self.request_flush(urgent=True)

    def _repr_mimebundle_(self, **_options: Any) -> Any:
        return display_bundle(
            self, html=to_html(self._conversation), text=to_text(self._conversation)
        ), {}

    # ------------------------------------------------------------ down

    def _changed(self, change: ChangeLike) -> None:
        with self._lock:
            urgent = self._encoder.note(change)
        self.request_flush(urgent=urgent)

    def _read_call(self, call: CallLike) -> CallView:
        return self._desk.view(call)

    def _take(self) -> tuple[Frame, ...]:
        return self._encoder.take()

    def _compose(self) -> ConversationView:
        return fitting(self._encoder.snapshot(), limit=_SNAPSHOT_LIMIT)

    def _read_run(self) -> RunView:
        status = cast("RunStatus", self._conversation.status)
        live = status in _LIVE
        error = self._conversation.error
        return RunView(
            status=status,
            error=clean(str(error)) if error else None,
            can_send=self._abilities.send,
            can_stop=self._abilities.stop and live,
            can_retry=self._abilities.retry and not live,
            notice=clean(self._notice),
        )

    # ------------------------------------------------------------ up

    def _act(self, action: Action) -> Refusal:
        if self._on_action is None:
            return "Nothing can be done in this view."
        if isinstance(action, DecideAction):
            return self._decide(action, self._on_action)
        return self._on_action(action) or ""

    def _decide(self, action: DecideAction, on_action: OnAction) -> Refusal:
        with self._lock:
            why = self._desk.check(action)
            if why:
                return why
            self._desk.decided(action)
        why = on_action(action) or ""
        if why:
            self._desk.reopen(action)
        return why


def display_bundle(
    widget: StreamWidget | None, *, html: str, text: str
) -> dict[str, Any]:
    """A display of one thing in three forms: live, static, and in words.

    A front end takes the richest that it knows. Without ``widget`` only the forms
    that need no kernel are there.
    """
    bundle: dict[str, Any] = {"text/plain": text, "text/html": html}
    if widget is not None:
        bundle["application/vnd.jupyter.widget-view+json"] = {
            "version_major": 2,
            "version_minor": 0,
            "model_id": widget.model_id,
        }
    return bundle
