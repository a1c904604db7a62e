"""Measuring side by side: CPU time of the best pass, and ratios instead of times.

Machines differ and are noisy. Only the ratio of two things measured in one run says
anything, so every target is a ratio: to a peer, to a floor in Python, or to the same
work at another size.
"""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PEERS = Path(__file__).parent / "peers"


def best(run: Callable[[], object], *, passes: int = 9) -> float:
    """CPU milliseconds of the fastest of several passes."""
    spent: list[float] = []
    for _ in range(passes):
        gc.collect()
        before = time.thread_time()
        run()
        spent.append(time.thread_time() - before)
    return min(spent) * 1000


def check(found: object, wanted: object) -> None:
    """Stop if the work was not done: a time of wrong work says nothing."""
    if found != wanted:
        raise SystemExit(f"the work came to {found!r}, but {wanted!r} was due")


def node(script: str, *arguments: str) -> dict[str, Any] | None:
    """What a peer in Node prints; ``None`` where Node or the packages are missing."""
    executable = shutil.which("node")
    if executable is None or not (PEERS / "node_modules").is_dir():
        return None
    command = [executable, script, *arguments]
    done = subprocess.run(  # noqa: S603 - our own scripts, with our own arguments
        command, cwd=PEERS, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@dataclass
class Report:
    """A table of what was measured and of the targets."""

    title: str
    rows: list[str] = field(default_factory=list[str])

    def time(self, name: str, milliseconds: float | None) -> None:
        """Note a time; it is for reading, not for judging."""
        said = "not measured" if milliseconds is None else f"{milliseconds:10.2f} ms"
        self.rows.append(f"  {name:44} {said}")

    def ratio(
        self, name: str, ours: float, theirs: float | None, *, at_most: float
    ) -> None:
        """Note a ratio and whether it meets its target."""
        if not theirs:
            self.rows.append(f"  {name:44} not measured (target <= {at_most:g})")
            return
        found = ours / theirs
        verdict = "met" if found <= at_most else "NOT MET"
        self.rows.append(
            f"  {name:44} {found:10.3f}   target <= {at_most:<6g} {verdict}"
        )

    def show(self) -> None:
        """Print the table."""
        print(self.title)
        print("\n".join(self.rows))
        if shutil.which("node") and not (PEERS / "node_modules").is_dir():
            print(f"  peers in Node: run `npm install` in {PEERS}")
