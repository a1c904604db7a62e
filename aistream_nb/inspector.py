"""Inspector: a stream that can be stopped between two events, and why it is wrong.

:class:`Inspector` folds the events up to a position into a conversation of its own,
and has every event judged by the
:class:`~aistream_nb.core.ordering.OrderingVerifier`. It looks at events at hand, at a
recording, at a file, at the bytes of an answer, or at something that is still running
and has a recording (a chat): then new events are taken in as they come, and the
position stays with the end as long as it is there.

How one moves about in it, and what that costs, is told in
:mod:`aistream_nb.conversation.playhead`. Nothing is run here: no tool and no request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from aistream_nb.conversation.playhead import Playhead
from aistream_nb.core.counted import counted
from aistream_nb.core.ordering.rules import Profile
from aistream_nb.core.ordering.verifier import (
    RULES,
    DialectChoice,
    OrderingVerifier,
    Violation,
)
from aistream_nb.core.wire.frames import MAX_FRAME
from aistream_nb.recording import Recording
from aistream_nb.recording.judged import Answer, Judged
from aistream_nb.widgets.forms import with_live
from aistream_nb.widgets.static_inspector import to_html, to_text
from aistream_nb.widgets.wire_inspector import ViolationView

if TYPE_CHECKING:
    from aistream_nb.widgets.inspector import InspectorWidget
    from aistream_nb.widgets.wire import Action

__all__ = ["Inspector"]


class Inspector(Playhead):
    """Shows a stream at any of its events, and every violation of the order.

    Args:
        source: Events, a recording, the path of one, the bytes or the text of an
            answer, or a chat. Of bytes the frames are judged too.
        profile: How much is shown, as for ``check_ordering``.
        run_input: The request that the stream answers.
        interrupts: What waited for a person when the request was sent.
        now: ISO 8601; tells which of those have expired.
        dialect: ``tanstack`` for streams of TanStack AI.
        status: Of an answer's bytes: the HTTP status.
        content_type: Of an answer's bytes: the header; Protocol Buffers if it says so.
        max_frame: Of an answer's bytes: characters of a frame without an end.

    Raises:
        AIStreamError: ``profile`` or ``dialect`` is no word that is known.
        RecordingError: The file cannot be read.
        TypeError: The source holds no events.

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

    _NAME: ClassVar[str] = "inspector"
    _SHORTEST: ClassVar[float] = 0.02
    _UNTIMED: ClassVar[float] = 0.25
    """A pace to follow with the eyes."""

    def __init__(  # noqa: PLR0913 - as check_ordering: each is independent, keyword-only
        self,
        source: Any,
        *,
        profile: Profile = "teach",
        run_input: Mapping[str, Any] | None = None,
        interrupts: Iterable[Mapping[str, Any]] = (),
        now: str | None = None,
        dialect: DialectChoice = "official",
        status: int = 200,
        content_type: str | None = None,
        max_frame: int = MAX_FRAME,
    ) -> None:
        super().__init__()
        self._new_verifier = partial(
            OrderingVerifier,
            profile=profile,
            run_input=run_input,
            interrupts=tuple(interrupts),
            now=now,
            dialect=dialect,
        )
        self._chat = source if _is_growing(source) else None
        self._judged = Judged(
            source,
            verifier=self._new_verifier(),
            answer=Answer(
                status=status, content_type=content_type, max_frame=max_frame
            ),
            live=self._chat is not None,
        )
        self._views: list[ViolationView] = []
        self._widget: InspectorWidget | None = None
        self._absorb()
        if self._chat is not None:
            self._chat.conversation.subscribe(self._grew)

    def __repr__(self) -> str:
        events = counted(len(self), "event")
        found = counted(len(self.violations), "violation")
        return f"Inspector({self._position} of {events}, {found})"

    # ------------------------------------------------------------ looking

    @property
    def violations(self) -> tuple[ViolationView, ...]:
        """Everything that was found so far, with its meaning and its fix."""
        found = self._judged.found
        self._views += [_view(one, at=at) for at, one in found[len(self._views) :]]
        return tuple(self._views)

    @property
    def live(self) -> bool:
        """Whether events may still come."""
        return self._chat is not None

    def new_verifier(self) -> OrderingVerifier:
        """A verifier that judges as this inspector does, and has judged nothing yet."""
        return self._new_verifier(profile="teach")

    # ------------------------------------------------------------ growing

    def _grew(self, _change: object) -> None:
        at_end = self._position == len(self)
        self._absorb()
        if at_end:
            self.seek(len(self))
        else:
            self._moved()

    def _absorb(self) -> None:
        """Take in what the stream has and we have not."""
        fresh = self._judged.take()
        self._extend([event for event, _ in fresh], [at for _, at in fresh])

    def _moved(self) -> None:
        if self._widget is not None:
            self._widget.moved()

    # ------------------------------------------------------------ showing

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return with_live(to_text(self), to_html(self), self.widget)

    def widget(self) -> InspectorWidget:
        """The widget, made at the first call."""
        if self._widget is None:
            from aistream_nb.widgets.inspector import (  # noqa: PLC0415 # a script has no view
                InspectorWidget,
            )

            self._widget = InspectorWidget(self, on_action=self._act)
        return self._widget

    def _act(self, action: Action) -> str:
        return "" if self._steer(action) else "An inspector only looks."


def _is_growing(source: Any) -> bool:
    """Whether it is a chat: a conversation whose recording goes on."""
    recorded = isinstance(getattr(source, "recording", None), Recording)
    is_chat = recorded and hasattr(source, "conversation")
    return is_chat and not isinstance(source, Playhead)


def _view(found: Violation, *, at: int) -> ViolationView:
    rule = RULES.get(found.rule)
    return ViolationView(
        rule=found.rule,
        level=found.level,
        index=found.index,
        at=at,
        event_type=found.event_type,
        message=found.message,
        expected=found.expected,
        fix=found.hint,
        meaning=rule.meaning if rule else "",
        opened_at=found.opened_at,
        caused_by=found.caused_by,
    )
