"""The ledger answers: did it run twice, and why not at all?"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aistream_nb.core.invocation.ledger import Ledger, LedgerRow, why_not_run
from aistream_nb.core.invocation.machines import Move, Outcome, Standing

REASONS: dict[str, tuple[Outcome, bool, Sequence[Move]]] = {
    "it has no arguments yet": (Outcome.PENDING, False, ()),
    "its arguments are not complete": (Outcome.PENDING, False, (Move.RECEIVE,)),
    "its arguments were rewritten after a part was streamed": (
        Outcome.PENDING,
        False,
        (Move.RECEIVE, Move.DIVERGE),
    ),
    "it waits until its owner is known or the run has settled": (
        Outcome.PENDING,
        False,
        (Move.CLOSE,),
    ),
    "the provider runs it": (Outcome.PENDING, False, (Move.CEDE,)),
    "its turn has not come": (Outcome.PENDING, False, (Move.CLOSE, Move.OWN)),
    "it is about to run": (Outcome.PENDING, False, (Move.CLOSE, Move.OWN, Move.CLAIM)),
    "it was refused before its code was reached": (
        Outcome.PENDING,
        False,
        (Move.CLOSE, Move.OWN, Move.CLAIM, Move.SETTLE),
    ),
    "the gate denied it": (
        Outcome.PENDING,
        True,
        (Move.CLOSE, Move.OWN, Move.CLAIM, Move.ASK, Move.DENY, Move.SETTLE),
    ),
    "the backend answered first": (Outcome.PENDING, False, (Move.ANSWER,)),
    "the backend gave an interim result": (Outcome.PENDING, False, (Move.MUTE,)),
    "it was discarded": (Outcome.PENDING, False, (Move.DISCARD,)),
    "a reset came first": (Outcome.PENDING, False, (Move.ABANDON,)),
    "it is history, and nothing about it changed": (Outcome.RESTORED, False, ()),
    "it was answered in history": (Outcome.RECORDED, False, ()),
    "": (Outcome.PENDING, False, (Move.CLOSE, Move.OWN, Move.CLAIM, Move.INVOKE)),
}


@pytest.mark.parametrize("reason", REASONS)
def test_the_reason_is(reason: str) -> None:
    outcome, gated, moves = REASONS[reason]
    standing = Standing(outcome=outcome, gated=gated)
    assert all(standing.move(move) for move in moves)
    assert why_not_run(standing) == reason


def test_a_call_that_nobody_can_run_says_so() -> None:
    standing = Standing()
    for move in (Move.CLOSE, Move.OWN):
        standing.move(move)
    assert why_not_run(standing, has_tool=False) == "no tool of that name can run it"


def row(**fields: object) -> LedgerRow:
    known = {
        "epoch": 1,
        "tool_call_id": "c",
        "tool_name": "work",
        "decisions": ("close", "own"),
        "outcome": "pending",
        "runs": 0,
        "why_not_run": "its turn has not come",
    }
    return LedgerRow(**(known | fields))  # pyright: ignore[reportArgumentType] -- a test's row


def test_an_empty_ledger_says_so() -> None:
    assert repr(Ledger()) == "Ledger: no calls"
    assert len(Ledger()) == 0


def test_a_ledger_is_plain_text_and_a_value() -> None:
    ledger = Ledger((row(), row(epoch=2, decisions=(), runs=1, why_not_run="")))
    assert repr(ledger).splitlines() == [
        "Ledger: 2 calls",
        "  [1] c work: pending, ran 0 times: its turn has not come (close > own)",
        "  [2] c work: pending, ran once (-)",
    ]
    assert ledger == Ledger(tuple(ledger))
    assert [found.epoch for found in ledger.of("c")] == [1, 2]
    assert ledger.of("d") == ()


def test_a_ledger_is_a_static_table_and_escapes_what_it_shows() -> None:
    html = Ledger((row(tool_name="<script>"),))._repr_html_()
    assert html.startswith('<table class="aistream-ledger">')
    assert "<script>" not in html
    assert "<td>&lt;script&gt;</td>" in html
    assert "<td>close → own</td>" in html
