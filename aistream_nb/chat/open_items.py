"""What a run has opened and not closed: texts, thoughts, calls, steps.

AG-UI brackets most things. Who ends a run early, or takes up one that a crash tore,
must close what is open first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aistream_nb.core.values import Event

__all__ = ["OpenItems"]

_OPENERS: Final[Mapping[str, tuple[str, str]]] = {
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId"),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId"),
    "REASONING_START": ("REASONING_END", "messageId"),
    "REASONING_MESSAGE_START": ("REASONING_MESSAGE_END", "messageId"),
    "STEP_STARTED": ("STEP_FINISHED", "stepName"),
    "SUBAGENT_STARTED": ("SUBAGENT_FINISHED", "subagentRunId"),
}
_CLOSERS: Final = frozenset(
    {*(ending for ending, _ in _OPENERS.values()), "SUBAGENT_ERROR"}
)
_OWNER: Final = "subagentRunId"


class OpenItems:
    """The items that are open, in the order in which they were opened.

    >>> items = OpenItems()
    >>> items.note({"type": "TEXT_MESSAGE_START", "messageId": "m"})
    >>> items.close()
    [{'type': 'TEXT_MESSAGE_END', 'messageId': 'm'}]
    """

    def __init__(self) -> None:
        self._open: dict[tuple[str, str, str], Event] = {}

    def note(self, event: Event) -> None:
        """See an event of the run."""
        kind = str(event.get("type"))
        if kind in _OPENERS:
            ending, name = _OPENERS[kind]
            closing = {"type": ending, name: event.get(name)}
            if _OWNER in event:
                closing[_OWNER] = event[_OWNER]
            self._open[_key(closing, name)] = closing
        elif kind in _CLOSERS:
            ending = "SUBAGENT_FINISHED" if kind == "SUBAGENT_ERROR" else kind
            name = next(name for end, name in _OPENERS.values() if end == ending)
            self._open.pop(_key({**event, "type": ending}, name), None)

    def close(self) -> list[Event]:
        """The events that close everything, the innermost first; then all is closed."""
        closing = list(reversed(self._open.values()))
        self._open.clear()
        return closing

    def forget(self) -> None:
        """A run begins: nothing of the one before is open."""
        self._open.clear()


def _key(closing: Mapping[str, Any], name: str) -> tuple[str, str, str]:
    # Steps of two agents may share a name; everything else has an id of its own.
    owner = str(closing.get(_OWNER)) if name == "stepName" else ""
    return str(closing["type"]), str(closing.get(name)), owner
