"""Makes the pictures of the README: the real thing in JupyterLab, small.

Run it by ``poe pictures`` after the view changed, and look at each before you keep it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from chromium import ROOT, chromium
from lab import LabServer, NotebookPage, notebook_of

TARGET = ROOT / "notebooks" / "pictures"
LARGEST = 150_000
FIRST = ROOT / "notebooks" / "01_first_agent.ipynb"
CARD = ".aistream-approval"
BROKEN = """
import aistream_nb as ai
say = lambda delta: {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta}
end = {"type": "TEXT_MESSAGE_END", "messageId": "m"}
events = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "protocolVersion": "1.0"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    say("I will "), say("look at "), say("the **forecast**"), end, say(" first."),
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "get_forecast"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"place": "Hvar"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]
inspector = ai.Inspector(events)
inspector.seek(7)
inspector
"""


class Photographer:
    """One notebook in a window without what does not matter."""

    def __init__(self, driver: Any, server: LabServer, name: str, *, height: int):
        self.page = NotebookPage.new(driver, server, name)
        self.page.resize(1060, height)
        self.page.command("application:toggle-left-area")

    def dark(self) -> None:
        """Take the dark theme of JupyterLab."""
        self.page.evaluate(
            "() => window.jupyterapp.commands.execute('apputils:change-theme',"
            " { theme: 'JupyterLab Dark' })"
        )
        self.page.wait("() => document.body.dataset.jpThemeLight === 'false'")

    def top(self, cell: int) -> None:
        """Scroll so that a cell is at the top."""
        self.page.evaluate(
            "(i) => document.querySelectorAll('.jp-Cell')[i].scrollIntoView()", cell
        )

    def take(self, name: str, selector: str | None = None) -> None:
        """Keep the window, or one element with a margin around it."""
        # Two frames: what moves has come to rest, what was scrolled is drawn.
        self.page.evaluate("() => new Promise((done) => setTimeout(done, 1500))")
        path = TARGET / f"{name}.png"
        self.page.keep(path, selector)
        size = path.stat().st_size
        sys.stdout.write(f"{path.relative_to(ROOT)}: {size / 1000:.0f} KB\n")
        assert size < LARGEST, f"{path} is too large for a README"


def first_agent(driver: Any, server: LabServer) -> None:
    """The question, and the whole answer in the dark."""
    notebook: Any = nbformat.read(FIRST, as_version=4)
    notebook.cells = notebook.cells[:5]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    server.put("first-agent.ipynb", notebook, kernel="python3")
    photographer = Photographer(driver, server, "first-agent.ipynb", height=760)
    page = photographer.page
    page.run_all()
    page.wait_for(CARD)
    photographer.top(3)
    photographer.take("approval")
    page.click(f"{CARD} >> text=Approve book_ferry")
    page.wait_for(".aistream-footer")
    photographer.dark()
    page.evaluate(
        "() => { const box = document.querySelector('.aistream-scroll');"
        " box.style.maxHeight = '620px'; box.scrollTop = 1e6; }"
    )
    photographer.take("transcript-dark", ".aistream-root")
    page.close()


def inspector(driver: Any, server: LabServer) -> None:
    """A stream that is wrong, stopped where it is."""
    server.put("inspector.ipynb", notebook_of([BROKEN]), kernel="python3")
    photographer = Photographer(driver, server, "inspector.ipynb", height=1100)
    page = photographer.page
    page.run_all()
    page.wait_for(".aistream-violation")
    page.click("text=Show the fix")
    photographer.take("inspector", ".aistream-root")
    page.close()


def main() -> None:
    """Make them all."""
    TARGET.mkdir(exist_ok=True)
    home = Path(tempfile.mkdtemp())
    with chromium() as driver, LabServer(home, {}) as server:
        first_agent(driver, server)
        inspector(driver, server)


if __name__ == "__main__":
    main()
