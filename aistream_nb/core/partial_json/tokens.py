"""The tokens of JSON text that may break off: shared by the two readers.

Patterns, and what a token means. Every pattern is possessive, so that no text makes a
match slower than its length. No state is kept here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from json import JSONDecoder
from typing import Any, Final, NoReturn, TypeAlias, cast

from aistream_nb.core.json_text import join_surrogates
from aistream_nb.core.values import ABSENT, Absent

__all__ = [
    "DIGITS",
    "ESCAPE_START",
    "LITERALS",
    "NUMBER",
    "NUMBER_LIMIT",
    "Number",
    "decode_run",
    "grow_text",
    "is_plain",
    "match_number_start",
    "match_space",
    "match_string_run",
    "read_number",
    "read_run",
    "scan_value",
]

Number: TypeAlias = int | float

NUMBER_LIMIT: Final = 4300
"""A longer number is refused, as Python refuses an integer of more digits.

The limit also bounds what a number that grows digit by digit can cost.
"""

LITERALS: Final[Mapping[str, tuple[str, bool | None]]] = {
    "t": ("true", True),
    "f": ("false", False),
    "n": ("null", None),
}

DIGITS: Final = frozenset("0123456789")
NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
ESCAPE_START: Final = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?")
"""An escape that may go on behind the end of the text."""

_LOW_SURROGATES: Final = ("\udc00", "\udfff")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONG_NUMBER: Final = re.compile(rf"[-+.0-9eE]{{{NUMBER_LIMIT + 1}}}")

_SureMatch: TypeAlias = Callable[[str, int], re.Match[str]]

# These patterns may match nothing at all, so they always match.
match_string_run: Final[_SureMatch] = cast(
    _SureMatch,
    re.compile(
        r'[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+'
    ).match,
)
"""As much of a string as is whole: no quote, no control character, no cut escape."""
match_space: Final[_SureMatch] = cast(_SureMatch, re.compile(r"[ \t\n\r]*+").match)
match_number_start: Final[_SureMatch] = cast(
    _SureMatch,
    re.compile(
        r"-?(?:(?:0|[1-9][0-9]*+)"
        r"(\.[0-9]*+(?:(?<=[0-9])[eE][+-]?[0-9]*+)?|[eE][+-]?[0-9]*+)?)?"
    ).match,
)
"""What a number may begin with; group 1 is there if it is no integer."""


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


_DECODER: Final = JSONDecoder(parse_constant=_refuse_constant)


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
        run = _DECODER.raw_decode(f'"{run}"')[0]
    return run if run.isascii() else join_surrogates(run)


def read_run(text: str, pos: int) -> tuple[str, int, bool]:
    """The text of a string from ``pos`` on, its end, and whether a quote is there.

    Nearly every run has no escape and no odd character, and needs no pattern.

    >>> read_run('Oslo", ', 0), read_run("Os", 0)
    (('Oslo', 4, True), ('Os', 2, False))
    """
    stop = text.find('"', pos)
    is_closed = stop >= 0
    run = text[pos:stop] if is_closed else text[pos:]
    if run.isprintable() and "\\" not in run:  # halves of characters do not print
        return run, pos + len(run), is_closed
    stop = match_string_run(text, pos).end()
    return decode_run(text[pos:stop]), stop, text[stop : stop + 1] == '"'


def grow_text(container: Any, slot: Any, piece: str) -> None:
    """Append ``piece`` to the text at ``container[slot]``.

    The text is taken out of its slot first: CPython then extends it where it lies,
    if nobody else holds it. With a holder, or elsewhere, it is copied.
    """
    text = container[slot]
    container[slot] = ""
    if text and not piece.isascii():
        low, high = _LOW_SURROGATES
        if low <= piece[0] <= high:
            piece = join_surrogates(text[-1] + piece)
            text = text[:-1]
    text += piece
    container[slot] = text


def is_plain(text: str) -> bool:
    """Whether :func:`scan_value` reads ``text`` as the readers here do."""
    if not text.isascii() and _SURROGATE.search(text):
        return False
    return len(text) <= NUMBER_LIMIT or not _LONG_NUMBER.search(text)


def scan_value(text: str, pos: int) -> tuple[Any, int] | None:
    """The whole value that begins at ``pos``, and its end; ``None`` if it is cut.

    Compiled, hence much faster than reading token by token, but only for values that
    lie in one piece of text.
    """
    try:
        return _DECODER.raw_decode(text, pos)
    except (ValueError, RecursionError):
        return None
