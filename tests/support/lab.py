"""JupyterLab on loopback, and a page that shows a notebook in it.

The server has its own configuration, settings, port and token, and ends with the
test session. A page waits for conditions, never for a time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import nbformat
from chromium import PlaywrightThread, artefacts
from playwright.async_api import Browser, Page, Response

TOKEN = "only-for-this-test"  # noqa: S105  # a server on loopback that lives for minutes
PATIENCE = 30.0
SETTINGS: Mapping[str, Mapping[str, object]] = {
    "@jupyterlab/apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}
FOLDERS = (
    "HOME",
    "IPYTHONDIR",
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
    "JUPYTERLAB_SETTINGS_DIR",
    "JUPYTERLAB_WORKSPACES_DIR",
)


class LabServer:
    """One JupyterLab; start it on entering, end it by its process on leaving."""

    def __init__(self, home: Path, kernels: Mapping[str, Path]) -> None:
        self.home = home
        self.work = home / "work"
        self.work.mkdir()
        self.address = ""
        self._environment = {
            **os.environ,
            "JUPYTER_PREFER_ENV_PATH": "1",
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        for name in FOLDERS:
            folder = home / name.lower()
            folder.mkdir()
            self._environment[name] = str(folder)
        for name, python in kernels.items():
            self._add_kernel(name, python)
        for plugin, values in SETTINGS.items():
            path = home / "jupyterlab_settings_dir" / f"{plugin}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values), encoding="utf-8")

    def _add_kernel(self, name: str, python: Path) -> None:
        spec = self.home / "jupyter_data_dir" / "kernels" / name
        spec.mkdir(parents=True)
        described = {
            "argv": [
                str(python),
                "-m",
                "ipykernel_launcher",
                "-f",
                "{connection_file}",
            ],
            "display_name": name,
            "language": "python",
        }
        (spec / "kernel.json").write_text(json.dumps(described), encoding="utf-8")

    def __enter__(self) -> Self:
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            *("--ip=127.0.0.1", "--ServerApp.port=0", "--LabApp.news_url="),
            *(f"--IdentityProvider.token={TOKEN}", f"--notebook-dir={self.work}"),
            "--LabApp.expose_app_in_browser=True",
        ]
        self._log = (self.home / "server.log").open("wb")
        self._process = subprocess.Popen(  # noqa: S603  # our own words, no shell
            command, env=self._environment, stdout=self._log, stderr=subprocess.STDOUT
        )
        self.address = self._wait_for_address()
        return self

    def __exit__(self, *_: object) -> None:
        self.end_kernels()
        self._process.terminate()
        self._process.wait(20)
        self._log.close()

    def _wait_for_address(self) -> str:
        """Read the file that the server writes once it listens."""
        runtime = Path(self._environment["JUPYTER_RUNTIME_DIR"])
        written = runtime / f"jpserver-{self._process.pid}.json"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            if written.exists() and (text := written.read_text(encoding="utf-8")):
                return str(json.loads(text)["url"]).rstrip("/")
            time.sleep(0.05)
        log = (self.home / "server.log").read_text(encoding="utf-8")
        raise AssertionError(f"JupyterLab did not start:\n{log[-4000:]}")

    def call(self, method: str, path: str) -> Any:
        """Call the server's own interface."""
        request = urllib.request.Request(  # noqa: S310  # loopback, our own server
            f"{self.address}{path}",
            method=method,
            headers={"Authorization": f"token {TOKEN}"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310  # as above
            body = answer.read()
        return json.loads(body) if body else None

    def end_kernels(self) -> None:
        """End every session and its kernel."""
        for session in self.call("GET", "/api/sessions"):
            self.call("DELETE", f"/api/sessions/{session['id']}")

    def put(self, name: str, notebook: Any, *, kernel: str) -> str:
        """Place a notebook for the server; return its name."""
        notebook.metadata["kernelspec"] = {
            "name": kernel,
            "display_name": kernel,
            "language": "python",
        }
        nbformat.write(notebook, self.work / name)
        return name


def notebook_of(cells: Sequence[str]) -> Any:
    """Return a notebook with these code cells."""
    made = nbformat.v4.new_notebook()
    made.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    return made


READY = """() => {
  const open = window.jupyterapp?.shell.currentWidget;
  const kernel = open?.sessionContext?.session?.kernel;
  // Of a busy kernel Lab may not know the status after a reload.
  return kernel?.connectionStatus === 'connected'
    && document.querySelectorAll('.jp-Notebook .jp-Cell').length > 0;
}"""
IDLE = """() => {
  const open = window.jupyterapp.shell.currentWidget;
  return open.sessionContext.session?.kernel?.status === 'idle';
}"""
OUTPUT = """(i) => {
  const cell = document.querySelectorAll('.jp-Notebook .jp-CodeCell')[i];
  return [...cell.querySelectorAll('.jp-OutputArea-output')]
    .map((it) => it.innerText).join('\\n');
}"""
PROMPT = """(i) => document.querySelectorAll('.jp-Notebook .jp-CodeCell')[i]
  .querySelector('.jp-InputPrompt').innerText.trim()"""
# Keeps each text that an element had, so that a test can look at its growth. What is
# scrolled out of sight has no inner text: Lab leaves it out of the rendering.
WATCH = """(selector) => {
  window.seen = [];
  const look = () => {
    const text = [...document.querySelectorAll(selector)]
      .map((it) => it.textContent).join('\\n');
    if (text && text !== window.seen.at(-1)) window.seen.push(text);
  };
  new MutationObserver(look).observe(document.body,
    { childList: true, subtree: true, characterData: true });
}"""


class NotebookPage:
    """A notebook on a page; cells are counted from 0, code cells only."""

    def __init__(self, thread: PlaywrightThread, page: Page, server: LabServer) -> None:
        self._thread = thread
        self._page = page
        self._server = server
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error.stack)))

    @classmethod
    def new(
        cls, driver: tuple[PlaywrightThread, Browser], server: LabServer, name: str
    ) -> Self:
        """Open a notebook and wait for its kernel."""
        thread, browser = driver
        size: Any = {"width": 1100, "height": 1400}
        made = cls(thread, thread.run(browser.new_page(viewport=size)), server)
        made._go(f"{server.address}/lab/tree/{name}?token={TOKEN}&reset")
        made.wait(IDLE)
        return made

    def _go(self, address: str) -> Response | None:
        came = self._thread.run(self._page.goto(address))
        self.wait(READY)
        return came

    def reload(self) -> None:
        """Load the page again, as a person does in the middle of a stream."""
        self._thread.run(self._page.reload())
        self.wait(READY)

    def command(self, name: str) -> None:
        """Run a command of JupyterLab, and do not wait for its end."""
        self.evaluate("(it) => { window.jupyterapp.commands.execute(it); }", name)

    def save(self) -> None:
        """Save the notebook, and wait until it is saved."""
        script = (
            "() => window.jupyterapp.commands.execute('docmanager:save').then(() => 1)"
        )
        self.evaluate(script)

    def run_all(self) -> None:
        """Run All."""
        self.command("notebook:run-all-cells")

    def interrupt(self) -> None:
        """Press the stop button of the notebook."""
        self.command("kernelmenu:interrupt")

    def restart_kernel(self) -> None:
        """Restart the kernel, and say yes when Lab asks."""
        self.command("kernelmenu:restart")
        self.click(".jp-Dialog .jp-mod-accept")

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """Return what the script gives."""
        return self._thread.run(self._page.evaluate(script, argument))

    def wait(self, script: str, argument: Any = None) -> None:
        """Wait until the script gives something true."""
        limit = PATIENCE * 1000
        self._thread.run(
            self._page.wait_for_function(script, arg=argument, timeout=limit)
        )

    def wait_for(self, selector: str, *, state: Any = "visible") -> None:
        """Wait until an element is there."""
        limit = PATIENCE * 1000
        self._thread.run(
            self._page.wait_for_selector(selector, state=state, timeout=limit)
        )

    def wait_for_prompt(self, cell: int, prompt: str) -> None:
        """Wait for ``[*]:`` or ``[3]:`` before a cell."""
        self.wait(f"([i, due]) => ({PROMPT})(i) === due", [cell, prompt])

    def wait_for_output(self, cell: int, text: str) -> None:
        """Wait until a cell shows the text."""
        self.wait(f"([i, due]) => ({OUTPUT})(i).includes(due)", [cell, text])

    def wait_for_text(self, selector: str, text: str) -> None:
        """Wait until an element shows the text."""
        script = (
            "([selector, due]) => [...document.querySelectorAll(selector)]"
            ".some((it) => it.innerText.includes(due))"
        )
        self.wait(script, [selector, text])

    def wait_until(self, due: Callable[[], bool]) -> None:
        """Wait for something outside the page."""
        end = time.monotonic() + PATIENCE
        while not due():
            assert time.monotonic() < end, "It never came."
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """Click as a person does: it must be visible, still and enabled."""
        self._thread.run(self._page.click(selector, timeout=PATIENCE * 1000))

    def mark(self, selector: str, *, clicks: int = 2) -> None:
        """Click twice on a word, or three times on a line, so that it is selected."""
        self._thread.run(
            self._page.click(
                selector, click_count=clicks, timeout=PATIENCE * 1000, delay=20
            )
        )

    def type(self, selector: str, text: str, *, then: str = "") -> None:
        """Write into a field, and press a key."""
        self._thread.run(self._page.fill(selector, text, timeout=PATIENCE * 1000))
        if then:
            self._thread.run(self._page.press(selector, then))

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        for key in keys:
            self._thread.run(self._page.keyboard.press(key))

    def write(self, text: str) -> None:
        """Write as a person does who has the keys in the head, without Lab's help."""
        self._thread.run(self._page.keyboard.insert_text(text))

    def resize(self, width: int, height: int) -> None:
        """Make the window so large."""
        size: Any = {"width": width, "height": height}
        self._thread.run(self._page.set_viewport_size(size))

    def active_cell(self) -> int:
        """Return which cell Lab would run next, markdown cells counted too."""
        return self.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
        )

    def output(self, cell: int) -> str:
        """Return the text that a cell shows."""
        return self.evaluate(OUTPUT, cell)

    def prompt(self, cell: int) -> str:
        """Return what stands before a cell."""
        return self.evaluate(PROMPT, cell)

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        limit = PATIENCE * 1000
        return self._thread.run(self._page.inner_text(selector, timeout=limit))

    def count(self, selector: str) -> int:
        """Return how many elements there are."""
        return self._thread.run(self._page.locator(selector).count())

    def watch(self, selector: str) -> None:
        """Begin to keep every text that these elements show."""
        self.evaluate(WATCH, selector)

    def seen(self) -> list[str]:
        """Return the different texts since :meth:`watch`, in order."""
        return self.evaluate("() => window.seen")

    def picture(self, name: str) -> None:
        """Keep a screenshot among the artefacts of the run."""
        path = str(artefacts() / f"{name}.png")
        self._thread.run(self._page.screenshot(path=path))

    def keep(self, path: Path, selector: str | None = None) -> None:
        """Keep a picture of the window, or of one element, in a file."""
        shot = self._page.locator(selector).first if selector else self._page
        self._thread.run(shot.screenshot(path=str(path)))

    def our_errors(self) -> list[str]:
        """Return the errors that come from our bundle; Lab has some of its own."""
        return [it for it in self.errors if "blob:" in it]

    def close(self) -> None:
        """Close the page and end its kernel."""
        self._thread.run(self._page.close())
        self._server.end_kernels()
