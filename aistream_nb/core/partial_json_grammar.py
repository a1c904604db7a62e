"""JSON text read as far as it goes: one engine, fed piece by piece.

The engine reads strict JSON only. Rules that a change must keep:

- Every character is looked at once. Containers grow in place, an open string grows
  in place, and only a number, a literal or an escape that the text breaks off in is
  read again, with what follows it. So a whole stream costs as much as its length.
- What is due next is a table: character to action. A character without a row breaks
  the text, for good; nothing after it is read.
- No recursion: depth is the length of a list.

What a number means that is not finished is the one thing on which its two users
differ, so they hand it in. What they do with broken text is theirs alone
(:mod:`aistream_nb.core.partial_json`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Literal, TypeAlias

from aistream_nb.core.json_text import join_surrogates
from aistream_nb.core.values import ABSENT, Absent, JSONValue

__all__ = [
    "LITERALS",
    "NUMBER",
    "NUMBER_LIMIT",
    "STRING_RUN",
    "Fault",
    "GrammarReader",
    "Number",
    "decode_run",
    "grow_text",
    "read_number",
]

Number: TypeAlias = int | float
Fault: TypeAlias = Literal["none", "broken", "overrun"]
"""Whether strict JSON can still come of the text.

``broken``: a character fits nowhere. ``overrun``: the root had ended before it.
"""

NUMBER_LIMIT: Final = 4300
"""A longer number is refused, as Python refuses an integer of more digits.

The limit also bounds what a number that grows digit by digit can cost.
"""

LITERALS: Final[Mapping[str, tuple[str, bool | None]]] = {
    "t": ("true", True),
    "f": ("false", False),
    "n": ("null", None),
}

NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
_NUMBER_START: Final = re.compile(
    r"-?(?:(?:0|[1-9][0-9]*+)"
    r"(\.[0-9]*+(?:(?<=[0-9])[eE][+-]?[0-9]*+)?|[eE][+-]?[0-9]*+)?)?"
)
_SPACE: Final = re.compile(r"[ \t\n\r]*+")
STRING_RUN: Final = re.compile(
    r'[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+'
)
"""As much of a string as is whole: no quote, no control character, no cut escape."""
_ESCAPE_START: Final = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?")
_PLAIN_STRING: Final = re.compile(r'"([^"\\\x00-\x1f]*+)"')
_PLAIN_KEY: Final = re.compile(r'"([^"\\\x00-\x1f]*+)"[ \t\n\r]*+:[ \t\n\r]*+')
_LOW_SURROGATES: Final = ("\udc00", "\udfff")

_Action: TypeAlias = Callable[[Any, str, int], int]
_Table: TypeAlias = Mapping[str, _Action]


def read_number(token: str) -> Number | Absent:
    """The number that ``token`` is, or ``ABSENT`` if it is none.

    >>> read_number("-1.5e3"), read_number("01")
    (-1500.0, ABSENT)
    """
    match = NUMBER.fullmatch(token)
    if match is None or len(token) > NUMBER_LIMIT:
        return ABSENT
    return int(token) if match.lastindex is None else float(token)


def decode_run(run: str) -> str:
    """The text that a whole run of a string's characters means."""
    if "\\" in run:
        run = json.loads(f'"{run}"')
    return run if run.isascii() else join_surrogates(run)


def grow_text(container: Any, slot: Any, piece: str) -> None:
    """Append ``piece`` to the text at ``container[slot]``.

    The text is taken out of its slot first: CPython then extends it where it lies,
    if nobody else holds it. With a holder, or elsewhere, it is copied.
    """
    text = container[slot]
    container[slot] = ""
    low, high = _LOW_SURROGATES
    if text and low <= piece[:1] <= high:
        piece = join_surrogates(text[-1] + piece)
        text = text[:-1]
    text += piece
    container[slot] = text


