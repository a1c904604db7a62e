"""JSON text read as far as it goes: one engine, fed piece by piece.

The engine reads strict JSON only. Rules that a change must keep:

- Every character is looked at once, or a bounded number of times. Containers grow in
  place, an open string grows in place, and only a number, a literal or an escape that
  the text breaks off in is read again, with what follows it. So a whole stream costs
  as much as its length.
- What is due next is a table: character to action. A character without a row breaks
  the text, for good; nothing after it is read.
- No recursion: depth is the length of a list.

What a number means that is not finished is the one thing on which its two users
differ, so they hand it in. What they do with broken text is theirs alone
(:mod:`aistream_nb.core.partial_json`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Literal, TypeAlias

from aistream_nb.core.partial_json_tokens import (
    DIGITS,
    ESCAPE_START,
    LITERALS,
    NUMBER_LIMIT,
    Number,
    decode_run,
    grow_text,
    is_plain,
    match_number_start,
    match_space,
    match_string_run,
    read_number,
    scan_value,
)
from aistream_nb.core.values import ABSENT, Absent

__all__ = ["Fault", "GrammarReader"]

Fault: TypeAlias = Literal["none", "broken", "overrun"]
"""Whether strict JSON can still come of the text.

``broken``: a character fits nowhere. ``overrun``: the root had ended before it.
"""

_AT_END: Final = -1
_NUMBER_BEGINS: Final = DIGITS | {"-"}
_WORTH_SCANNING: Final = 64
"""A container is tried in one go if so many characters lie before us."""
_SCANS: Final = 4
"""The cost of vain tries, at most, in lengths of the piece at hand."""

_Action: TypeAlias = Callable[[Any, str, int], int]
_Table: TypeAlias = Mapping[str, _Action]


class GrammarReader:
    """Strict JSON text in pieces, and the value so far at any time.

    The value is a live view: the reader goes on writing into it.
    """

    __slots__ = (
        "_after",
        "_budget",
        "_covered",
        "_due",
        "_inside",
        "_key_text",
        "_rest",
        "_shown",
        "_slot",
        "_stack",
        "_top",
        "_unfinished",
        "_unread",
        "fault",
        "root",
    )

    def __init__(self, *, unfinished: Callable[[str], Number | Absent]) -> None:
        self.fault: Fault = "none"
        """Why no strict JSON can come of the text any more, if so."""
        self._unfinished = unfinished
        self.root: list[Any] = []
        """The value so far, in a list; empty while there is none."""
        self._top: Any = self.root  # the innermost open container
        self._slot: Any = _AT_END  # where its next value goes; a key, in an object
        self._stack: list[tuple[Any, Any, _Table]] = []  # the ones around it
        self._due: _Table = self._VALUE
        self._after: _Table = self._END  # what is due after a value in ``_top``
        self._inside: Callable[[str], int] | None = None  # goes on in an open string
        self._key_text: list[str] = [""]  # an open key, where grow_text can reach it
        self._rest = ""  # a token that the text broke off in
        self._shown = False  # a value stands where ``_rest`` will put one
        self._covered: object = ABSENT  # what that value covers
        self._unread = ""  # what came after a fault
        self._budget = 0  # characters that vain tries may still look at

    # ------------------------------------------------------------ what it says

    @property
    def complete(self) -> bool:
        """Whether the whole text so far is strict JSON."""
        if self.fault != "none":
            return False
        if self._due is self._END:
            return True
        return not self._stack and read_number(self._rest) is not ABSENT

    @property
    def path(self) -> tuple[str, ...]:
        """The keys from the root to the innermost value that may still grow."""
        inside = self._stack[1:]
        steps = [_step(container, slot) for container, slot, _ in inside]
        in_string = self._inside == self._more_string
        if self._stack and (in_string or self._rest[:1] in _NUMBER_BEGINS):
            is_there = in_string or self._shown
            steps.append(_step(self._top, self._slot, is_there=is_there))
        return tuple(steps)

    # ------------------------------------------------------------ reading

    def receive(self, text: str) -> str:
        """Read on; the answer is what was not read, because of a fault."""
        if self.fault != "none":
            return text
        if self._rest:
            text = self._rest + text
            self._rest = ""
            if self._shown:
                self._retract()
        pos, end = 0, len(text)
        if end > _WORTH_SCANNING:
            self._budget = _SCANS * end if is_plain(text) else 0
        if self._inside:
            pos = self._inside(text)
        while pos < end:
            action = self._due.get(text[pos])
            pos = action(self, text, pos) if action else self._fail(text, pos)
        return self._unread

    def _fail(self, text: str, pos: int) -> int:
        self.fault = "overrun" if self._due is self._END else "broken"
        self._unread = text[pos:]
        return len(text)

    def _skip(self, text: str, pos: int) -> int:
        return match_space(text, pos).end()

    # ------------------------------------------------------------ containers

    def _open_object(self, text: str, pos: int) -> int:
        if len(text) - pos > _WORTH_SCANNING and (stop := self._scan(text, pos)):
            return stop
        self._enter({})
        self._due, self._after = self._FIRST_KEY, self._AFTER_MEMBER
        return pos + 1

    def _open_array(self, text: str, pos: int) -> int:
        if len(text) - pos > _WORTH_SCANNING and (stop := self._scan(text, pos)):
            return stop
        self._enter([])
        self._due, self._after = self._FIRST_ITEM, self._AFTER_ITEM
        return pos + 1

    def _scan(self, text: str, pos: int) -> int:
        """Read a container that lies whole before us; 0 if it does not seem to."""
        if self._budget <= 0:
            return 0
        found = scan_value(text, pos)
        if found is None:
            self._budget -= len(text) - pos
            return 0
        self._put(found[0])
        self._due = self._after
        return found[1]

    def _enter(self, container: Any) -> None:
        self._put(container)
        self._stack.append((self._top, self._slot, self._after))
        self._top, self._slot = container, _AT_END

    def _close(self, _text: str, pos: int) -> int:
        self._top, self._slot, self._after = self._stack.pop()
        self._due = self._after
        return pos + 1

    def _next_item(self, text: str, pos: int) -> int:
        self._due = self._VALUE
        return pos + 2 if text.startswith(" ", pos + 1) else pos + 1

    def _next_member(self, text: str, pos: int) -> int:
        if text.startswith(' "', pos + 1):
            return self._open_key(text, pos + 2)
        self._due = self._NEXT_KEY
        return pos + 1

    def _put(self, value: Any) -> None:
        if self._slot is _AT_END:
            self._top.append(value)
        else:
            self._top[self._slot] = value

    # ------------------------------------------------------------ strings

    def _open_key(self, text: str, pos: int) -> int:
        stop = match_string_run(text, pos + 1).end()
        self._key_text[0] = decode_run(text[pos + 1 : stop])
        if text.startswith('"', stop):
            return self._end_key(text, stop)
        self._inside = self._more_key
        return self._cut(text, stop)

    def _more_key(self, text: str) -> int:
        stop = match_string_run(text, 0).end()
        if stop:
            grow_text(self._key_text, 0, decode_run(text[:stop]))
        if text.startswith('"', stop):
            return self._end_key(text, stop)
        return self._cut(text, stop)

    def _end_key(self, text: str, stop: int) -> int:
        self._inside = None
        self._slot = self._key_text[0]
        if text.startswith('": ', stop):
            self._due = self._VALUE
            return stop + 3
        self._due = self._COLON
        return stop + 1

    def _colon(self, text: str, pos: int) -> int:
        self._due = self._VALUE
        return pos + 2 if text.startswith(" ", pos + 1) else pos + 1

    def _open_string(self, text: str, pos: int) -> int:
        stop = match_string_run(text, pos + 1).end()
        self._put(decode_run(text[pos + 1 : stop]))
        if text.startswith('"', stop):
            self._due = self._after
            return stop + 1
        self._inside = self._more_string
        return self._cut(text, stop)

    def _more_string(self, text: str) -> int:
        stop = match_string_run(text, 0).end()
        if stop:
            grow_text(self._top, self._slot, decode_run(text[:stop]))
        if stop == len(text):
            return stop
        if text[stop] == '"':
            self._inside, self._due = None, self._after
            return stop + 1
        return self._cut(text, stop)

    def _cut(self, text: str, stop: int) -> int:
        """The string goes on behind the text's end, or cannot go on."""
        if stop == len(text):
            return stop
        escape = ESCAPE_START.match(text, stop)
        if escape and escape.end() == len(text):
            self._rest = text[stop:]
            return len(text)
        return self._fail(text, stop)

    # ------------------------------------------------------------ other tokens

    def _number(self, text: str, pos: int) -> int:
        match = match_number_start(text, pos)
        stop, token = match.end(), match[0]
        value: Number | Absent = ABSENT
        if token[-1] not in DIGITS or len(token) > NUMBER_LIMIT:
            value = self._unfinished(token)
        elif match.lastindex is None:
            value = int(token)
        else:
            value = float(token)
        if stop == len(text) and len(token) <= NUMBER_LIMIT:
            return self._break_off(token, stop, value)
        if token[-1] not in DIGITS or value is ABSENT:
            self._show(value)
            return self._fail(text, stop)
        self._put(value)
        self._due = self._after
        return stop

    def _literal(self, text: str, pos: int) -> int:
        word, value = LITERALS[text[pos]]
        if text.startswith(word, pos):
            self._put(value)
            self._due = self._after
            return pos + len(word)
        if word.startswith(text[pos:]):
            return self._break_off(text[pos:], len(text), value)
        self._put(value)
        return self._fail(text, pos)

    def _break_off(self, token: str, stop: int, value: object) -> int:
        """Keep the token for the next piece, and show what it seems to be."""
        self._rest = token
        self._show(value)
        return stop

    def _show(self, value: object) -> None:
        if value is ABSENT:
            return
        if self._slot is not _AT_END:
            self._covered = self._top.get(self._slot, ABSENT)
        self._put(value)
        self._shown = True

    def _retract(self) -> None:
        """Take back what was shown; the token is read again with what follows."""
        self._shown = False
        if self._slot is _AT_END:
            self._top.pop()
        elif self._covered is ABSENT:
            del self._top[self._slot]
        else:
            self._top[self._slot] = self._covered

    # ------------------------------------------------------------ what is due

    _BLANK: ClassVar[dict[str, _Action]] = dict.fromkeys(" \t\n\r", _skip)
    _VALUE: ClassVar[_Table] = {
        **_BLANK,
        **dict.fromkeys("-0123456789", _number),
        **dict.fromkeys(LITERALS, _literal),
        '"': _open_string,
        "{": _open_object,
        "[": _open_array,
    }
    _FIRST_ITEM: ClassVar[_Table] = {**_VALUE, "]": _close}
    _FIRST_KEY: ClassVar[_Table] = {**_BLANK, '"': _open_key, "}": _close}
    _NEXT_KEY: ClassVar[_Table] = {**_BLANK, '"': _open_key}
    _COLON: ClassVar[_Table] = {**_BLANK, ":": _colon}
    _AFTER_MEMBER: ClassVar[_Table] = {**_BLANK, ",": _next_member, "}": _close}
    _AFTER_ITEM: ClassVar[_Table] = {**_BLANK, ",": _next_item, "]": _close}
    _END: ClassVar[_Table] = _BLANK


def _step(container: Any, slot: Any, *, is_there: bool = True) -> str:
    """The key of the value that is written now."""
    if slot is not _AT_END:
        return slot
    return str(len(container) - 1 if is_there else len(container))
