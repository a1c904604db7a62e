"""The text of one call's arguments, as snapshots show it.

Two promises. What was streamed is never taken back: only a text that extends the
tracked one adds to it (edges A.1 to A.4). And a step costs its growth: whether the
text is whole JSON is found by counting brackets in the new part only, and the text
is parsed once, when the count returns to zero.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from aistream_nb.core.json_equal import equivalent_json
from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import ABSENT

__all__ = ["ArgumentText", "Reading", "WholeJSON"]

_SPACE: Final = " \t\r\n"
_ROOT: Final = re.compile(r"[ \t\r\n]*([^ \t\r\n])")
_ANY_END: Final = ("",)
_ENDS: Final = {
    "{": ("}", *_SPACE),
    "[": ("]", *_SPACE),
    '"': ('"', *_SPACE),
}
_TAIL: Final = 16
"""How much of the end of a text is looked at before all of it is."""
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_TEXT: Final = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)


class WholeJSON:
    """Says of a text that only grows whether it is one whole JSON value by now.

    >>> whole = WholeJSON()
    >>> whole.read('{"a": [1'), whole.read('{"a": [1]}'), whole.value
    (False, True, {'a': [1]})
    """

    __slots__ = ("_at", "_depth", "_end", "_in_string", "_root", "ends", "value")

    def __init__(self) -> None:
        self._at: int = 0
        self._depth: int = 0
        self._in_string: bool = False
        self._root: str = ""
        """The first character of the value, once it is there."""
        self.ends: tuple[str, ...] = _ANY_END
        """How a text ends that may be whole; by one mark, if the root has one."""
        self._end: int = -1
        """Just behind the root's closing bracket or quote, once it is known."""
        self.value: object = ABSENT
        """The value, once the text is whole."""

    def read(self, text: str) -> bool:
        """Whether ``text``, which extends what was read before, is whole."""
        if self._end >= 0:
            return self.value is not ABSENT and not text[self._end :].strip(_SPACE)
        if not (self._root or self._find_root(text)):
            return False
        if self.ends is _ANY_END:
            return self._read_scalar(text)
        return self.may_be_whole(text) and self._scan(text)

    def may_be_whole(self, text: str) -> bool:
        """Whether a look at the end of ``text`` leaves open that it is whole."""
        tail = text[-_TAIL:].rstrip(_SPACE)
        return not tail or tail.endswith(self.ends)

    def _find_root(self, text: str) -> str:
        found = _ROOT.match(text)
        self._root = "" if found is None else found[1]
        self.ends = _ENDS.get(self._root, _ANY_END)
        return self._root

    def _read_scalar(self, text: str) -> bool:
        # A number may go on, so its end is never known and it is read again.
        try:
            self.value = parse_json(text)
        except ValueError:
            self.value = ABSENT
        return self.value is not ABSENT

    def _scan(self, text: str) -> bool:
        """Count the brackets of the part that was not read yet."""
        if self._in_string and not self._leave_string(text):
            return False
        bare = _STRING.sub("", text[self._at :])
        opening = bare.find('"')
        self._at = len(text)
        if opening >= 0:
            self._in_string = True
            self._at -= _unfinished_escape(text)
            bare = bare[:opening]
        self._depth += sum(map(bare.count, "{[")) - sum(map(bare.count, "}]"))
        if self._in_string or self._depth > 0:
            return False
        self._close(text)
        return self.value is not ABSENT

    def _leave_string(self, text: str) -> bool:
        end = _TEXT.match(text, self._at)
        self._at = len(text) if end is None else end.end()
        self._in_string = self._at == len(text) or text[self._at] != '"'
        self._at += not self._in_string
        return not self._in_string

    def _close(self, text: str) -> None:
        self._end = len(text)
        try:
            self.value = parse_json(text[: self._end])
        except ValueError:
            self.value = ABSENT


def _unfinished_escape(text: str) -> int:
    """1 if the text ends with a backslash that escapes what comes next, else 0."""
    return (len(text) - len(text.rstrip("\\"))) % 2


class Reading(Enum):
    """What a snapshot's text is to the text that was tracked so far."""

    SAME = "same"
    GREW = "grew"
    EQUIVALENT = "equivalent"
    OTHER = "other"


class ArgumentText:
    """The tracked text of a call, and what of it was streamed.

    *Tracked* is what growth is measured against; *streamed* is what a reader was
    given. They differ only after the same value was written in another way.

    >>> text = ArgumentText()
    >>> text.receive('{"a":'), text.delta
    (<Reading.GREW: 'grew'>, '{"a":')
    >>> text.receive('{"a":1}'), text.delta, text.complete
    (<Reading.GREW: 'grew'>, '1}', True)
    >>> text.receive('{ "a": 1.0 }'), text.streamed
    (<Reading.EQUIVALENT: 'equivalent'>, '{"a":1}')
    """

    __slots__ = ("_streamed", "_whole", "delta", "tracked")

    def __init__(self) -> None:
        self.tracked: str = ""
        self.delta: str = ""
        """What the last :data:`Reading.GREW` added."""
        self._streamed: str | None = None
        self._whole: WholeJSON = WholeJSON()

    @property
    def streamed(self) -> str:
        """Everything that was ever added, in order."""
        return self.tracked if self._streamed is None else self._streamed

    @property
    def value(self) -> object:
        """The value of the streamed text, once :attr:`complete`."""
        if self._streamed is None:
            return self._whole.value
        return parse_json(self._streamed)

    @property
    def complete(self) -> bool:
        """Whether the tracked text is one whole JSON value."""
        return self._whole.read(self.tracked)

    def grow(self, text: object) -> str | None:
        """Take what ``text`` adds, if it adds and surely is not whole JSON by it.

        ``None``, and nothing is taken, if it takes more than a look to tell.

        >>> text = ArgumentText()
        >>> text.receive('{"a":'), text.complete, text.grow('{"a": 1'), text.tracked
        (<Reading.GREW: 'grew'>, False, ' 1', '{"a": 1')
        >>> text.grow('{"a": 1}'), text.grow('{"b"'), text.tracked
        (None, None, '{"a": 1')
        """
        tracked = self.tracked
        if type(text) is not str or not text.startswith(tracked):
            return None
        whole = self._whole
        # The first look alone is enough mostly, and spares a call.
        if text.endswith(whole.ends) and whole.may_be_whole(text):
            return None
        delta = text[len(tracked) :]
        if self._streamed is not None:
            self._streamed += delta
        self.tracked = text
        return delta

    def receive(self, text: str) -> Reading:
        """Take a text that may extend the tracked one; growth is in :attr:`delta`."""
        tracked = self.tracked
        if text == tracked:
            return Reading.SAME
        if text.startswith(tracked):
            self.delta = text[len(tracked) :]
            if self._streamed is not None:
                self._streamed += self.delta
            self.tracked = text
            return Reading.GREW
        if self.same_value(text):
            self._rewrite(text)
            return Reading.EQUIVALENT
        return Reading.OTHER

    def same_value(self, text: str) -> bool:
        """Whether ``text`` is the tracked value, written in another way."""
        return self.complete and equivalent_json(self.tracked, text)

    def replace(self, text: str) -> bool:
        """Track ``text``, streaming nothing; whether it says the same."""
        same = text == self.tracked or self.same_value(text)
        self._rewrite(text)
        return same

    def _rewrite(self, text: str) -> None:
        if self._streamed is None:
            self._streamed = self.tracked
        self.tracked = text
        self._whole = WholeJSON()
