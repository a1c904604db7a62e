"""Notebook 01 in JupyterLab, as a person meets it: run all, look, click.

The pictures are kept among the artefacts of the run: look at them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lab import LabServer, NotebookPage, notebook_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

FIRST = Path(__file__).parents[2] / "notebooks" / "01_first_agent.ipynb"
VIEW, SEND, AFTER, REPLAY = 1, 2, 3, 4
# Where a cell is put in, to be the one behind these.
BEHIND_SEND, BEHIND_REPLAY = 5, 9
KERNELS = ["python3", "old"]
CARD = ".aistream-approval"
PROSE = ".aistream-prose"
SAID = """
said = [event for event in chat.recording.events if event["type"] == "TOOL_CALL_RESULT"]
print("model heard:", said[-1]["content"])
"""

# The agent stops in the middle of its answer until the test lets it go on.
SLOW = """
import asyncio, pathlib
import aistream_nb as ai
steps = 0
async def hold(seconds):
    global steps
    steps += 1
    await asyncio.sleep(0.01)
    while steps > 18 and not pathlib.Path("go").exists():
        await asyncio.sleep(0.05)
chat = ai.Chat("offline", tools=[], sleep=hold)
chat
"""
KEEP = """
while chat.conversation.status != "finished":
    await asyncio.sleep(0.05)
pathlib.Path("said.txt").write_text(chat.conversation.messages[-1].text)
"""

# Lab saves what widgets show only if it is told to.
TOGGLE_SAVING = """() => window.jupyterapp.commands
  .execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState').then(() => 1)"""
# What is out of sight has no inner text.
STATES = """() => [...document.querySelectorAll('.aistream-state')]
  .map((it) => it.textContent)"""

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
    page.wait_for_output(AFTER, "book_ferry: complete")
    page.wait_for_prompt(REPLAY, "[5]:")
    assert page.count(CARD) == 0
    page.picture(f"lab-{kernel}-approved")
    assert page.our_errors() == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_typed_reason_reaches_the_model_and_the_tool_did_not_run(
    open_notebook: Open, first: Any, kernel: str
):
    first.cells.insert(BEHIND_REPLAY, nbformat.v4.new_code_cell(SAID))
    page = open_notebook(first, kernel=kernel)
    page.run_all()
    page.wait_for(CARD)

    page.click(f"{CARD} >> text=Deny")
    page.type(f"{CARD} input", "not this weekend", then="Enter")

    page.wait_for_output(AFTER, "booked: 0")
    page.wait_for_output(AFTER, "book_ferry: denied")
    page.wait_for_output(REPLAY + 1, "not this weekend")
    page.picture(f"lab-{kernel}-denied")
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
    page.wait_for(CARD, state="detached")
    assert "Traceback" not in page.output(SEND)
    page.picture(f"lab-{kernel}-stopped")
    assert page.our_errors() == []


def test_a_restart_while_a_call_waits_is_said_and_the_transcript_stays(
    open_notebook: Open, first: Any
):
    first.cells = first.cells[:BEHIND_SEND]
    page = open_notebook(first)
    page.run_all()
    page.wait_for(CARD)

    page.evaluate(TOGGLE_SAVING)
    page.save()
    page.evaluate(TOGGLE_SAVING)

    page.restart_kernel()

    page.wait_for_text(".aistream-bar", "The kernel is gone.")
    page.picture("lab-restarted")
    assert page.evaluate(STATES)[-1] == "was never decided"
    assert page.count(f"{CARD} button:not([disabled]):not(.aistream-quiet)") == 0
    assert page.count(".aistream-composer button:not([disabled])") == 0
    said = page.text(PROSE)
    page.reload()
    page.wait_for_output(VIEW, said)
    page.wait_for_text(".aistream-bar", "No answer from the kernel.")
    page.picture("lab-restarted-reloaded")
    assert "was never decided" in page.output(VIEW)
    assert page.count(CARD) == 0
    assert page.our_errors() == []


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("way", ["await chat.send", "run = chat.start"])
def test_a_reload_in_mid_stream_loses_nothing(
    open_notebook: Open, lab: LabServer, kernel: str, way: str
):
    go, kept = lab.work / "go", lab.work / "said.txt"
    go.unlink(missing_ok=True)
    kept.unlink(missing_ok=True)
    talk = f"{way}('Should we take the ferry to Hvar?')"
    page = open_notebook(notebook_of([SLOW, talk, KEEP]), kernel=kernel)
    page.run_all()
    page.wait_for_text(PROSE, "embedded agent")
    page.save()

    page.reload()
    page.wait_for_text(PROSE, "embedded agent")

    half = words(page.text(PROSE))
    page.picture(f"lab-{kernel}-reloaded")
    go.touch()
    page.wait_for(".aistream-footer")
    page.wait_until(kept.exists)
    said = words(kept.read_text(encoding="utf-8"))
    assert len(half) < len(said)
    assert said[: len(half)] == half
    assert words(page.text(PROSE)) == said
    assert page.our_errors() == []


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