class GrammarReader:
    """Strict JSON text in pieces, and the value so far at any time.

    The value is a live view: the reader goes on writing into it.
    """

    __slots__ = (
        "_after",
        "_box",
        "_covered",
        "_due",
        "_growing",
        "_key",
        "_key_text",
        "_rest",
        "_shown",
        "_stack",
        "_top",
        "_unfinished",
        "_unread",
        "fault",
    )

    def __init__(self, *, unfinished: Callable[[str], Number | Absent]) -> None:
        self.fault: Fault = "none"
        """Why no strict JSON can come of the text any more, if so."""
        self._unfinished = unfinished
        self._box: list[Any] = []  # where the root is put
        self._top: Any = self._box  # the innermost open container
        self._key: str | None = None  # where its next value goes; None: at the end
        self._stack: list[tuple[Any, str | None, _Table]] = []  # the ones around it
        self._due: _Table = self._VALUE
        self._after: _Table = self._END  # what is due after a value in ``_top``
        self._key_text: list[str] = [""]  # an open key, where grow_text can reach it
        self._rest = ""  # a token that the text broke off in
        self._growing = False  # the innermost value may still grow
        self._shown = False  # a value stands where ``_rest`` will put one
        self._covered: object = ABSENT  # what that value covers
        self._unread = ""  # what came after a fault

    # ------------------------------------------------------------ what it says

    @property
    def value(self) -> JSONValue | Absent:
        """The value so far; ``ABSENT`` while there is none."""
        return self._box[0] if self._box else ABSENT

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
        steps = [_step(container, key) for container, key, _ in inside]
        if self._growing and self._stack:
            steps.append(_step(self._top, self._key, missing=not self._is_there()))
        return tuple(steps)

    def _is_there(self) -> bool:
        return self._due is self._IN_STRING or self._shown

    # ------------------------------------------------------------ reading

    def receive(self, text: str) -> str:
        """Read on; the answer is what was not read, because of a fault."""
        if self.fault != "none":
            return text
        if self._rest:
            text = self._rest + text
            self._rest = ""
            self._retract()
        pos, end = 0, len(text)
        if self._due is self._IN_STRING or self._due is self._IN_KEY:
            pos = self._string(text, 0)
        while pos < end:
            action = self._due.get(text[pos])
            pos = action(self, text, pos) if action else self._fail(text, pos)
        return self._unread

    def _fail(self, text: str, pos: int) -> int:
        self.fault = "overrun" if self._due is self._END else "broken"
        self._unread = text[pos:]
        return len(text)

    def _skip(self, text: str, pos: int) -> int:
        match = _SPACE.match(text, pos)
        return match.end() if match else pos

    # ------------------------------------------------------------ containers

    def _open_object(self, _text: str, pos: int) -> int:
        self._enter({}, None)
        self._due, self._after = self._FIRST_KEY, self._AFTER_MEMBER
        return pos + 1

    def _open_array(self, _text: str, pos: int) -> int:
        self._enter([], None)
        self._due, self._after = self._FIRST_ITEM, self._AFTER_ITEM
        return pos + 1

    def _enter(self, container: Any, key: str | None) -> None:
        self._put(container)
        self._stack.append((self._top, self._key, self._after))
        self._top, self._key = container, key

    def _close(self, _text: str, pos: int) -> int:
        self._top, self._key, self._after = self._stack.pop()
        self._due = self._after
        return pos + 1

    def _next_item(self, _text: str, pos: int) -> int:
        self._due = self._VALUE
        return pos + 1

    def _next_member(self, _text: str, pos: int) -> int:
        self._due = self._NEXT_KEY
        return pos + 1

    def _put(self, value: Any) -> None:
        if self._key is None:
            self._top.append(value)
        else:
            self._top[self._key] = value

    # ------------------------------------------------------------ strings

    def _open_key(self, text: str, pos: int) -> int:
        match = _PLAIN_KEY.match(text, pos)
        if match and match[1].isascii():
            self._key, self._due = match[1], self._VALUE
            return match.end()
        self._key_text[0] = ""
        self._due = self._IN_KEY
        return self._string(text, pos + 1)

    def _open_string(self, text: str, pos: int) -> int:
        self._put("")
        self._due, self._growing = self._IN_STRING, True
        return self._string(text, pos + 1)

    def _string(self, text: str, pos: int) -> int:
        """Go on in the open string: a piece, and then its end, a cut, or a fault."""
        run = STRING_RUN.match(text, pos)
        stop = run.end() if run else pos
        if stop > pos:
            self._grow(decode_run(text[pos:stop]))
        if stop == len(text):
            return stop
        if text[stop] == '"':
            self._end_string()
            return stop + 1
        cut = _ESCAPE_START.match(text, stop)
        if cut and cut.end() == len(text):
            self._rest = text[stop:]
            return len(text)
        return self._fail(text, stop)

    def _grow(self, piece: str) -> None:
        if self._due is self._IN_KEY:
            grow_text(self._key_text, 0, piece)
        else:
            grow_text(self._top, -1 if self._key is None else self._key, piece)

    def _end_string(self) -> None:
        if self._due is self._IN_KEY:
            self._key, self._due = self._key_text[0], self._COLON
        else:
            self._due, self._growing = self._after, False

    def _colon(self, _text: str, pos: int) -> int:
        self._due = self._VALUE
        return pos + 1

    # ------------------------------------------------------------ other tokens

    def _number(self, text: str, pos: int) -> int:
        match = _NUMBER_START.match(text, pos)
        stop = match.end() if match else pos
        token = text[pos:stop]
        if stop == len(text) and len(token) <= NUMBER_LIMIT:
            self._growing = True
            return self._break_off(text, pos, self._unfinished(token))
        value = read_number(token)
        if value is ABSENT:
            self._show(self._unfinished(token))
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
            return self._break_off(text, pos, value)
        self._put(value)
        return self._fail(text, pos)

    def _break_off(self, text: str, pos: int, value: object) -> int:
        """Keep the token for the next piece, and show what it seems to be."""
        self._rest = text[pos:]
        self._show(value)
        return len(text)

    def _show(self, value: object) -> None:
        if value is ABSENT:
            return
        if self._key is not None:
            self._covered = self._top.get(self._key, ABSENT)
        self._put(value)
        self._shown = True

    def _retract(self) -> None:
        """Take back what was shown; the token is read again with what follows."""
        if not self._shown:
            return
        self._shown = self._growing = False
        if self._key is None:
            self._top.pop()
        elif self._covered is ABSENT:
            del self._top[self._key]
        else:
            self._top[self._key] = self._covered

    # ------------------------------------------------------------ what is due

    _BLANK: ClassVar[dict[str, _Action]] = dict.fromkeys(" \t\n\r", _skip)
    _IN_KEY: ClassVar[_Table] = {}
    _IN_STRING: ClassVar[_Table] = dict(_IN_KEY)
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


def _step(container: Any, key: str | None, *, missing: bool = False) -> str:
    """The key of the value that is written now; ``missing``: it is not there yet."""
    if key is not None:
        return key
    return str(len(container) if missing else len(container) - 1)
