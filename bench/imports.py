"""What starting costs: each import in a fresh interpreter, as ``-X importtime`` says.

The package itself loads nothing; its names load what they need when they are used. The
first display is everything up to the view of a chat: imports, chat, widget and forms.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator

from common import Case, Pass, Plan, Rival, check, race

TITLE = "import  a fresh interpreter"
TARGETS = {"aistream_nb": 0.35, "aistream_nb.chat": None}
PEER = "anthropic"
DISPLAY = """
import time
begun = time.process_time()
import aistream_nb as ai
chat = ai.Chat("offline")
chat._view.widget()
chat._repr_mimebundle_()
print(1000 * (time.process_time() - begun))
"""
LATE = ("anywidget", "httpx", "ipywidgets")
"""What ``import aistream_nb`` must not load."""


def importing(module: str) -> Pass:
    def run() -> float:
        return _microseconds(module) / 1000

    return run


def _microseconds(module: str) -> int:
    """What the module and its parents took, with all that they import."""
    command = [sys.executable, "-X", "importtime", "-c", f"import {module}"]
    # With its bytecode, as an installer leaves a package: the first pass writes it.
    surroundings = dict(os.environ)
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(  # noqa: S603 - this interpreter
        command, capture_output=True, text=True, check=True, env=surroundings
    )
    rows = [line.split("|") for line in done.stderr.splitlines()]
    root = f" {module.partition('.')[0]}"  # what is imported by others stands deeper
    return sum(int(row[1]) for row in rows if row[-1].partition(".")[0] == root)


def displaying() -> float:
    return float(_printed(DISPLAY))


def importing_whole(module: str) -> Pass:
    """The same clock as for the display: all that the process spends on an import."""
    code = f"import time\nb = time.process_time()\nimport {module}\n"
    return lambda: float(_printed(code + "print(1000 * (time.process_time() - b))"))


def _printed(code: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - this interpreter
    return done.stdout.strip()


def _loaded_early() -> str:
    return _printed(f"import sys, aistream_nb; print({{*{LATE!r}}} & {{*sys.modules}})")


def measure(plan: Plan) -> Iterator[Case]:
    """The package, and the chat with all that it needs."""
    check(_loaded_early(), "set()")
    is_here = importlib.util.find_spec(PEER) is not None
    for module, at_most in TARGETS.items():
        rival = Rival(
            name=f"import {PEER}",
            run=importing(PEER) if is_here else None,
            missing="" if is_here else f"pip install {PEER}",
            at_most=at_most,
        )
        yield race(plan, f"import {module}", importing(module), rivals=[rival])
    rival = Rival(
        name=f"import {PEER}",
        run=importing_whole(PEER) if is_here else None,
        missing="" if is_here else f"pip install {PEER}",
        at_most=1,
    )
    yield race(plan, "first display of a chat", displaying, rivals=[rival])
