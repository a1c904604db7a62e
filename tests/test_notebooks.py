"""Every notebook runs unattended, in seconds, and gives the same twice."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from notebook_runs import run

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECONDS = 40  # a kernel's start on a loaded machine, and the waits of a demo

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(300)]


def name_of(path: Path) -> str:
    return path.stem


def executed(path: Path) -> Any:
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_a_notebook_without_an_audience_ends_in_seconds(path: Path):
    start = time.monotonic()

    notebook = executed(path)

    assert time.monotonic() - start < SECONDS
    outputs = [it for cell in notebook.cells for it in cell.get("outputs", ())]
    shown = [
        it for it in outputs if it.output_type in {"display_data", "execute_result"}
    ]
    assert shown
    # Without a widget front end there must still be something to read.
    assert all("text/plain" in it.data for it in shown)


def test_nobody_watching_means_that_nothing_is_booked():
    notebook = executed(ROOT / "notebooks" / "01_first_agent.ipynb")

    printed = "".join(
        it.text
        for cell in notebook.cells
        for it in cell.get("outputs", ())
        if it.output_type == "stream"
    )

    assert "book_ferry: denied" in printed
    assert "booked: 0" in printed


def test_the_notebooks_pass_nbval_twice_in_a_row():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    for _ in range(2):
        done = subprocess.run(  # noqa: S603  # our own words, no shell
            [*command, "notebooks/"],
            cwd=ROOT,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout[-6000:]


def test_what_a_cell_prints_in_pieces_is_joined_and_stays_on_its_side(tmp_path: Path):
    notebook = nbformat.v4.new_notebook()
    pieces = "print(1, flush=True)\nprint(2, flush=True)\n"
    source = f"{pieces}display(3)\nprint(4)"
    notebook.cells = [nbformat.v4.new_code_cell(source)]

    (cell,) = run(notebook, folder=tmp_path).cells

    shown = [it.get("text") or it["data"]["text/plain"] for it in cell.outputs]
    assert shown == ["1\n2\n", "3", "4\n"]
    assert "execution" not in cell.metadata
