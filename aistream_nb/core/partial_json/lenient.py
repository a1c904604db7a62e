"""The reference's reading of text that is no JSON (stream processor, section 10).

Every odd rule of that section is kept: what a value is does not depend on what
follows it, the colon is any character, commas are optional, a member that fails ends
its container, which then counts as read. Rules that a change must keep:

- The value after any pieces equals the value of their joined text.
- No recursion, and no text is read again without end. One rule looks ahead: a number
  with a cut exponent stands only if no later ``e`` comes anywhere in the text. Such a
  number is a guess. There is at most one, and what was written since is logged, so
  that an ``e`` can undo it. The text since then has no ``e``, hence no other guess,
  and is read a second time and never a third.

The text that comes in has no white space at its ends: the caller trims.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from aistream_nb.core.partial_json.tokens import (
    ESCAPE_START,
    NUMBER_LIMIT,
    Number,
    decode_run,
    grow_text,
    match_space,
    match_string_run,
    read_number,
)
from aistream_nb.core.values import ABSENT, Absent, JSONValue

__all__ = ["LenientReader"]

_WORDS: Final[tuple[tuple[str, JSONValue], ...]] = (
    ("null", None),
    ("true", True),
    ("false", False),
    ("Infinity", float("inf")),
    ("-Infinity", float("-inf")),
    ("NaN", float("nan")),
)
_BLANKS: Final = " \t\n\r"
_NUMBER_END: Final = re.compile(r"[,\]}]")
_SPOILT_RUN: Final = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_ASTRAL: Final = "\U00010000"

_Step: TypeAlias = Callable[[str, int], int]


class _Frame(NamedTuple):
    """An open container and the one around it; never changed, so a guess keeps it."""

    container: Any
    is_object: bool
    parent: _Frame | None


class _Write(NamedTuple):
    """One write, and what it covered."""

    container: Any
    key: str | None
    covered: Any


class _Guess(NamedTuple):
    """A number that the next ``e`` makes a failure."""

    frame: _Frame | None
    end: int
    since: list[str]


class LenientReader:
    """Text of any kind, in pieces; the value so far at any time, as a live view."""

    __slots__ = (
        "_cut",
        "_due",
        "_frame",
        "_guess",
        "_in_key",
        "_kept",
        "_key",
        "_key_text",
        "_last_e",
        "_log",
        "_rest",
        "_seen",
        "_shown",
        "_start",
        "_token",
        "_token_at",
        "root",
    )

    def __init__(self) -> None:
        self.root: list[Any] = []
        """The value so far, in a list; empty if none can be made out."""
        self._frame: _Frame | None = None  # the innermost open container
        self._key: str | None = None  # where its next value goes, in an object
        self._due: _Step = self._value
        self._rest = ""  # what the text broke off in and must be read again
        self._seen = 0  # characters received
        self._start = 0  # where the text that is read now begins
        self._last_e = -1  # the last e of the whole text
        self._log: list[_Write] = []  # the last write; all writes since a guess
        self._guess: _Guess | None = None
        self._shown = False  # the last write stands for an unfinished token
        self._token = ""  # an unfinished number, as far as it can be one
        self._token_at = 0
        self._in_key = False
        self._key_text = [""]  # an open key, where grow_text can reach it
        self._kept = False  # of a spoilt string, what stands before its last \\
        self._cut: tuple[int, str] | None = None  # the open string before its last \\

    def receive(self, text: str) -> str:
        """Read on; the answer is what was not read: nothing, ever."""
        if self._due == self._ignore and self._guess is None:
            return ""
        if self._shown:
            self._take_back()
        text = self._resume(text)
        pos, end = 0, len(text)
        while pos < end:
            pos = self._due(text, pos)
        return ""

    def _resume(self, piece: str) -> str:
        """The text to read now: the piece, after what must be read again."""
        e = piece.rfind("e")
        self._start = self._seen - len(self._rest)
        text = self._rest + piece
        if self._guess:
            self._guess.since.append(piece)
            if e >= 0:
                text = self._reject(self._guess)
        if e >= 0:
            self._last_e = self._seen + e
        self._seen += len(piece)
        self._rest = ""
        return text

    def _reject(self, guess: _Guess) -> str:
        while self._log:
            self._take_back()
        self._guess = None
        self._start = guess.end
        self._frame = guess.frame
        self._fail()
        return "".join(guess.since)

    def _ignore(self, text: str, _pos: int) -> int:
        return len(text)

    # ------------------------------------------------------------ writing

    def _container(self) -> Any:
        return self._frame.container if self._frame else self.root

    def _is_in_object(self) -> bool:
        return self._frame is not None and self._frame.is_object

    def _put(self, value: Any) -> None:
        container = self._container()
        if self._guess is None:
            self._log.clear()
        if self._is_in_object():
            key = self._key
            self._log.append(_Write(container, key, container.get(key, ABSENT)))
            container[key] = value
        else:
            self._log.append(_Write(container, None, ABSENT))
            container.append(value)

    def _take_back(self) -> None:
        self._shown = False
        container, key, covered = self._log.pop()
        if key is None:
            container.pop()
        elif covered is ABSENT:
            del container[key]
        else:
            container[key] = covered

    def _show(self, value: object) -> None:
        if value is not ABSENT:
            self._put(value)
            self._shown = True

    # ------------------------------------------------------------ containers

    def _enter(self, container: Any, due: _Step, pos: int) -> int:
        self._put(container)
        is_object = due == self._first_member
        self._frame = _Frame(container, is_object, self._frame)
        self._due = due
        return pos + 1

    def _leave(self) -> None:
        self._frame = self._frame.parent if self._frame else None
        self._end_value()

    _fail = _leave
    """A failure ends the container around it, which keeps what it has."""

    def _end_value(self) -> None:
        self._due = self._after if self._frame else self._ignore

    def _after(self, text: str, pos: int) -> int:
        pos = match_space(text, pos).end()
        self._due = self._member if self._is_in_object() else self._item
        return pos + (text[pos] == ",")

    def _item(self, text: str, pos: int) -> int:
        if text[pos] == "]":
            self._leave()
            return pos + 1
        self._due = self._value
        return pos

    def _first_member(self, text: str, pos: int) -> int:
        self._due = self._member
        return match_space(text, pos).end()

    def _member(self, text: str, pos: int) -> int:
        if text[pos] == "}":
            self._leave()
            return pos + 1
        self._due = self._open_key
        return pos

    def _colon(self, text: str, pos: int) -> int:
        pos = match_space(text, pos).end()
        self._due = self._value
        return pos if text[pos] >= _ASTRAL else pos + 1

    # ------------------------------------------------------------ values

    def _value(self, text: str, pos: int) -> int:
        pos = match_space(text, pos).end()
        first = text[pos]
        if first == '"':
            self._put("")
            return self._open_text(text, pos, is_key=False)
        if first == "{":
            return self._enter({}, self._first_member, pos)
        if first == "[":
            return self._enter([], self._item, pos)
        return self._word(text, pos)

    def _word(self, text: str, pos: int) -> int:
        left = len(text) - pos
        if left == 1 and text[pos] == "-":
            self._rest = "-"
            return len(text)
        for word, value in _WORDS:
            if text.startswith(word, pos):
                self._put(value)
                self._end_value()
                return pos + len(word)
            if left < len(word) and word.startswith(text[pos:]):
                self._rest = text[pos:]
                self._show(value)
                return len(text)
        self._token, self._token_at = "", self._start + pos
        self._due = self._number
        return pos

    def _number(self, text: str, pos: int) -> int:
        end = _NUMBER_END.search(text, pos) if self._frame else None
        stop = end.start() if end else len(text)
        if len(self._token) <= NUMBER_LIMIT:
            self._token += text[pos : min(stop, pos + NUMBER_LIMIT + 1)]
        whole = read_number(self._token.strip(_BLANKS))
        value = self._before_e() if whole is ABSENT else whole
        if end is None:
            self._show(value)
        elif value is ABSENT:
            self._fail()
        else:
            self._put(value)
            if whole is ABSENT:
                self._guess = _Guess(self._frame, self._start + stop, [text[stop:]])
            self._end_value()
        return stop

    def _before_e(self) -> Number | Absent:
        length = self._last_e - self._token_at
        if length < 0:
            return ABSENT
        return read_number(self._token[:length].strip(_BLANKS))

    # ------------------------------------------------------------ strings

    def _open_key(self, text: str, pos: int) -> int:
        pos = match_space(text, pos).end()
        self._key_text[0] = ""
        return self._open_text(text, pos, is_key=True)

    def _open_text(self, text: str, pos: int, *, is_key: bool) -> int:
        self._in_key = is_key
        self._cut = None
        self._kept = False
        self._due = self._text if text[pos] == '"' else self._spoilt_text
        return pos + 1

    def _text(self, text: str, pos: int) -> int:
        stop = match_string_run(text, pos).end()
        if stop > pos:
            self._grow(text[pos:stop])
        if stop == len(text):
            return stop
        if text[stop] == '"':
            self._end_text()
            return stop + 1
        cut = ESCAPE_START.match(text, stop)
        if cut and cut.end() == len(text):
            self._rest = text[stop:]
            return len(text)
        return self._spoil(stop, is_escape=cut is not None)

    def _slot(self) -> tuple[Any, Any]:
        """Where the open string is written."""
        if self._in_key:
            return self._key_text, 0
        write = self._log[-1]
        return write.container, -1 if write.key is None else write.key

    def _grow(self, run: str) -> None:
        container, slot = self._slot()
        last = run.rfind("\\")
        if last >= 0:
            before = run[: last + 1]
            is_second = (len(before) - len(before.rstrip("\\"))) % 2 == 0
            if is_second:
                self._cut = None
            else:
                grow_text(container, slot, decode_run(run[:last]))
                self._cut = (len(container[slot]), container[slot][-1:])
                run = run[last:]
        grow_text(container, slot, decode_run(run))

    def _end_text(self) -> None:
        if self._in_key:
            self._key = self._key_text[0]
            self._due = self._colon
        else:
            self._end_value()

    def _spoil(self, pos: int, *, is_escape: bool) -> int:
        """The string will fail. Until it ends, it is cut at its last backslash."""
        self._due = self._spoilt_text
        self._kept = not self._in_key
        if is_escape:
            return pos + 2
        if self._kept and self._cut:
            container, slot = self._slot()
            length, last = self._cut
            container[slot] = container[slot][: max(length - 1, 0)] + last
        elif self._kept:
            self._lose()
        return pos

    def _lose(self) -> None:
        self._kept = False
        self._take_back()

    def _spoilt_text(self, text: str, pos: int) -> int:
        run = _SPOILT_RUN.match(text, pos)
        stop = run.end() if run else pos
        is_closed = text[stop : stop + 1] == '"'
        if self._kept and (is_closed or "\\" in text[pos : stop + 1]):
            self._lose()
        if is_closed:
            self._fail()
            return stop + 1
        self._rest = text[stop:]
        return len(text)
