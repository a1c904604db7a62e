"""What was decided about every call, as a value: the answer to "did it run twice?".

A row is the path that one call took through the tables of
:mod:`aistream_nb.core.invocation`, so it cannot say anything but what happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from aistream_nb.core.counted import counted
from aistream_nb.core.invocation.machines import (
    Input,
    Move,
    Outcome,
    Owner,
    Permission,
    Standing,
)

__all__ = ["Ledger", "LedgerRow", "why_not_run"]

_BY_OUTCOME: Final[Mapping[Outcome, str]] = {
    Outcome.RESTORED: "it is history, and nothing about it changed",
    Outcome.RECORDED: "it was answered in history",
    Outcome.CLAIMED: "it is about to run",
    Outcome.SETTLED: "it was refused before its code was reached",
    Outcome.MUTED: "the backend gave an interim result",
    Outcome.HUSHED: "the backend gave an interim result",
    Outcome.OVERRULED: "the backend answered first",
    Outcome.ANSWERED: "the backend answered first",
    Outcome.DISCARDED: "it was discarded",
    Outcome.ABANDONED: "a reset came first",
}

_BY_INPUT: Final[Mapping[Input, str]] = {
    Input.AWAITING: "it has no arguments yet",
    Input.STREAMING: "its arguments are not complete",
    Input.DIVERGED: "its arguments were rewritten after a part was streamed",
}

_BY_OWNER: Final[Mapping[Owner, str]] = {
    Owner.UNKNOWN: "it waits until its owner is known or the run has settled",
    Owner.PROVIDERS: "the provider runs it",
}


def why_not_run(standing: Standing, *, has_tool: bool = True) -> str:
    """Why the call's ``execute`` was not reached; empty if it was.

    >>> why_not_run(Standing())
    'it has no arguments yet'
    """
    if standing.invoked:
        return ""
    if standing.permission is Permission.DENIED:
        return "the gate denied it"
    for reason in (
        _BY_OUTCOME.get(standing.outcome),
        _BY_OWNER[standing.owner] if standing.owner is Owner.PROVIDERS else None,
        _BY_INPUT.get(standing.input),
        _BY_OWNER.get(standing.owner),
    ):
        if reason is not None:
            return reason
    return "its turn has not come" if has_tool else "no tool of that name can run it"


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What happened to one call in one epoch."""

    epoch: int
    tool_call_id: str
    tool_name: str
    decisions: tuple[str, ...]
    """The moves that its tables allowed, in order."""
    outcome: str
    runs: int
    """How often ``execute`` was reached: 0 or 1."""
    why_not_run: str
    """Empty if it ran."""
    ran_before: int = 0
    """How often it ran in the session that was restored, as its events tell."""

    @classmethod
    def of(
        cls, epoch: int, names: tuple[str, str], standing: Standing, *, has_tool: bool
    ) -> LedgerRow:
        """The row of the call with this id and tool name."""
        return cls(
            epoch,
            names[0],
            names[1],
            tuple(move.value for move in standing.path),
            standing.outcome.value,
            standing.path.count(Move.INVOKE),
            why_not_run(standing, has_tool=has_tool),
        )

    def __str__(self) -> str:
        said = " > ".join(self.decisions) or "-"
        ran = "ran once" if self.runs == 1 else f"ran {counted(self.runs, 'time')}"
        why = f": {self.why_not_run}" if self.why_not_run else ""
        if self.ran_before:
            why += f"; it ran {self.ran_before}x in the recording"
        name = f"{self.tool_call_id} {self.tool_name}"
        return f"[{self.epoch}] {name}: {self.outcome}, {ran}{why} ({said})"


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every call that is remembered, oldest first. Shows itself in a notebook."""

    rows: tuple[LedgerRow, ...] = ()

    def __iter__(self) -> Iterator[LedgerRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, tool_call_id: str) -> tuple[LedgerRow, ...]:
        """The rows of one id: one for each epoch in which it was seen."""
        return tuple(row for row in self.rows if row.tool_call_id == tool_call_id)

    def __repr__(self) -> str:
        if not self.rows:
            return "Ledger: no calls"
        lines = (f"  {row}" for row in self.rows)
        return "\n".join((f"Ledger: {counted(len(self.rows), 'call')}", *lines))

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th>{name}</th>"
            for name in ("epoch", "call", "tool", "outcome", "runs", "why not", "path")
        )
        body = "".join(f"<tr>{_cells(row)}</tr>" for row in self.rows)
        return (
            '<table class="aistream-ledger">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _cells(row: LedgerRow) -> str:
    cells = (
        row.epoch,
        row.tool_call_id,
        row.tool_name,
        row.outcome,
        row.runs,
        row.why_not_run,
        " → ".join(row.decisions),
    )
    return "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
