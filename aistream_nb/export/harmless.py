r"""Markdown of a stranger that loads nothing where it is rendered.

An image in markdown, and anything in HTML, is fetched as soon as somebody opens the
file, and its address can carry what was said. A picture becomes a link, and HTML is
shown as it was written. Text without either is kept to the letter; code is kept.

Blocks are found by a parser, and only those that would load something are changed.
Give it a whole document: what a picture refers to, and where code ends, may stand in
another part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["harmless"]

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": True}).enable("table")
_LOADING: Final = frozenset({"image", "html_inline", "html_block"})
_MAY_LOAD: Final = re.compile(r"!\[|<[A-Za-z/!?]")
_PICTURE: Final = re.compile(r"!\[")
_AUTOLINK: Final = r"[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>"
_TAG: Final = re.compile(rf"<(?=[A-Za-z/!?])(?!{_AUTOLINK})")


def harmless(text: str) -> str:
    r"""The text without what would load something.

    >>> harmless("![a chart](https://example.org/c.png) and <b>bold</b>")
    '\\![a chart](https://example.org/c.png) and &lt;b>bold&lt;/b>'
    >>> harmless("`<b>` and ```![]()```")
    '`<b>` and ```![]()```'
    """
    if not _MAY_LOAD.search(text):
        return text
    lines = text.split("\n")
    for first, last in _loading_lines(_MARKDOWN.parse(text)):
        for at in range(first, min(last, len(lines))):
            lines[at] = _TAG.sub("&lt;", _PICTURE.sub(r"\![", lines[at]))
    return "\n".join(lines)


def _loading_lines(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """First line, and the one after the last, of each block that loads something."""
    around = (0, 0)
    for token in tokens:
        if token.map:  # a cell of a table has none: its row's is meant
            around = (token.map[0], token.map[1])
        inside = token.children or ()
        if token.type in _LOADING or any(one.type in _LOADING for one in inside):
            yield around
