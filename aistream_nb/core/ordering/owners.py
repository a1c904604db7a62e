"""Who owns which message, call, reasoning and activity of a run (AG-UI, 7d).

An owner is a subagent's run id, or None for the parent agent, which is an owner too.
Ownership outlives what is owned: it ends with the next RUN_STARTED. An untagged event
never disagrees, and an id without a record never disagrees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from aistream_nb.core.values import Event, is_mapping

__all__ = ["OwnerConflict", "Owners"]

OwnerConflict: TypeAlias = tuple[str, str, str | None]
"""The rule, the id whose owner it is about, and that owner."""

_OWNER: Final = "subagentRunId"

# Event type, the kind of thing, and the field with its id.
_FIRST_SETS: Final[Mapping[str, tuple[str, str]]] = {
    "TEXT_MESSAGE_START": ("message", "messageId"),
    "TOOL_CALL_START": ("call", "toolCallId"),
    "REASONING_START": ("reasoning", "messageId"),
    "REASONING_MESSAGE_START": ("reasoning", "messageId"),
}
_MUST_AGREE: Final[Mapping[str, tuple[str, str]]] = {
    **_FIRST_SETS,
    "TEXT_MESSAGE_CONTENT": ("message", "messageId"),
    "TEXT_MESSAGE_END": ("message", "messageId"),
    "TOOL_CALL_ARGS": ("call", "toolCallId"),
    "TOOL_CALL_END": ("call", "toolCallId"),
    "REASONING_END": ("reasoning", "messageId"),
    "REASONING_MESSAGE_CONTENT": ("reasoning", "messageId"),
    "REASONING_MESSAGE_END": ("reasoning", "messageId"),
    "ACTIVITY_DELTA": ("activity", "messageId"),
}


class Owners:
    """The owners of one run: what an event claims, and what it settles."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], str | None] = {}

    def conflict(self, event: Event) -> OwnerConflict | None:
        """Why the event's claim cannot stand, if it cannot. Nothing is settled."""
        event_type, tag = event["type"], event.get(_OWNER)
        if event_type == "TOOL_CALL_START":
            conflict = self._parent_conflict(event)
            if conflict is not None:
                return conflict
        if tag is None:
            return None
        for key in self._claimed(event):
            if key in self._of:
                owner = self._of[key]
                return None if owner == tag else ("owner.mismatch", key[1], owner)
        return None

    def settle(self, event: Event) -> None:
        """Record what the event says about owners."""
        settle = _SETTLES.get(event["type"])
        if settle is not None:
            settle(self, event)
            return
        first = _FIRST_SETS.get(event["type"])
        if first is not None:
            self._of.setdefault((first[0], event[first[1]]), event.get(_OWNER))

    def _claimed(self, event: Event) -> Iterable[tuple[str, str]]:
        """What the event says its tag owns; the first that is known counts."""
        if event["type"] == "REASONING_ENCRYPTED_VALUE":
            entity = event["entityId"]
            if event["subtype"] == "tool-call":
                return (("call", entity),)
            return (("message", entity), ("reasoning", entity))
        claimed = _MUST_AGREE.get(event["type"])
        return () if claimed is None else ((claimed[0], event[claimed[1]]),)

    def _parent_conflict(self, event: Event) -> OwnerConflict | None:
        parent_id, call = event.get("parentMessageId"), ("call", event["toolCallId"])
        parent = ("message", parent_id or "")
        if parent_id is None or parent not in self._of:
            return None
        owner = self._of[parent]
        if _OWNER in event:
            if event[_OWNER] != owner:
                return ("tool.parent_owner", parent_id, owner)
        elif call in self._of and self._of[call] != owner:
            return ("tool.reopen_parent_owner", parent_id, owner)
        return None

    def settle_call(self, event: Event) -> None:
        """A call belongs to its tag, or else to whoever owns its message."""
        parent = event.get("parentMessageId")
        inherited = None if parent is None else self._of.get(("message", parent))
        owner = event.get(_OWNER, inherited)
        self._of.setdefault(("call", event["toolCallId"]), owner)

    def settle_result(self, event: Event) -> None:
        """Each result says anew who owns its message."""
        self._of["message", event["messageId"]] = event.get(_OWNER)

    def settle_activity(self, event: Event) -> None:
        """An activity belongs to the snapshot that made or replaced it."""
        key = ("activity", event["messageId"])
        if key not in self._of or event.get("replace", True):
            self._of[key] = event.get(_OWNER)

    def settle_snapshot(self, event: Event) -> None:
        """A snapshot says anew who owns every message and call in it."""
        for key, owner in _owners_in(event["messages"]):
            self._of[key] = owner

    def settle_input(self, event: Event) -> None:
        """The input of a run only fills gaps."""
        given = event.get("input")
        for key, owner in (
            _owners_in(given.get("messages", ())) if is_mapping(given) else ()
        ):
            self._of.setdefault(key, owner)


_SETTLES: Final[Mapping[str, Callable[[Owners, Event], None]]] = {
    "TOOL_CALL_START": Owners.settle_call,
    "TOOL_CALL_RESULT": Owners.settle_result,
    "ACTIVITY_SNAPSHOT": Owners.settle_activity,
    "MESSAGES_SNAPSHOT": Owners.settle_snapshot,
    "RUN_STARTED": Owners.settle_input,
}

_KIND_OF_ROLE: Final = {"reasoning": "reasoning", "activity": "activity"}


def _owners_in(
    messages: Iterable[Mapping[str, Any]],
) -> Iterable[tuple[tuple[str, str], str | None]]:
    for message in messages:
        owner = message.get(_OWNER)
        yield (_KIND_OF_ROLE.get(message["role"], "message"), message["id"]), owner
        for call in message.get("toolCalls", ()):
            yield ("call", call["id"]), owner
