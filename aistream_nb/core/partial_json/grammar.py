"""JSON text read as far as it goes: one engine, fed piece by piece.

The engine reads strict JSON only. Rules that a change must keep:

- Every character is looked at once, or a bounded number of times. Containers grow in
  place, an open string grows in place, and only a number, a literal or an escape that
  the text breaks off in is read again, with what follows it. So a whole stream costs
  as much as its length.
- What is due next is a table: character to action. A character without a row breaks
  the text, for good; nothing after it is read. The tables are at the end; an action is
  a function that reads one token and says where it ended.
- No recursion: depth is the length of a list.

What a number means that is not finished is the one thing on which its two users
differ, so they hand it in. What they do with broken text is theirs alone
(:mod:`aistream_nb.core.partial_json`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from aistream_nb.core.partial_json.tokens import (
    DIGITS,
    ESCAPE_START,
    LITERALS,
    NUMBER_LIMIT,
    Number,
    grow_text,
    is_plain,
    match_number_start,
    match_space,
    read_number,
    read_run,
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


class GrammarReader:
    """Strict JSON text in pieces, and the value so far at any time.

    The value is a live view: the reader goes on writing into it. ``root`` and
    ``fault`` are for everybody, the other fields for the actions of this module.
    """

    __slots__ = (
        "after",
        "budget",
        "covered",
        "due",
        "fault",
        "inside",
        "key_text",
        "rest",
        "root",
        "shown",
        "slot",
        "stack",
        "top",
        "unfinished",
        "unread",
    )

    def __init__(self, *, unfinished: Callable[[str], Number | Absent]) -> None:
        self.root: list[Any] = []
        """The value so far, in a list; empty while there is none."""
        self.fault: Fault = "none"
        """Why no strict JSON can come of the text any more, if so."""
        self.unread = ""  # what came after a fault
        self.unfinished = unfinished
        self.top: Any = self.root  # the innermost open container
        self.slot: Any = _AT_END  # where its next value goes; a key, in an object
        self.stack: list[tuple[Any, Any, _Table]] = []  # the containers around it
        self.due: _Table = _VALUE
        self.after: _Table = _END  # what is due after a value in ``top``
        self.inside: _Inside | None = None  # goes on in an open string
        self.key_text: list[str] = [""]  # an open key, where grow_text can reach it
        self.rest = ""  # a token that the text broke off in
        self.shown = False  # a value stands where ``rest`` will put one
        self.covered: object = ABSENT  # what that value covers
        self.budget = 0  # characters that vain tries may still look at

    @property
    def complete(self) -> bool:
        """Whether the whole text so far is strict JSON."""
        if self.unread:
            return False
        if self.due is _END:
            return True
        return not self.stack and read_number(self.rest) is not ABSENT

    @property
    def path(self) -> tuple[str, ...]:
        """The keys from the root to the innermost value that may still grow."""
        steps = [_step(container, slot) for container, slot, _ in self.stack[1:]]
        in_string = self.inside is _more_string
        if self.stack and (in_string or self.rest[:1] in _NUMBER_BEGINS):
            is_there = in_string or self.shown
            steps.append(_step(self.top, self.slot, is_there=is_there))
        return tuple(steps)

    def receive(self, text: str) -> str:
        """Read on; the answer is what was not read, because of a fault."""
        if self.unread:
            return text
        if self.rest:
            text = self.rest + text
            self.rest = ""
            if self.shown:
                _retract(self)
        elif (
            self.inside is _more_string
            and '"' not in text
            and "\\" not in text
            and text.isprintable()
        ):  # most of a long string; what grow_text does, without a call
            top, slot = self.top, self.slot
            whole = top[slot]
            top[slot] = ""
            whole += text
            top[slot] = whole
            return ""
        end = len(text)
        self.budget = _SCANS * end if end > _WORTH_SCANNING and is_plain(text) else 0
        inside = self.inside
        pos = 0 if inside is None else inside(self, text)
        while pos < end:
            pos = self.due.get(text[pos], _fail)(self, text, pos)
        return self.unread


_Action: TypeAlias = Callable[[GrammarReader, str, int], int]
_Inside: TypeAlias = Callable[[GrammarReader, str], int]
_Table: TypeAlias = Mapping[str, _Action]


def _fail(reader: GrammarReader, text: str, pos: int) -> int:
    reader.fault = "overrun" if reader.due is _END else "broken"
    reader.unread = text[pos:]
    return len(text)


def _skip(_reader: GrammarReader, text: str, pos: int) -> int:
    return match_space(text, pos).end()


def _step(container: Any, slot: Any, *, is_there: bool = True) -> str:
    """The key of the value that is written now."""
    if slot is not _AT_END:
        return slot
    return str(len(container) - 1 if is_there else len(container))


# -------------------------------------------------------------------- containers


def _open_object(reader: GrammarReader, text: str, pos: int) -> int:
    if reader.budget > 0 and (stop := _scan(reader, text, pos)):
        return stop
    _enter(reader, {})
    reader.due, reader.after = _FIRST_KEY, _AFTER_MEMBER
    return pos + 1


def _open_array(reader: GrammarReader, text: str, pos: int) -> int:
    if reader.budget > 0 and (stop := _scan(reader, text, pos)):
        return stop
    _enter(reader, [])
    reader.due, reader.after = _FIRST_ITEM, _AFTER_ITEM
    return pos + 1


def _scan(reader: GrammarReader, text: str, pos: int) -> int:
    """Read a container that lies whole before us; 0 if it does not seem to."""
    found = scan_value(text, pos)
    if found is None:
        reader.budget -= len(text) - pos
        return 0
    _put(reader, found[0])
    reader.due = reader.after
    return found[1]


def _enter(reader: GrammarReader, container: Any) -> None:
    _put(reader, container)
    reader.stack.append((reader.top, reader.slot, reader.after))
    reader.top, reader.slot = container, _AT_END


def _close(reader: GrammarReader, _text: str, pos: int) -> int:
    reader.top, reader.slot, reader.after = reader.stack.pop()
    reader.due = reader.after
    return pos + 1


def _next_item(reader: GrammarReader, text: str, pos: int) -> int:
    reader.due = _VALUE
    return pos + 2 if text[pos + 1 : pos + 2] == " " else pos + 1


def _next_member(reader: GrammarReader, text: str, pos: int) -> int:
    if text[pos + 1 : pos + 3] == ' "':
        return _open_key(reader, text, pos + 2)
    reader.due = _NEXT_KEY
    return pos + 1


def _colon(reader: GrammarReader, text: str, pos: int) -> int:
    reader.due = _VALUE
    return pos + 2 if text[pos + 1 : pos + 2] == " " else pos + 1


def _put(reader: GrammarReader, value: Any) -> None:
    if reader.slot is _AT_END:
        reader.top.append(value)
    else:
        reader.top[reader.slot] = value


# -------------------------------------------------------------------- strings


def _open_key(reader: GrammarReader, text: str, pos: int) -> int:
    key, stop, is_closed = read_run(text, pos + 1)
    if not is_closed:
        reader.key_text[0] = key
        reader.inside = _more_key
        return _cut(reader, text, stop)
    reader.slot = key
    if text[stop + 1 : stop + 3] == ": ":
        reader.due = _VALUE
        return stop + 3
    reader.due = _COLON
    return stop + 1


def _more_key(reader: GrammarReader, text: str) -> int:
    piece, stop, is_closed = read_run(text, 0)
    if piece:
        grow_text(reader.key_text, 0, piece)
    if not is_closed:
        return _cut(reader, text, stop)
    reader.inside, reader.due = None, _COLON
    reader.slot = reader.key_text[0]
    return stop + 1


def _open_string(reader: GrammarReader, text: str, pos: int) -> int:
    value, stop, is_closed = read_run(text, pos + 1)
    _put(reader, value)
    if not is_closed:
        reader.inside = _more_string
        return _cut(reader, text, stop)
    reader.due = reader.after
    return stop + 1


def _more_string(reader: GrammarReader, text: str) -> int:
    piece, stop, is_closed = read_run(text, 0)
    if piece:
        grow_text(reader.top, reader.slot, piece)
    if not is_closed:
        return _cut(reader, text, stop)
    reader.inside, reader.due = None, reader.after
    return stop + 1


def _cut(reader: GrammarReader, text: str, stop: int) -> int:
    """The string goes on behind the text's end, or cannot go on."""
    if stop == len(text):
        return stop
    escape = ESCAPE_START.match(text, stop)
    if escape and escape.end() == len(text):
        reader.rest = text[stop:]
        return len(text)
    return _fail(reader, text, stop)


