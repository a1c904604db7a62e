"""Events as the official client reads them, before their order is judged (AG-UI, 2).

Three steps, and their order matters for which fault is told first: retired spellings
become today's, values are checked and what is unknown is cut out, and chunks become
explicit events. Nothing is raised; the faults are in the :class:`Reading`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.core.values import Event
from aistream_nb.core.wire.chunks import ChunkExpander, ChunkFault
from aistream_nb.core.wire.schema import EVENT_FIELDS, check_event
from aistream_nb.core.wire.shapes import Finding

__all__ = ["RETIRED_TYPES", "EventReader", "Reading"]

RETIRED_TYPES: Final = {
    "THINKING_START": "REASONING_START",
    "THINKING_END": "REASONING_END",
    "THINKING_TEXT_MESSAGE_START": "REASONING_MESSAGE_START",
    "THINKING_TEXT_MESSAGE_CONTENT": "REASONING_MESSAGE_CONTENT",
    "THINKING_TEXT_MESSAGE_END": "REASONING_MESSAGE_END",
}
"""Event types of earlier days, and what they are called now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One event, read."""

    event: Event | None
    """In today's spelling, without what is bad or unknown; None if it is dropped."""
    events: tuple[Event, ...] = ()
    """The explicit events that it stands for; none if it cannot be read."""
    bad: tuple[Finding, ...] = ()
    removed: tuple[Finding, ...] = ()
    chunk_faults: tuple[ChunkFault, ...] = ()
    guess: Event | None = None
    """What it most likely meant, if it cannot be read but says what it is about."""
    retired: str | None = None
    """The retired type that it came under."""


_ABOUT: Final = {
    "RUN_STARTED": (),
    "RUN_FINISHED": (),
    "RUN_ERROR": (),
    "STEP_STARTED": ("stepName",),
    "TEXT_MESSAGE_START": ("messageId",),
    "TEXT_MESSAGE_CONTENT": ("messageId",),
    "REASONING_MESSAGE_START": ("messageId",),
    "REASONING_MESSAGE_CONTENT": ("messageId",),
    "TOOL_CALL_START": ("toolCallId",),
    "TOOL_CALL_ARGS": ("toolCallId",),
    "SUBAGENT_STARTED": ("subagentRunId",),
}
"""Events with a text that they need, and what they cannot be guessed without."""


def _guess(event: Event) -> Event | None:
    about = _ABOUT.get(event["type"])
    if about is None or any(name not in event for name in about):
        return None
    return {**dict.fromkeys(EVENT_FIELDS[event["type"]].required, ""), **event}


class EventReader:
    """Explicit, cleaned events in place of what came, one event at a time.

    ``new_id`` mints the ids that retired events lack; by default they are numbered.
    """

    def __init__(self, *, new_id: Callable[[], str] | None = None) -> None:
        self._expander = ChunkExpander()
        self._new_id = new_id or self._numbered
        self._count = 0
        self._thinking: dict[str, str] = {}  # what is thought now: span, message

    def receive(self, event: Event) -> Reading:
        """What ``event`` says, and what is wrong with how it says it."""
        given = event.get("type")
        current = RETIRED_TYPES.get(given) if isinstance(given, str) else None
        retired = given if current else None
        if current is not None:
            event = self._renewed(event, current)
        checked = check_event(event)
        if not checked.readable or checked.event is None:
            return Reading(
                event=checked.event,
                bad=checked.bad,
                removed=checked.removed,
                guess=None if checked.event is None else _guess(checked.event),
                retired=retired,
            )
        explicit = self._expander.receive(checked.event)
        return Reading(
            event=checked.event,
            events=explicit,
            bad=checked.bad,
            removed=checked.removed,
            chunk_faults=self._expander.faults,
            retired=retired,
        )

    def _renewed(self, event: Event, current: str) -> Event:
        """A THINKING event in the words of today; the title of a span is lost."""
        kind = "message" if "MESSAGE" in current else "span"
        if current.endswith("_START"):
            self._thinking[kind] = self._new_id()
        made: dict[str, Any] = {**event, "type": current}
        made.pop("title", None)
        made["messageId"] = self._thinking.get(kind) or self._new_id()
        if current.endswith("_END"):
            self._thinking.pop(kind, None)
        if current == "REASONING_MESSAGE_START":
            made["role"] = "reasoning"
        return made

    def _numbered(self) -> str:
        self._count += 1
        return f"thinking-{self._count}"
