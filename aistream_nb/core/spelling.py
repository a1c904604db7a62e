"""Which known name somebody most likely meant by one that is not known.

A name of another kind is never offered: it is better to offer nothing than to send
people to the wrong place. The work is bounded whatever the given name is.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

__all__ = ["nearest"]

_ALIKE: Final = 0.82
"""How much of two names has to be the same, from 0 to 1."""
_LONGEST: Final = 80
"""A longer text is no slip of the pen."""


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name that ``word`` nearly is; ``None`` if there is none like it.

    Case, ``_``, ``-`` and blanks make no difference, so that ``TextMessageEnd`` is
    known for what it means.

    >>> nearest("TEXT_MESAGE_END", ["TEXT_MESSAGE_START", "TEXT_MESSAGE_END"])
    'TEXT_MESSAGE_END'
    >>> nearest("PLUGIN_PING", ["TEXT_MESSAGE_START", "TEXT_MESSAGE_END"])
    """
    if len(word) > _LONGEST:
        return None
    bare = {_bare(name): name for name in names}
    close = get_close_matches(_bare(word), bare, n=1, cutoff=_ALIKE)
    return bare[close[0]] if close else None


def _bare(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter not in "_- ")
