"""Events whose texts grow, with secrets taken out of the text and not of the piece.

The deltas of a message, of a thought and of a call's arguments are each one text. What
may be the beginning of a secret waits for the next delta of its item; when the item
ends and it was none, it gets an event of its own before the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.core.redaction import Redactor
from aistream_nb.core.running_redaction import RunningRedactor
from aistream_nb.core.values import Event

__all__ = ["GrowingTexts"]

_DELTAS: Final = frozenset(
    {
        "REASONING_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "THINKING_TEXT_MESSAGE_CONTENT",
        "TOOL_CALL_ARGS",
    }
)
_CHUNKS: Final = frozenset(
    {"REASONING_MESSAGE_CHUNK", "TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK"}
)
_RUN_ENDS: Final = frozenset({"RUN_ERROR", "RUN_FINISHED"})
_SO_FAR: Final = ("args", "content")
"""Where the older dialect repeats all that was said so far."""

Key = tuple[str, str]


@dataclass(slots=True)
class _Growing:
    text: RunningRedactor
    latest: Event
    """The latest event of the item."""


class GrowingTexts:
    """Takes events in, and gives those that may be kept.

    >>> texts = GrowingTexts(Redactor(["hunter2!"]))
    >>> said = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m"}
    >>> for delta in ("it is hunt", "er2!"):
    ...     print([one["delta"] for one in texts.receive(said | {"delta": delta})])
    ['it is ']
    ['[redacted]']
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._growing: dict[Key, _Growing] = {}
        self._latest: dict[str, str] = {}

    def receive(self, event: Mapping[str, Any]) -> list[Event]:
        """What is to be kept now that this event has come; sometimes nothing."""
        kind = event.get("type")
        if not isinstance(kind, str):
            return [event]
        family, _, step = kind.rpartition("_")
        if kind in _DELTAS or kind in _CHUNKS:
            return self._grown(event, (family, self._id_of(event, family)))
        if step == "END":
            return [*self._closed((family, _id(event))), event]
        if kind in _RUN_ENDS:
            return [*self.close(), event]
        return [event]

    @property
    def pending(self) -> list[Event]:
        """The events that would come if all texts ended here."""
        texts = self._growing.values()
        return [
            one
            for growing in texts
            for one in _last(growing.latest, growing.text.pending)
        ]

    def close(self) -> list[Event]:
        """What was kept back of all texts, as events."""
        pending = self.pending
        self._growing.clear()
        return pending

    def _id_of(self, event: Mapping[str, Any], family: str) -> str:
        """The item that is meant; a chunk without an id goes on with the latest."""
        named = _id(event) or self._latest.get(family, "")
        self._latest[family] = named
        return named

    def _grown(self, event: Mapping[str, Any], key: Key) -> list[Event]:
        delta = event.get("delta")
        if not isinstance(delta, str):
            return [event]
        growing = self._growing.get(key)
        if growing is None:
            growing = _Growing(RunningRedactor(self._redactor), {})
            self._growing[key] = growing
        told = growing.text.receive(delta)
        if told == delta and not growing.text.held:
            growing.latest = event
            return [event]
        kept = _without(event, growing.text.held)
        growing.latest = kept
        if told:
            return [{**kept, "delta": told}]
        # A chunk also begins its item; any other delta without a text says nothing.
        return [kept] if event["type"] in _CHUNKS else []

    def _closed(self, key: Key) -> list[Event]:
        growing = self._growing.pop(key, None)
        return [] if growing is None else _last(growing.latest, growing.text.pending)


def _last(latest: Event, rest: str) -> list[Event]:
    return [{**latest, "delta": rest}] if rest else []


def _id(event: Mapping[str, Any]) -> str:
    named = event.get("messageId", event.get("toolCallId"))
    return named if isinstance(named, str) else ""


def _without(event: Mapping[str, Any], held: str) -> dict[str, Any]:
    """The event without its delta, and without what else would tell it."""
    kept = {k: v for k, v in event.items() if k not in {"delta", "rawEvent"}}
    for name in _SO_FAR:
        if isinstance(kept.get(name), str):
            kept[name] = kept[name].removesuffix(held)
    return kept
