"""Reading snapshots of a conversation that somebody else mutates.

The promise: whatever is in a snapshot, reading it does not raise, and one bad part
never hides another. Which messages are read at all is decided in
:mod:`aistream_nb.core.invocation.message_memory`, and what a call does about what is
read in :mod:`aistream_nb.core.invocation.calls`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from aistream_nb.core.invocation.events import ToolResponse
from aistream_nb.core.values import is_array, is_mapping

__all__ = [
    "CallSight",
    "Snapshot",
    "calls_in",
    "read_call",
    "read_snapshot",
]

_NO_IDS: Final[frozenset[str]] = frozenset()


@dataclass(slots=True)
class Snapshot:
    """One observed state of the conversation. Nobody changes it; one is made often."""

    messages: Sequence[Any]
    is_running: bool
    is_loading: bool = False
    discarded: Collection[str] = _NO_IDS
    """Calls that must not run if this is their first sight (A.11)."""
    stamp: object = None
    """Of one that says what it changed: its name, known by identity."""
    since: object = None
    """The stamp of the snapshot before it, in whose list it changed the messages …"""
    changed: Collection[int] = ()
    """… at these places. Messages behind the end of that list need not be named."""


class CallSight(NamedTuple):
    """One call, as one snapshot shows it."""

    tool_call_id: str
    tool_name: str
    text: str
    response: ToolResponse | None
    interim: bool
    """There is a result, and a final one will follow (A.12)."""
    gated: bool
    """The provider asks for an approval of its own (A.8)."""
    part: Mapping[str, Any]

    @property
    def answered(self) -> bool:
        """Whether there is a final result."""
        return self.response is not None and not self.interim


def read_snapshot(value: object) -> Snapshot | None:
    """The snapshot, or ``None`` if it cannot be read as one (E.4).

    >>> read_snapshot({"messages": [], "isRunning": True})
    Snapshot(messages=[], is_running=True, is_loading=False, ...)
    >>> read_snapshot({"messages": "none"}) is None
    True
    """
    if type(value) is Snapshot:
        return value
    # Asking a dict itself is the usual case, and much faster.
    get: Any = value.get if type(value) is dict else partial(_field, value)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] -- JSON
    messages = get("messages")
    if messages.__class__ is not list and not is_array(messages):
        return None
    discarded = get("discardedToolCallIds")
    return Snapshot(
        messages,
        get("isRunning") is True,
        get("isLoading") is True,
        _NO_IDS if discarded is None else _ids(discarded),
    )


def _ids(value: object) -> Collection[str]:
    if not is_array(value):
        return _NO_IDS
    return frozenset(item for item in value if isinstance(item, str))


def calls_in(message: object, *, assistant_only: bool = False) -> list[Any]:
    """The call parts of a message in document order, a call before its nested ones.

    >>> inner = {"content": [{"type": "tool-call", "toolCallId": "b"}]}
    >>> call = {"type": "tool-call", "toolCallId": "a", "messages": [inner]}
    >>> [part["toolCallId"] for part in calls_in({"content": [call]})]
    ['a', 'b']
    """
    parts = _parts(message, assistant_only)
    for part in parts:
        has_more = (
            "messages" in part if type(part) is dict else _field(part, "messages")
        )
        if has_more:
            return _with_nested(parts, assistant_only)
    return parts


def _with_nested(parts: list[Any], assistant_only: bool) -> list[Any]:  # noqa: FBT001 -- a private function on the hot path
    found: list[Any] = []
    # A stack, because conversations nest deeper than Python calls may.
    pending = parts[::-1]
    visited: set[int] = set()
    while pending:
        part = pending.pop()
        found.append(part)
        nested = _field(part, "messages")
        # A list that was met already is a cycle, or says the same again.
        if is_array(nested) and id(nested) not in visited:
            visited.add(id(nested))
            for message in reversed(nested):
                pending += reversed(_parts(message, assistant_only))
    return found


def _parts(message: object, assistant_only: bool) -> list[Any]:  # noqa: FBT001 -- a private function on the hot path
    if assistant_only and _field(message, "role") != "assistant":
        return []
    content = _field(message, "content")
    if content.__class__ is not list and not is_array(content):
        return []
    parts: list[Any] = []
    for part in content:
        kind = part.get("type") if part.__class__ is dict else _field(part, "type")
        # Of a text only, because the == of something foreign may raise anything.
        if isinstance(kind, str) and kind == "tool-call":
            parts.append(part)
    return parts


def _field(value: Any, name: str) -> Any:
    """A member of something that may not be a mapping, and that may even raise."""
    if type(value) is dict:  # the usual case, and much faster than asking for a Mapping
        return value.get(name)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] -- JSON
    if not is_mapping(value):
        return None
    try:
        return value.get(name)
    except Exception:  # noqa: BLE001 -- a foreign mapping may raise anything; a bad part hides no other
        return None


def read_call(part: Mapping[str, Any]) -> CallSight | None:
    """What a call part says, or ``None`` if it is malformed (E.2).

    A part without text is one whose text is still empty (D6).
    """
    tool_call_id = part.get("toolCallId")
    name = part.get("toolName")
    text = part.get("argsText")
    if text is None:
        text = ""
    if not isinstance(tool_call_id, str) or not isinstance(name, str):
        return None
    if not isinstance(text, str):
        return None
    return CallSight(
        tool_call_id,
        name,
        text,
        ToolResponse.from_wire(part) if "result" in part else None,
        part.get("isPreliminary") is True,
        part.get("approval") is not None,
        part,
    )
