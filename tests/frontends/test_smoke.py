"""Notebook 7, Voila and marimo: it streams, it asks, it runs what was approved.

In Notebook 7 the chat is awaited in a cell, as in JupyterLab. In Voila and marimo no
click reaches a cell that runs, so the chat is started beside it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from chromium import artefacts
from front_ends import serving
from lab import WATCH, notebook_of
from playwright.async_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(500)]

CARD = ".aistream-approval"
PROSE = ".aistream-prose"
APPROVE = f"{CARD} >> text=Approve book_ferry"
FINAL = "Booked 08:30"
TOOLS = """
import aistream_nb as ai

@ai.tool(read_only=True)
def get_forecast(place: str, date: str) -> str:
    "Daily weather forecast for a place on a date."
    return "partly cloudy"

@ai.tool(read_only=True)
def list_departures(from_: str, to: str, date: str, *, pets: bool = False) -> list[str]:
    "Ferry departures for a route on a date."
    return ["08:30"]

@ai.tool(destructive=True)
def book_ferry(route: str, date: str, departure: str, adults: int, pets: int) -> str:
    "Book a ferry."
    return f"Booked {departure}."

chat = ai.Chat("offline", tools=[get_forecast, list_departures, book_ferry])
"""
ASK = '"Check the forecast for Hvar and the ferry, and book the morning boat."'
PATIENCE = 60_000
CONNECTED = """() => {
  const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
  return context?.session?.kernel?.status === 'idle';
}"""


@contextmanager
def shown(
    driver: Any, python: Path, name: str, document: Path
) -> Generator[tuple[Any, Page, list[str]]]:
    """The page of a document in a front end, and the errors of our bundle."""
    thread, browser = driver
    errors: list[str] = []
    with serving(python, name, document) as address:
        page = thread.run(browser.new_page(viewport={"width": 1000, "height": 900}))
        page.on("pageerror", lambda error: errors.append(str(error.stack)))
        thread.run(page.goto(address, timeout=PATIENCE))
        try:
            yield thread, page, errors
        except BaseException:
            picture(thread, page, f"failed-{name}")
            raise
        finally:
            thread.run(page.close())


def picture(thread: Any, page: Page, name: str) -> None:
    thread.run(page.screenshot(path=str(artefacts() / f"{name}.png")))


def approve(thread: Any, page: Page, name: str) -> None:
    """Wait for the question, look at it, say yes, and wait for the answer."""
    thread.run(page.wait_for_selector(CARD, timeout=PATIENCE))
    picture(thread, page, f"{name}-asking")
    thread.run(page.click(APPROVE, timeout=PATIENCE))
    thread.run(page.wait_for_selector(CARD, state="detached", timeout=PATIENCE))
    found = page.locator(PROSE).last.filter(has_text=FINAL)
    thread.run(found.wait_for(timeout=PATIENCE))
    thread.run(page.wait_for_selector(".aistream-footer", timeout=PATIENCE))
    picture(thread, page, f"{name}-approved")
    decided = page.locator(".aistream-decided", has_text="Approved by you, ")
    assert thread.run(decided.count()) == 1


def of_our_bundle(errors: list[str]) -> list[str]:
    """Notebook 7 throws an error of its own."""
    return [it for it in errors if "blob:" in it or "anywidget" in it]


def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def saved(tmp_path: Path, cells: list[str]) -> Path:
    made = notebook_of(cells)
    made.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    path = work(tmp_path) / "talk.ipynb"
    nbformat.write(made, path)
    return path


def test_notebook_7_asks_in_a_running_cell(
    front_end: Path, front_browser: Any, tmp_path: Path
):
    document = saved(tmp_path, [TOOLS + "chat", f"await chat.send({ASK})"])
    with shown(front_browser, front_end, "notebook", document) as (
        thread,
        page,
        errors,
    ):
        thread.run(page.wait_for_function(CONNECTED, timeout=PATIENCE))
        thread.run(page.click(".jp-Notebook .jp-CodeCell .cm-content >> nth=0"))
        thread.run(page.evaluate(WATCH, PROSE))
        for _ in range(2):
            thread.run(page.keyboard.press("Shift+Enter"))
        approve(thread, page, "notebook")
        seen = thread.run(page.evaluate("() => window.seen"))
        assert len({len(text) for text in seen}) >= 5
    assert of_our_bundle(errors) == []


def test_voila_asks_from_the_background(
    front_end: Path, front_browser: Any, tmp_path: Path
):
    document = saved(tmp_path, [TOOLS + "chat", f"run = chat.start({ASK})"])
    with shown(front_browser, front_end, "voila", document) as (thread, page, errors):
        approve(thread, page, "voila")
    assert of_our_bundle(errors) == []


def test_marimo_asks_from_the_background(
    front_end: Path, front_browser: Any, tmp_path: Path
):
    document = work(tmp_path) / "talk.py"
    document.write_text(MARIMO, encoding="utf-8")
    with shown(front_browser, front_end, "marimo", document) as (thread, page, errors):
        approve(thread, page, "marimo")
    assert of_our_bundle(errors) == []


MARIMO = f"""
import marimo

app = marimo.App()


@app.cell
def _():
{textwrap.indent(TOOLS, "    ")}
    return (chat,)


@app.cell
def _(chat):
    chat
    return


@app.cell
def _(chat):
    run = chat.start({ASK})
    return


if __name__ == "__main__":
    app.run()
"""
