"""Values in the words of a difference: readable, bounded, side by side."""

from __future__ import annotations

from typing import Final

from aistream_nb.core.json_text import UnencodableError, encode_json

__all__ = ["parting", "short", "words"]

_LONGEST: Final = 300
_LEAD: Final = 40
"""So much of what is the same is shown before the place where two texts part."""


def words(value: object) -> str:
    """A value as text; text is itself.

    >>> words({"n": 1}), words("n"), words(None)
    ('{"n":1}', 'n', 'nothing')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "nothing"
    try:
        return encode_json(value)
    except UnencodableError:
        return repr(value)


def short(text: str) -> str:
    """A text that is no longer than a few lines."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def parting(was: str, now: str) -> str:
    """Both texts from shortly before the place where they part.

    >>> print(parting("Good day", "Good night"))
      was: 'Good day'
      now: 'Good night'
    """
    pairs = enumerate(zip(was, now, strict=False))
    shorter = min(len(was), len(now))
    same = next((at for at, (one, other) in pairs if one != other), shorter)
    start = max(0, same - _LEAD)
    lead = "…" if start else ""
    return f"  was: {lead}{short(was[start:])!r}\n  now: {lead}{short(now[start:])!r}"