# -------------------------------------------------------------------- other tokens


def _number(reader: GrammarReader, text: str, pos: int) -> int:
    match = match_number_start(text, pos)
    token = match[0]
    length = len(token)
    stop, is_short = pos + length, length <= NUMBER_LIMIT
    is_whole = token[-1] in DIGITS and is_short
    if not is_whole:
        value = reader.unfinished(token)
    elif match.lastindex is None:
        value = int(token)
    else:
        value = float(token)
    if stop == len(text) and is_short:
        reader.rest = token
        _show(reader, value)
        return stop
    if is_whole:
        _put(reader, value)
        reader.due = reader.after
        return stop
    _show(reader, value)
    return _fail(reader, text, pos)


def _literal(reader: GrammarReader, text: str, pos: int) -> int:
    word, value = LITERALS[text[pos]]
    if text.startswith(word, pos):
        _put(reader, value)
        reader.due = reader.after
        return pos + len(word)
    if word.startswith(text[pos:]):
        reader.rest = text[pos:]
        _show(reader, value)
        return len(text)
    _put(reader, value)
    return _fail(reader, text, pos)


def _show(reader: GrammarReader, value: object) -> None:
    """Put what the token seems to be; what it covers is kept."""
    if value is ABSENT:
        return
    if reader.slot is _AT_END:
        reader.top.append(value)
    else:
        reader.covered = reader.top.get(reader.slot, ABSENT)
        reader.top[reader.slot] = value
    reader.shown = True


def _retract(reader: GrammarReader) -> None:
    """Take back what was shown; the token is read again with what follows."""
    reader.shown = False
    if reader.slot is _AT_END:
        reader.top.pop()
    elif reader.covered is ABSENT:
        del reader.top[reader.slot]
    else:
        reader.top[reader.slot] = reader.covered


# -------------------------------------------------------------------- what is due

_BLANK: Final[_Table] = dict.fromkeys(" \t\n\r", _skip)
_VALUE: Final[_Table] = {
    **_BLANK,
    **dict.fromkeys("-0123456789", _number),
    **dict.fromkeys(LITERALS, _literal),
    '"': _open_string,
    "{": _open_object,
    "[": _open_array,
}
_FIRST_ITEM: Final[_Table] = {**_VALUE, "]": _close}
_FIRST_KEY: Final[_Table] = {**_BLANK, '"': _open_key, "}": _close}
_NEXT_KEY: Final[_Table] = {**_BLANK, '"': _open_key}
_COLON: Final[_Table] = {**_BLANK, ":": _colon}
_AFTER_MEMBER: Final[_Table] = {**_BLANK, ",": _next_member, "}": _close}
_AFTER_ITEM: Final[_Table] = {**_BLANK, ",": _next_item, "]": _close}
_END: Final[_Table] = _BLANK
