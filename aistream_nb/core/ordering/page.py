"""A report as static HTML: escaped, styled inline, without script.

It must look the same in a live notebook, in a saved one, and on a page that allows no
style sheets, in light and in dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Final

from aistream_nb.core.ordering.rules import Level
from aistream_nb.core.ordering.verifier import Violation

__all__ = ["report_page"]

_SIGNS: Final[Mapping[Level, tuple[str, str]]] = {
    "fatal": ("✕", "#b3261e"),
    "error": ("✕", "#c0410f"),
    "warning": ("△", "#8a5a00"),
    "info": ("i", "#1565c0"),
    "dialect": ("≈", "#6a1b9a"),
}
"""Level, its sign (colour alone is no sign), and a colour that white stands on."""

_BOX: Final = (
    "border:1px solid #8888;border-radius:6px;padding:8px 12px;"
    "font:13px/1.45 system-ui,sans-serif;max-width:70em"
)
_CELL: Final = "padding:3px 10px 3px 0;vertical-align:top;text-align:left"


def report_page(summary: str, violations: Iterable[Violation], *, ok: bool) -> str:
    """The HTML of a report."""
    sign = "✓" if ok else "✕"
    head = (
        f'<div style="font-weight:600"><span aria-hidden="true">{sign}</span> '
        f"{escape(summary)}</div>"
    )
    rows = "".join(_row(violation) for violation in violations)
    if not rows:
        return f'<div style="{_BOX}">{head}</div>'
    titles = "".join(
        f'<th scope="col" style="{_CELL}">{title}</th>'
        for title in (
            "Event",
            "Level",
            "Rule",
            "What came, what was due, how to fix it",
        )
    )
    return (
        f'<div style="{_BOX}">{head}<table style="border-collapse:collapse;'
        f'margin-top:6px"><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )


def _row(violation: Violation) -> str:
    sign, colour = _SIGNS[violation.level]
    place = "stream" if violation.index < 0 else str(violation.index)
    follows = "<br>may follow from an earlier one" if violation.secondary else ""
    name = escape(violation.event_type)
    kind = f"<br><code>{name}</code>" if name else ""
    mark = f'<span aria-hidden="true">{sign}</span>'
    look = (
        f"background:{colour};color:#fff;border-radius:4px;padding:1px 7px;"
        "white-space:nowrap"
    )
    said = (
        violation.message,
        f"Due: {violation.expected}",
        f"Fix: {violation.hint.removesuffix('.')}",
    )
    cells = (
        f"{place}{kind}",
        f'<span style="{look}">{mark} {violation.level}</span>{follows}',
        f"<code>{escape(violation.rule)}</code>",
        "<br>".join(escape(f"{text}.") for text in said),
    )
    inner = "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells)
    return f'<tr style="border-top:1px solid #8884">{inner}</tr>'
