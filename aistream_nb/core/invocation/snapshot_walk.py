"""Reading snapshots of a conversation that somebody else mutates.

The promise: whatever is in a snapshot, reading it does not raise, and one bad part
never hides another. Three rules make a snapshot cost its growth and not its
history. A message is *quiet* when none of its calls can do anything any more. A
quiet message that is the same object, or is equal, is not walked again. The last
message, of the old list and of the new one, is always walked: it is the one that
hosts edit in place.

What a call does about what is read here is not here; see
:mod:`aistream_nb.core.invocation.calls`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, Final, NamedTuple

from aistream_nb.core.invocation.events import ToolResponse
from aistream_nb.core.values import is_array, is_mapping

__all__ = [
    "CallSight",
    "MessageMemory",
    "Snapshot",
    "calls_in",
    "read_call",
    "read_snapshot",
]

_CONTENT: Final = itemgetter("content")
_NO_IDS: Final[frozenset[str]] = frozenset()


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
    get = _getter(value)
    messages = get("messages")
    if not is_array(messages):
        return None
    discarded = get("discardedToolCallIds")
    return Snapshot(
        messages,
        get("isRunning") is True,
        get("isLoading") is True,
        _NO_IDS if discarded is None else _ids(discarded),
    )


def _getter(value: Any) -> Callable[[str], Any]:
    # Asking a dict itself is the usual case, and much faster.
    return value.get if type(value) is dict else partial(_field, value)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] -- JSON


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
        if _field(part, "messages") is not None:
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
    if not is_array(content):
        return []
    parts: list[Any] = []
    for part in content:
        if _field(part, "type") == "tool-call":
            parts.append(part)  # noqa: PERF401 -- a comprehension of one part costs more
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


@dataclass(slots=True)
class _Seen:
    """What walking one message found."""

    message: Any
    ids: list[str]
    quiet: bool


class MessageMemory:
    """Knows which messages of a new list need not be walked, and which calls left.

    Use: ask :meth:`due`, walk each, :meth:`note` what was found, :meth:`commit`.
    """

    def __init__(self) -> None:
        self._kept: list[Any] = []
        """The messages at the start, all of them quiet, compared in one go."""
        self._kept_contents: list[Any] = []
        self._kept_ids: list[list[str]] = []
        self._rest: list[_Seen] = []
        self._first: Any = None
        self._before: set[str] = set()
        self._now: set[str] = set()

    def due(self, messages: Sequence[Any], *, trust: bool = True) -> Sequence[int]:
        """The positions to walk. Without ``trust`` every message is walked."""
        start = len(self._kept)
        if start and not (trust and self._starts_the_same(messages, start)):
            self._unkeep()
            start = 0
        rest = self._rest
        self._before.clear()
        self._now.clear()
        while len(rest) > len(messages) - start:
            self._before.update(rest.pop().ids)
        # The last message of either list is one that hosts edit in place.
        last = min(start + len(rest), len(messages)) - 1 if trust else start
        due = range(start, len(messages))
        if last <= start:
            return due
        settled = {
            index
            for index in range(start, last)
            if rest[index - start].quiet
            and _same(messages[index], rest[index - start].message)
        }
        return [index for index in due if index not in settled]

    def _starts_the_same(self, messages: Sequence[Any], count: int) -> bool:
        """Whether the kept messages are there, found at the speed of C."""
        if len(messages) <= count:
            return False
        start = messages[:count]
        if not isinstance(start, list):
            start = list(start)
        kept = self._kept
        if start[0] is kept[0]:
            return _same(start, kept)
        if not self._has_the_same_contents(start):
            return False
        # A host that decodes every list anew is compared with what is warm in the
        # cache; one that begins to share its messages is recognised by identity.
        if start[0] is self._first:
            self._kept = start
        self._first = start[0]
        return True

    def _has_the_same_contents(self, start: list[Any]) -> bool:
        # The contents are all that is looked at, and a quarter less to compare.
        try:
            contents = list(map(_CONTENT, start))
        except Exception:  # noqa: BLE001 -- a message without, or a foreign one
            return _same(start, self._kept)
        return _same(contents, self._kept_contents)

    def _unkeep(self) -> None:
        kept = zip(self._kept, self._kept_ids, strict=True)
        self._rest[:0] = [_Seen(message, ids, quiet=True) for message, ids in kept]
        self._kept, self._kept_contents, self._kept_ids = [], [], []

    def note(self, index: int, message: object, ids: list[str], *, quiet: bool) -> None:
        """Remember what walking the message at ``index`` found."""
        at = index - len(self._kept)
        if at == len(self._rest):
            self._rest.append(_Seen(message, ids, quiet=quiet))
        seen = self._rest[at]
        if ids != seen.ids:
            self._before.update(seen.ids)
        self._now.update(ids)
        seen.message, seen.ids, seen.quiet = message, ids, quiet

    def commit(self) -> set[str]:
        """Take the list as known; the calls that were in the last one and left."""
        rest, keep = self._rest, 0
        while keep < len(rest) - 1 and rest[keep].quiet:
            keep += 1
        if keep:
            kept = [seen.message for seen in rest[:keep]]
            self._kept += kept
            self._kept_contents += [_field(message, "content") for message in kept]
            self._kept_ids += [seen.ids for seen in rest[:keep]]
            del rest[:keep]
        left = self._before - self._now if self._before else set[str]()
        if left:
            # Rare, so it may cost: one of them may also be where we did not walk.
            left.difference_update(*self._kept_ids, *(seen.ids for seen in rest))
        return left


def _same(one: object, other: object) -> bool:
    if one is other:
        return True
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 -- a foreign object's == may raise anything; then we walk
        return False
