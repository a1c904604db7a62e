"""Notebook 01 in JupyterLab, as a person meets it: run all, look, click.

The pictures are kept among the artefacts of the run: look at them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lab import NotebookPage, notebook_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

FIRST = Path(__file__).parents[2] / "notebooks" / "01_first_agent.ipynb"
VIEW, SEND, AFTER, REPLAY = 1, 2, 3, 4
KERNELS = ["python3", "old"]
CARD = ".aistream-approval"
PROSE = ".aistream-assistant"
SAID = """
said = [event for event in chat.recording.events if event["type"] == "TOOL_CALL_RESULT"]
print("model heard:", said[-1]["content"])
"""

Open = Callable[..., NotebookPage]


@pytest.fixture
def first() -> Any:
    return nbformat.read(FIRST, as_version=4)


@pytest.mark.parametrize("kernel", KERNELS)
def test_approving_in_a_running_cell_runs_the_tool_once(
    open_notebook: Open, first: Any, kernel: str
):
    page = open_notebook(first, kernel=kernel)
    page.watch(PROSE)
    page.run_all()
    page.wait_for(CARD)

    assert page.prompt(SEND) == "[*]:"
    assert len({len(text) for text in page.seen()}) >= 3
    page.picture(f"lab-{kernel}-asking")

    page.click(f"{CARD} >> text=Approve book_ferry")

    page.wait_for_output(AFTER, "booked: 1")
    assert "book_ferry: complete" in page.output(AFTER)
    page.wait_for_prompt(REPLAY, "[5]:")
    assert page.count(CARD) == 0
    page.picture(f"lab-{kernel}-approved")
    assert page.our_errors() == []


def test_a_typed_reason_reaches_the_model_and_the_tool_did_not_run(
    open_notebook: Open, first: Any
):
    first.cells.append(nbformat.v4.new_code_cell(SAID))
    page = open_notebook(first)
    page.run_all()
    page.wait_for(CARD)

    page.click(f"{CARD} >> text=Deny")
    page.type(f"{CARD} input", "not this weekend", then="Enter")

    page.wait_for_output(AFTER, "booked: 0")
    assert "book_ferry: denied" in page.output(AFTER)
    page.wait_for_output(REPLAY + 1, "not this weekend")
    page.picture("lab-denied")
    assert page.our_errors() == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_stop_button_ends_the_cell_in_one_line(
    open_notebook: Open, first: Any, kernel: str
):
    page = open_notebook(first, kernel=kernel)
    page.run_all()
    page.wait_for(CARD)

    page.interrupt()

    page.wait_for_output(SEND, "Stopped.")
    assert "Traceback" not in page.output(SEND)
    page.wait_for(CARD, state="detached")
    page.picture(f"lab-{kernel}-stopped")
    assert page.our_errors() == []


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("way", ["await chat.send", "run = chat.start"])
def test_a_reload_in_mid_stream_loses_nothing(
    open_notebook: Open, kernel: str, way: str
):
    page = open_notebook(
        notebook_of(
            [
                "import aistream_nb as ai\nchat = ai.Chat('offline', tools=[])\nchat",
                f"{way}('Should we take the ferry to Hvar?')",
            ]
        ),
        kernel=kernel,
    )
    page.run_all()
    page.wait_for(PROSE)
    page.command("docmanager:save")
    page.reload()
    page.wait_for(PROSE)
    page.picture(f"lab-{kernel}-reloaded")
    assert page.our_errors() == []
