"""The ledger as a table and in words."""

from __future__ import annotations

from aistream_nb.core.invocation.ledger import LedgerRow
from aistream_nb.widgets.ledger_forms import (
    ABOUT,
    ledger_html,
    ledger_lines,
    ledger_text,
)


def row(call_id: str = "call_1", *, runs: int = 1, **fields: object) -> LedgerRow:
    given = {
        "epoch": 1,
        "tool_call_id": call_id,
        "tool_name": "look",
        "decisions": ("receive", "ask", "approve", "invoke", "settle"),
        "outcome": "settled",
        "runs": runs,
        "why_not_run": "",
        **fields,
    }
    return LedgerRow(**given)  # pyright: ignore[reportArgumentType] # fields by name


DENIED = row(
    "call_2",
    runs=0,
    decisions=("ask", "deny"),
    why_not_run="the gate denied it: <no>",
    epoch=2,
)
HISTORY = row("call_3", runs=0, decisions=(), outcome="recorded", why_not_run="history")


def test_it_reads_the_same_in_words_each_time():
    assert ledger_text([row(), DENIED, HISTORY]) == (
        "3 calls, 1 ran, none ran twice.\n"
        "  call_1 look: ran once (asked, approved, ran, answered)\n"
        "  call_2 [2] look: did not run: the gate denied it: <no> (asked, denied)\n"
        "  call_3 look: did not run: history (history)"
    )
    assert ledger_text([]) == "No tool was called."
    assert ledger_text([row(decisions=())]) == (
        "1 call, 1 ran, none ran twice.\n  call_1 look: ran once"
    )


def test_its_table_names_itself_and_its_columns_and_rows():
    html = ledger_html([row(), DENIED])

    assert "<caption" in html
    assert html.count('scope="col"') == 6
    assert html.count('scope="row"') == 2
    assert "&lt;no&gt;" in html
    assert "<script" not in html
    assert "<thead>" not in ledger_html([])


def test_a_call_that_ran_twice_cannot_be_overlooked():
    caption, (line,) = ledger_lines([row(runs=2)])

    assert caption == "1 call, 1 ran, 1 ran twice."
    assert line.twice
    assert line.ran == "2 times"


def test_of_a_very_long_ledger_the_end_is_shown():
    caption, lines = ledger_lines(row(f"call_{n}") for n in range(600))

    assert caption.endswith("The first 100 are not shown.")
    assert (len(lines), lines[0].call) == (500, "call_100")


def test_a_head_that_does_not_say_what_it_means_has_words_for_it():
    assert f'title="{ABOUT["Epoch"]}"' in ledger_html([row()])
