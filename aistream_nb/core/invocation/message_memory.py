"""Which messages of a new list need not be read again, and which calls left it.

The promise: a snapshot costs its growth and not its history, and no call is
overlooked. Three rules make both true.

Rule 1: a message is *quiet* when all its calls are answered. Only a quiet message is
passed over, and only where it is the same object as before, or equal to it.
Rule 2: of a message that is *past*, history that was answered, live snapshots change
nothing (D4). So of an equal one only the calls are compared, not what they say.
Rule 3: the last message, of the old list and of the new one, is always read: it is
the one that hosts edit in place.
Rule 4: where an owner says what changed, his word is taken for what may be quiet or
not; what *waits*, for a tool or for the end of the run, is read all the same.

What a call does about what is read is not here; see
:mod:`aistream_nb.core.invocation.calls`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain, compress, islice, repeat
from operator import contains, itemgetter
from typing import Any, Final

__all__ = ["MessageMemory"]

_NO_IDS: Final[frozenset[str]] = frozenset()
_KIND: Final = itemgetter("type")
_ID: Final = itemgetter("toolCallId")


class MessageMemory:
    """Knows the messages of the last list, and what was found in each.

    Use: ask :meth:`due` or :meth:`due_of`, read each, :meth:`note` what was found,
    :meth:`commit`.

    Args:
        fields: What of a message counts; the rest may differ.
    """

    def __init__(self, fields: Sequence[str] = ("content",)) -> None:
        self._matter: itemgetter[Any] = itemgetter(*fields)
        self._messages: list[Any] = []
        self._ids: list[list[str]] = []
        self._loud: set[int] = set()
        """The places of messages that are not quiet."""
        self._waiting: set[int] = set()
        self._before: set[str] = set()
        self._present: set[int] = set()
        """The places of messages that are not past."""
        self._kept: int = 0
        """How many messages at the start are quiet, to be compared in one go."""
        self._start: list[Any] = []
        self._start_matter: _Matter | None = None
        self._first: Any = None

    # ------------------------------------------------------------ what to read

    def due(self, messages: Sequence[Any], *, trust: bool = True) -> Sequence[int]:
        """The places to read. Without ``trust`` that is every message."""
        count, before = len(messages), len(self._messages)
        if count < before:
            self._drop_behind(count)
            before = count
        kept = self._kept
        if not trust or (kept and not self._starts_the_same(messages, kept)):
            kept = 0
        due = range(kept, count)
        # The last message of either list is one that hosts edit in place.
        last = before - 1
        if not trust or last <= kept:
            return due
        known, loud = self._messages, self._loud
        return [
            place
            for place in due
            if place >= last
            or place in loud
            or not _same(messages[place], known[place])
        ]

    def due_of(self, changed: Collection[int], count: int) -> Sequence[int]:
        """The places to read of ``count`` messages of which only these changed."""
        known = len(self._messages)
        if count < known:
            self._drop_behind(count)
        due = self._waiting.union(changed)
        due.update(range(known, count))
        return sorted(due)

    def _starts_the_same(self, messages: Sequence[Any], count: int) -> bool:
        """Whether the kept messages are there, found at the speed of C."""
        if len(self._start) != count:
            self._start, self._start_matter = self._messages[:count], None
        if messages[0] is self._start[0]:
            start = messages[:count]
            try:
                # A list of the same objects is found equal without asking them.
                return (start if start.__class__ is list else [*start]) == self._start
            except Exception:  # noqa: BLE001 -- as in _same()
                return False
        if not self._matters_the_same(messages, count):
            return False
        # A host that decodes every list anew is compared with what is warm in the
        # cache; one that begins to share its messages is recognised by identity.
        if messages[0] is self._first:
            self._messages[:count] = self._start = [*islice(messages, count)]
            self._start_matter = None
        self._first = messages[0]
        return True

    def _matters_the_same(self, messages: Sequence[Any], count: int) -> bool:
        # What counts of a message is much less to compare than all of it.
        try:
            if self._start_matter is None:
                self._start_matter = self._learn_matter(count)
            return self._start_matter.is_that_of(
                list(map(self._matter, islice(messages, count)))
            )
        except Exception:  # noqa: BLE001 -- a message without, or a foreign one
            return _same([*islice(messages, count)], self._start)

    def _learn_matter(self, count: int) -> _Matter:
        matter = list(map(self._matter, self._start))
        try:
            return _Matter(matter, min({count, *self._present}))
        except Exception:  # noqa: BLE001 -- what counts is no list of parts with a type
            return _Matter(matter, 0)

    # ------------------------------------------------------------ what was found

    def note(
        self,
        place: int,
        message: object,
        ids: list[str],
        *,
        quiet: bool,
        waits: bool = False,
        past: bool = False,
    ) -> None:
        """Remember what reading the message at ``place`` found.

        Args:
            place: Where it is in the list.
            message: The message itself.
            ids: The calls in it.
            quiet: Whether all of them are answered.
            waits: Whether one of them may go on although its message stays the same.
            past: Whether nothing that is said of them changes anything.
        """
        if place == len(self._messages):
            self._messages.append(message)
            self._ids.append(ids)
        else:
            before = self._ids[place]
            if ids != before:
                self._before.update(set(before).difference(ids))
                self._ids[place] = ids
            self._messages[place] = message
            if place < self._kept:
                self._start.clear()
        if quiet:
            self._loud.discard(place)
        else:
            self._loud.add(place)
            self._kept = min(self._kept, place)
        if past:
            self._present.discard(place)
        else:
            self._present.add(place)
        if waits:
            self._waiting.add(place)
        else:
            self._waiting.discard(place)

    def holds_only(self, place: int, tool_call_id: str) -> bool:
        """Whether this call, and no other one, was found in the message there."""
        return place < len(self._ids) and self._ids[place] == [tool_call_id]

    def commit(self) -> Collection[str]:
        """Take the list as known; the calls that were in the last one and left."""
        kept, last = self._kept, len(self._messages) - 1
        while kept < last and kept not in self._loud:
            kept += 1
        self._kept = kept
        if not self._before:
            return _NO_IDS
        left, self._before = self._before, set()
        # Rare, so it may cost: one of them may also be where we did not look.
        left.difference_update(*self._ids)
        return left

    def _drop_behind(self, count: int) -> None:
        self._before.update(*self._ids[count:])
        del self._messages[count:], self._ids[count:]
        self._loud = {place for place in self._loud if place < count}
        self._waiting = {place for place in self._waiting if place < count}
        self._kept = max(min(self._kept, count - 1), 0)
        self._start.clear()


class _Matter:
    """What counts of a row of messages, to be found again at the speed of C.

    Args:
        matter: What counts of each.
        past: How many at the start are past: of these, only which calls there are.
    """

    def __init__(self, matter: list[Any], past: int) -> None:
        self._past: int = past
        self._rest: list[Any] = matter[past:]
        contents = matter[:past]
        self._lengths: list[int] = list(map(len, contents))
        parts = list(chain.from_iterable(contents))
        self._kinds: list[Any] = list(map(_KIND, parts))
        self._is_call: list[bool] = [kind == "tool-call" for kind in self._kinds]
        self._ids: list[Any] = list(map(_ID, compress(parts, self._is_call)))

    def is_that_of(self, matter: list[Any]) -> bool:
        """Whether that counts of the same messages, or of equal ones."""
        contents = matter[: self._past]
        if list(map(len, contents)) != self._lengths:
            return False
        parts = list(chain.from_iterable(contents))
        if list(map(_KIND, parts)) != self._kinds:
            return False
        calls = list(compress(parts, self._is_call))
        if list(map(_ID, calls)) != self._ids:
            return False
        # One that has calls of its own now is another one.
        nested = any(map(contains, calls, repeat("messages")))
        return not nested and matter[self._past :] == self._rest


def _same(one: object, other: object) -> bool:
    if one is other:
        return True
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 -- a foreign object's == may raise anything; then we read
        return False
