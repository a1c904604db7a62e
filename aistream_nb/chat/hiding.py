"""Secrets taken out of what a notebook keeps of the display of a chat.

A model may say a key that it was sent with; a person who watches sees what it said. But
the static forms stay in the saved notebook, and what is kept holds no secret, as in a
recording. Only values that we were told are hidden here, in every spelling in which
text stands in such a form.
"""

from __future__ import annotations

from html import escape
from typing import Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.redaction import REDACTED

__all__ = ["Hiding"]

_SHORTEST: Final = 6
"""As in a recording: shorter words are no secrets."""


class Hiding:
    """Hides what it has learned.

    >>> hiding = Hiding()
    >>> hiding.learn("hunter2&co")
    >>> hiding.hide("<p>it is hunter2&amp;co</p>")
    '<p>it is [redacted]</p>'
    """

    def __init__(self) -> None:
        self._spellings: dict[str, None] = {}

    def learn(self, secret: str) -> None:
        """Hide this value from now on."""
        if len(secret) < _SHORTEST:
            return
        for spelling in (secret, encode_json(secret)[1:-1]):
            self._spellings |= {spelling: None, escape(spelling): None}

    def hide(self, text: str) -> str:
        """The finished text without what was learned."""
        for spelling in self._spellings:
            text = text.replace(spelling, REDACTED)
        return text
