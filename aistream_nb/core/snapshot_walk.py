"""Reading snapshots of a conversation that somebody else mutates.

The promise: whatever is in a snapshot, reading it does not raise, and one bad part
never hides another. Three rules make a snapshot cost its growth and not its
history. A message is *quiet* when none of its calls can do anything any more. A
quiet message that is the same object, or is equal, is not walked again. The last
message, of the old list and of the new one, is always walked: it is the one that
hosts edit in place.

What a call does about what is read here is not here; see
:mod:`aistream_nb.core.invocation_calls`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aistream_nb.core.invocation_events import ToolResponse
from aistream_nb.core.values import is_array, is_mapping

__all__ = [
    "CallSight",
    "MessageMemory",
    "Snapshot",
    "calls_in",
    "read_call",
    "read_snapshot",
]

_NO_IDS: frozenset[str] = frozenset()


class Snapshot(NamedTuple):
    """One observed state of the conversation."""

    messages: Sequence[Any]
    is_running: bool
    is_loading: bool = False
    discarded: Collection[str] = _NO_IDS
    """Calls that must not run if this is their first sight (A.11)."""


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
    Snapshot(messages=[], is_running=True, is_loading=False, discarded=frozenset())
    >>> read_snapshot({"messages": "none"}) is None
    True
    """
    if not is_mapping(value):
        return None
    messages = value.get("messages")
    if not is_array(messages):
        return None
    return Snapshot(
        messages,
        value.get("isRunning") is True,
        value.get("isLoading") is True,
        _ids(value.get("discardedToolCallIds")),
    )


def _ids(value: object) -> Collection[str]:
    if not is_array(value):
        return _NO_IDS
    return frozenset(item for item in value if isinstance(item, str))


def calls_in(
    message: object, *, assistant_only: bool = False
) -> Iterator[Mapping[str, Any]]:
    """The call parts of a message in document order, a call before its nested ones.

    >>> inner = {"content": [{"type": "tool-call", "toolCallId": "b"}]}
    >>> call = {"type": "tool-call", "toolCallId": "a", "messages": [inner]}
    >>> [part["toolCallId"] for part in calls_in({"content": [call]})]
    ['a', 'b']
    """
    pending: list[Iterator[Any]] = [_parts(message, assistant_only=assistant_only)]
    visited: set[int] = set()
    while pending:
        part = next(pending[-1], None)
        if part is None:
            pending.pop()
            continue
        yield part
        nested = _field(part, "messages")
        # A list that was met already is a cycle, or says the same again.
        if is_array(nested) and id(nested) not in visited:
            visited.add(id(nested))
            pending.append(_nested_parts(nested, assistant_only=assistant_only))


def _nested_parts(
    messages: Iterable[Any], *, assistant_only: bool
) -> Iterator[Mapping[str, Any]]:
    for message in messages:
        yield from _parts(message, assistant_only=assistant_only)


def _parts(message: object, *, assistant_only: bool) -> Iterator[Mapping[str, Any]]:
    if assistant_only and _field(message, "role") != "assistant":
        return
    content = _field(message, "content")
    if is_array(content):
        for part in content:
            if _field(part, "type") == "tool-call":
                yield part


def _field(value: object, name: str) -> Any:
    """A member of something that may not be a mapping, and that may even raise."""
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


class MessageMemory:
    """Knows which messages of a new list need not be walked, and which calls left.

    Use: ask :meth:`due`, walk each, :meth:`note` what was found, :meth:`commit`.
    """

    def __init__(self) -> None:
        self._messages: list[Any] = []
        self._ids: list[tuple[str, ...]] = []
        self._quiet: list[bool] = []
        self._prefix: int = 0
        """How many messages, from the first on, are quiet."""
        self._before: set[str] = set()
        self._now: set[str] = set()

    def due(self, messages: Sequence[Any], *, trust: bool = True) -> list[int]:
        """The positions to walk. Without ``trust`` every message is walked."""
        old = self._messages
        limit = min(len(messages), len(old)) - 1 if trust else 0
        start = max(min(self._prefix, limit), 0)
        if not _same_start(messages, old, start):
            start = 0
        due = [
            index
            for index in range(start, len(messages))
            if not (
                index < limit
                and self._quiet[index]
                and _same(messages[index], old[index])
            )
        ]
        self._forget(due, len(messages))
        return due

    def _forget(self, due: Iterable[int], length: int) -> None:
        self._now.clear()
        self._before = {
            tool_call_id
            for index in due
            if index < len(self._ids)
            for tool_call_id in self._ids[index]
        }
        for ids in self._ids[length:]:
            self._before.update(ids)
        del self._ids[length:], self._quiet[length:]

    def note(self, index: int, ids: tuple[str, ...], *, quiet: bool) -> None:
        """Remember what walking the message at ``index`` found."""
        if index < len(self._ids):
            self._ids[index] = ids
            self._quiet[index] = quiet
        else:
            self._ids.append(ids)
            self._quiet.append(quiet)
        if not quiet:
            self._prefix = min(self._prefix, index)
        self._now.update(ids)

    def commit(self, messages: Sequence[Any]) -> set[str]:
        """Remember the list; the calls that were in the last one and left."""
        self._messages = list(messages)
        self._prefix = min(self._prefix, len(self._quiet))
        while self._prefix < len(self._quiet) and self._quiet[self._prefix]:
            self._prefix += 1
        return self._before - self._now


def _same_start(messages: Sequence[Any], old: list[Any], count: int) -> bool:
    """Whether the first ``count`` messages are equal, found at the speed of C."""
    if count == 0:
        return True
    start = messages[:count]
    return _same(start if isinstance(start, list) else list(start), old[:count])


def _same(one: object, other: object) -> bool:
    if one is other:
        return True
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 -- a foreign object's == may raise anything; then we walk
        return False
