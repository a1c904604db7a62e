"""JSON values as plain HTML and as words: facts, tables of records, text.

The live view shows the same shapes. Everything is escaped and cut at a limit, and
nothing has a style of the page around it (notebooks stripe tables).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any, Final, TypeGuard, cast

from aistream_nb.widgets.static_markdown import FAINT, LINE, MONO

__all__ = ["cut", "facts_html", "plain_html", "plain_text", "value_html"]

_PRE: Final = (
    f"{MONO};font-size:.92em;white-space:pre-wrap;margin:4px 0 0;background:none;"
    "padding:0;border:0"
)
_TABLE: Final = "border:0;border-collapse:collapse;margin:4px 0 0"
_ROW: Final = "background:none;border:0"
_CELL: Final = (
    "padding:1px 16px 1px 0;border:0;vertical-align:top;text-align:left;"
    "white-space:pre-wrap"
)
_WIDEST: Final = 12
_DEEPEST: Final = 3


def cut(text: str, limit: int) -> str:
    """The text, or its beginning and how much is missing.

    >>> print(cut("abcdef", 4))
    abcd
    … 2 more characters
    """
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n… {len(text) - limit} more characters"


def plain_text(value: object) -> str:
    """A value in words: text as it is, all else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)


def plain_html(text: str) -> str:
    """Text in a face of even width."""
    return f'<pre style="{_PRE}">{escape(text)}</pre>'


def value_html(value: object, *, limit: int) -> str:
    """A value in the shape that suits it."""
    if len(plain_text(value)) > limit:
        return plain_html(cut(plain_text(value), limit))
    if _is_facts(value):
        return facts_html(value, limit=limit)
    return _records_html(value) if _is_table(value) else plain_html(plain_text(value))


def facts_html(facts: Mapping[str, Any], *, limit: int, depth: int = 0) -> str:
    """Names and values, one pair in a row."""
    rows = "".join(
        f'<tr style="{_ROW}"><td style="{_CELL};{FAINT}">{escape(name)}</td>'
        f'<td style="{_CELL}">{_member_html(value, limit, depth)}</td></tr>'
        for name, value in facts.items()
    )
    return f'<table style="{_TABLE}"><tbody>{rows}</tbody></table>' if rows else ""


def _member_html(value: object, limit: int, depth: int) -> str:
    if _is_facts(value) and depth < _DEEPEST:
        return facts_html(value, limit=limit, depth=depth + 1)
    return escape(cut(plain_text(value), limit))


def _is_facts(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping) and bool(cast("Mapping[str, Any]", value))


def _is_table(value: object) -> TypeGuard[list[Mapping[str, Any]]]:
    rows = cast("list[Any]", value) if isinstance(value, list) else []
    if not rows or not all(_is_facts(row) for row in rows):
        return False
    cells = (cell for row in rows for cell in row.values())
    flat = not any(isinstance(cell, (dict, list)) for cell in cells)
    return flat and len(_columns(rows)) <= _WIDEST


def _columns(rows: list[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _records_html(rows: list[Mapping[str, Any]]) -> str:
    columns = _columns(rows)
    line = f"border-bottom:1px solid {LINE}"
    head = "".join(
        f'<th style="{_CELL};{line};font-weight:600">{escape(name)}</th>'
        for name in columns
    )
    body = "".join(
        f'<tr style="{_ROW}">'
        + "".join(f'<td style="{_CELL}">{_cell(row, name)}</td>' for name in columns)
        + "</tr>"
        for row in rows
    )
    return (
        f'<table style="{_TABLE}"><thead><tr style="{_ROW}">{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _cell(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else escape(plain_text(value))
