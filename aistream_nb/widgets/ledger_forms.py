"""The ledger of tool calls as a table and in words: the same facts in each form.

Nothing here holds a time or an id that was made up, so that what is saved with a
notebook is the same each time. The live form is in
:mod:`aistream_nb.widgets.ledger`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, Final

from aistream_nb.core.counted import counted
from aistream_nb.core.invocation.ledger import LedgerRow
from aistream_nb.widgets.view_model import clean

__all__ = [
    "ABOUT",
    "COLUMNS",
    "LedgerLine",
    "ledger_html",
    "ledger_lines",
    "ledger_text",
]

COLUMNS: Final = ("Call", "Tool", "Epoch", "Decisions", "Ran", "Why it did not run")
"""The heads of the table."""
ABOUT: Final = {"Epoch": "Counts from 1; each reset of the chat begins the next."}
"""What a head means that does not say it, for who points at it or listens."""

_MOST: Final = 500
"""Rows that a table shows; of a longer ledger, the last ones."""
_WORDS: Final = {
    "ask": "asked",
    "approve": "approved",
    "deny": "denied",
    "invoke": "ran",
    "settle": "answered",
    "answer": "answered elsewhere",
    "diverge": "arguments rewritten",
    "discard": "dropped",
    "abandon": "reset",
    "promote": "changed",
    "cede": "left to the provider",
}
"""The moves that are decisions, in words; the others are the machinery's own."""
_HISTORY: Final = frozenset({"restored", "recorded"})
_TABLE: Final = "border-collapse:collapse;font:inherit;text-align:left"
_CAPTION: Final = "text-align:left;padding:4px 0;font-weight:600"
_CELL: Final = "padding:3px 12px 3px 0;border-top:1px solid #8886;vertical-align:top"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """One row in the words in which it is shown."""

    key: str
    call: str
    tool: str
    epoch: int
    decisions: str
    ran: str
    why: str
    twice: bool
    """Whether it ran more than once, which nothing should."""

    @classmethod
    def of(cls, row: LedgerRow) -> LedgerLine:
        """The line of a row."""
        return cls(
            key=f"{row.epoch}:{row.tool_call_id}",
            call=clean(row.tool_call_id),
            tool=clean(row.tool_name),
            epoch=row.epoch,
            decisions=_decisions(row),
            ran=_ran(row),
            why="" if row.ran_before else clean(row.why_not_run),
            twice=row.runs > 1,
        )

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the table, in the order of :data:`COLUMNS`."""
        return (
            self.call,
            self.tool,
            str(self.epoch),
            self.decisions,
            self.ran,
            self.why,
        )

    def to_wire(self) -> dict[str, Any]:
        """The line as the browser gets it."""
        return asdict(self)


def _decisions(row: LedgerRow) -> str:
    said = [_WORDS[move] for move in row.decisions if move in _WORDS]
    if row.outcome in _HISTORY and not said:
        return "history"
    return ", ".join(said)


def _ran(row: LedgerRow) -> str:
    if row.ran_before and not row.runs:
        return f"{_times(row.ran_before)}, in the recording"
    return _times(row.runs)


def _times(runs: int) -> str:
    return {0: "no", 1: "once"}.get(runs, counted(runs, "time"))


def ledger_lines(rows: Iterable[LedgerRow]) -> tuple[str, list[LedgerLine]]:
    """The caption of a ledger, and its lines.

    >>> ledger_lines([])
    ('No tool was called.', [])
    """
    every = list(rows)
    lines = [LedgerLine.of(row) for row in every[-_MOST:]]
    return _caption(every, hidden=len(every) - len(lines)), lines


def _caption(rows: Sequence[LedgerRow], *, hidden: int) -> str:
    if not rows:
        return "No tool was called."
    ran = sum(1 for row in rows if row.runs)
    twice = sum(1 for row in rows if row.runs > 1)
    earlier = sum(1 for row in rows if row.ran_before)
    told = f"{ran} ran here, {earlier} in the recording" if earlier else f"{ran} ran"
    calls = counted(len(rows), "call")
    more = f" The first {hidden} are not shown." if hidden else ""
    return f"{calls}, {told}, {twice or 'none'} ran twice.{more}"


def ledger_text(rows: Iterable[LedgerRow]) -> str:
    """The ledger in words."""
    caption, lines = ledger_lines(rows)
    return "\n".join([caption, *map(_line_text, lines)])


def _line_text(line: LedgerLine) -> str:
    said = f" ({line.decisions})" if line.decisions else ""
    ran = f"ran {line.ran}" if line.ran != "no" else f"did not run: {line.why}"
    epoch = f" [{line.epoch}]" if line.epoch > 1 else ""
    return f"  {line.call}{epoch} {line.tool}: {ran}{said}"


def ledger_html(rows: Iterable[LedgerRow]) -> str:
    """The ledger as a table without script and without style of its own."""
    caption, lines = ledger_lines(rows)
    head = "".join(map(_head, COLUMNS))
    body = "".join(f"<tr>{_cells(line)}</tr>" for line in lines)
    table = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>" if lines else ""
    return (
        f'<table style="{_TABLE}"><caption style="{_CAPTION}">{escape(caption)}'
        f"</caption>{table}</table>"
    )


def _head(name: str) -> str:
    about = f' title="{escape(ABOUT[name])}"' if name in ABOUT else ""
    return f'<th scope="col" style="{_CELL};border-top:0"{about}>{name}</th>'


def _cells(line: LedgerLine) -> str:
    call, *others = (escape(cell) for cell in line.cells)
    rest = "".join(f'<td dir="auto" style="{_CELL}">{cell}</td>' for cell in others)
    first = f'<th scope="row" style="{_CELL};font-weight:400"><code>{call}</code></th>'
    return first + rest
