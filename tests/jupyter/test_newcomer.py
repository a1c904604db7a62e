"""The whole of notebook 01 by somebody who never saw it: one hand, one device.

The window is as small as a laptop's, so that things are out of sight as they are for
a person. Each test goes on where Lab leaves it; nothing is looked up in the page's
objects but which cell would run next.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lab import NotebookPage

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

FIRST = Path(__file__).parents[2] / "notebooks" / "01_first_agent.ipynb"
SEND, AFTER, REPLAY, CHECK, COUNT, WATER, FORECAST = 2, 3, 4, 5, 6, 8, 10
BEHIND_SEND = 5
CARD = ".aistream-approval"
APPROVE = f"{CARD} >> text=Approve book_ferry"
SIGN = ".aistream-signs button"
RUN = "[data-jp-item-name=run]"
FOCUSED = "(due) => document.activeElement.innerText.startsWith(due)"
READS = "@ai.tool(read_only=True)"


@pytest.fixture
def page(open_notebook: Callable[..., NotebookPage]) -> NotebookPage:
    notebook: Any = nbformat.read(FIRST, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":  # what was saved would look like what is new
            cell.outputs, cell.execution_count = [], None
    page = open_notebook(notebook)
    page.resize(1280, 720)
    return page


def test_with_the_mouse_alone(page: NotebookPage):
    for _ in range(5):
        page.click(RUN)
    page.wait_for(CARD)
    page.picture("newcomer-mouse-asked")
    page.click(APPROVE)
    page.wait_for_prompt(SEND, "[3]:")
    page.wait_for(CARD, state="detached")

    assert page.active_cell() == BEHIND_SEND, "the next Run would start the chat anew"
    for _ in range(4):
        page.click(RUN)
    page.wait_for_output(AFTER, "booked: 1")
    page.wait_for_output(REPLAY, "no difference")
    page.picture("newcomer-mouse-replayed")

    for _ in range(3):
        page.click(RUN)
    page.wait_for_prompt(CHECK, "[6]:")
    solve_with_the_mouse(page, COUNT, '"None"', "3")
    page.wait_for_prompt(COUNT, "[7]:")
    page.picture("newcomer-mouse-first-exercise")
    solve_with_the_mouse(page, WATER, "# your turn", f"{READS}\n", clicks=3)
    page.wait_for_prompt(WATER, "[8]:")
    solve_with_the_mouse(page, FORECAST, '"14"', "30")
    page.wait_for_prompt(FORECAST, "[9]:")
    page.wait_for_output(FORECAST, "get_forecast")
    page.picture("newcomer-mouse-exercises")
    assert page.our_errors() == []


def solve_with_the_mouse(
    page: NotebookPage, cell: int, marked: str, answer: str, *, clicks: int = 2
) -> None:
    """Select a word or a line of a cell, write the answer over it, press Run."""
    code = f".jp-CodeCell >> nth={cell} >> .cm-content"
    page.mark(f"{code} >> text={marked} >> nth=0", clicks=clicks)
    page.write(answer)
    page.click(RUN)
    page.wait_for_output(cell, "Right.")


def test_with_the_keyboard_alone(page: NotebookPage):
    page.press(*["Shift+Enter"] * 5)
    page.wait_for(CARD)
    page.press("F8")
    page.wait(FOCUSED, "Run book_ferry?")
    page.press("Tab")
    page.wait(FOCUSED, "Approve book_ferry")
    page.press("Enter")
    page.wait_for_prompt(SEND, "[3]:")
    page.wait_for(CARD, state="detached")

    page.press(*["Shift+Enter"] * 8)
    page.wait_for_output(AFTER, "booked: 1")
    page.wait_for_output(REPLAY, "no difference")
    page.wait_for_prompt(CHECK, "[6]:")
    solve_with_keys(page, "3", *["ArrowRight"] * 8, *["Shift+ArrowRight"] * 4)
    page.wait_for_prompt(COUNT, "[7]:")
    page.press(*["Shift+Enter"] * 2)
    solve_with_keys(page, READS, "Shift+End")
    page.wait_for_prompt(WATER, "[9]:")
    page.press(*["Shift+Enter"] * 2)
    to_the_number = [*["ArrowDown"] * 3, "Home", *["ArrowRight"] * 7]
    to_the_number += ["Shift+ArrowRight"] * 2
    solve_with_keys(page, "30", *to_the_number)
    page.wait_for_prompt(FORECAST, "[11]:")
    for cell in (COUNT, WATER, FORECAST):
        page.wait_for_output(cell, "Right.")
    page.picture("newcomer-keyboard-exercises")
    assert page.our_errors() == []


def solve_with_keys(page: NotebookPage, answer: str, *way: str) -> None:
    """Go into the cell, select what is to be changed, write over it, run it."""
    page.press("Enter", "Control+Home", *way)
    page.write(answer)
    page.press("Shift+Enter")


def test_run_all_leaves_a_sign_where_the_reader_is(page: NotebookPage):
    page.run_all()
    page.wait_for(SIGN)
    page.picture("newcomer-run-all-sign")
    assert "book_ferry waits for you" in page.text(SIGN)

    page.click(SIGN)
    page.wait_for(SIGN, state="detached")
    page.picture("newcomer-run-all-led")
    page.click(APPROVE)

    page.wait_for_output(AFTER, "booked: 1")
    assert page.our_errors() == []
