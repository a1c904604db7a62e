"""The live table of calls, and how it looks in a browser."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.invocation.ledger import LedgerRow
from aistream_nb.widgets.ledger import LedgerWidget
from aistream_nb.widgets.pulse import Pulse

ROW = LedgerRow(1, "call_1", "look", ("approve", "invoke"), "executing", 1, "")


def made(rows: list[LedgerRow]) -> LedgerWidget:
    return LedgerWidget(lambda: rows, pulse=Pulse(interval=0))


def test_it_follows_what_it_reads():
    rows: list[LedgerRow] = []
    widget = made(rows)
    assert (widget.caption, widget.lines) == ("No tool was called.", [])

    rows.append(ROW)
    widget.changed()

    assert widget.caption == "1 call, 1 ran, none ran twice."
    assert [line["call"] for line in widget.lines] == ["call_1"]
    widget.close()


def test_a_browser_cannot_write_it():
    widget = made([ROW])

    widget.set_state({"caption": "all is well"})

    assert widget.caption == "1 call, 1 ran, none ran twice."
    widget.close()


@pytest.mark.browser
def test_it_is_a_table_that_names_its_columns_and_rows_and_follows(host: Any):
    rows = [ROW]
    widget = made(rows)
    host.show(widget)
    cells = "() => [...document.querySelectorAll('tbody tr')].map(r => r.innerText)"
    assert host.text("caption") == "1 call, 1 ran, none ran twice."
    host.evaluate("() => { window.kept = document.querySelector('tbody tr') }")

    denied = "the gate denied it: no pies today"
    rows += [
        LedgerRow(1, "call_2", "show_chart", ("ask", "deny"), "settled", 0, denied),
        LedgerRow(1, "call_3", "look", (), "recorded", 0, "it was answered in history"),
        LedgerRow(2, "call_4", "pay", ("ask", "approve", "invoke"), "executing", 2, ""),
    ]
    widget.changed()

    shown = [text.split("\t") for text in host.evaluate(cells)]
    assert shown[1] == ["call_2", "show_chart", "1", "asked, denied", "no", denied]
    assert shown[2][3:5] == ["history", "no"]
    assert shown[3][4] == "2 times"
    assert host.evaluate("() => document.contains(window.kept)")
    third = "() => document.querySelectorAll('th')[2].title"
    assert host.evaluate(third) == widget.about["Epoch"]
    scopes = "() => [...document.querySelectorAll('th')].map(cell => cell.scope)"
    assert host.evaluate(scopes) == ["col"] * 6 + ["row"] * 4
    for dark in (False, True):
        host.dark(on=dark)
        host.picture(f"ledger-{'dark' if dark else 'light'}")
    host.resize(420)
    host.picture("ledger-narrow")
    del rows[1:]
    widget.changed()
    assert len(host.evaluate(cells)) == 1
    assert host.errors() == []
    widget.close()
