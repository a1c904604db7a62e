"""W7 in a real JupyterLab: what reaches the page, how often, and how smoothly.

A model on loopback sends 20,000 deltas; Chromium shows the view. Counted are the bytes
and the messages that came over the websocket for it; measured are the pictures that the
page drew meanwhile, its longest task, and how long the last word needed from the model
to the page. Here the ratio is the figure itself, in the unit that the name says. Times
are those of this machine and its load; what is counted is the same everywhere.

Chromium and the ``lab`` extra have to be there; without them it is a row that says so.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import Against, Case, Plan

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

TITLE = "W7  deltas into a view in JupyterLab"
DELTAS = 20_000
RATE = 2_000
"""Deltas a second: ten times what a quick model says."""
CELLS = (
    """
import aistream_nb as ai
chat = ai.Chat("anthropic:bench", api_key="sk-bench", endpoint=URL)
chat
""",
    """
import time
begun = time.process_time()
reply = await chat.send("Go on.")
print("milliseconds:", 1000 * (time.process_time() - begun))
""",
)
WATCH = """(last) => {
  window.bench = { frames: [], tasks: [0], painted: 0 };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) bench.tasks.push(duration);
  }).observe({ entryTypes: ["longtask"] });
  let before = performance.now();
  const look = (now) => {
    bench.frames.push(now - before);
    before = now;
    const prose = [...document.querySelectorAll(".aistream-prose")].at(-1);
    if (prose?.lastElementChild?.textContent.includes(last)) {
      bench.painted = performance.timeOrigin + performance.now();
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
NEEDED = ("jupyterlab", "playwright")


def measure(_plan: Plan) -> Iterator[Case]:
    """One stream; it lasts ten seconds, and is its own median."""
    missing = _missing()
    if missing:
        against = Against(name="Chromium and JupyterLab", missing=missing)
        yield Case(name="to a page", milliseconds=float("nan"), against=(against,))
        return
    found = _streamed()
    letters, deltas = found["letters"], found["deltas"]
    yield Case(
        name=f"to a page, {deltas:,} deltas",
        milliseconds=found["kernel ms"],
        against=(
            _figure("B a letter, over the comm", found["bytes"] / letters, 8),
            _figure("messages a second", found["messages"] / found["seconds"], 70),
            _figure("s, last word to paint", found["lag"], 0.3),
            _figure("ms a picture, median", _share(found["frames"], 0.5)),
            _figure("ms a picture, 95 %", _share(found["frames"], 0.95)),
            _figure("ms, longest task", max(found["tasks"])),
        ),
    )


def _figure(name: str, value: float, at_most: float | None = None) -> Against:
    return Against(name=name, ratio=value, at_most=at_most)


def _share(values: list[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def _missing() -> str:
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        return "pip install -e '.[dev]'"
    from chromium import find_chromium  # noqa: PLC0415 # needs playwright

    return "" if find_chromium() else "apt-get install chromium"


def _streamed() -> dict[str, Any]:
    from chromium import chromium  # noqa: PLC0415 # these need what may be missing
    from lab import LabServer, NotebookPage, notebook_of  # noqa: PLC0415 # as above
    from soak_model import WORD, Model, talking  # noqa: PLC0415 # as above

    model = Model(words_a_turn=DELTAS * 5 // WORD, rate=RATE, asks=False)
    home = Path(tempfile.mkdtemp())
    with chromium() as driver, LabServer(home, {}) as server, talking(model) as url:
        cells = [CELLS[0].replace("URL", repr(url)), CELLS[1]]
        server.put("bench.ipynb", notebook_of(cells), kernel="python3")
        page = NotebookPage.new(driver, server, "bench.ipynb")
        heard = _listen(page)
        page.reload()
        page.evaluate(WATCH, last_word_of(model.words_a_turn))
        page.run_all()
        page.wait_for_output(1, "milliseconds:")
        page.wait("() => bench.painted > 0")
        seen = page.evaluate("() => bench")
        told = page.output(1).rpartition(": ")[2]
        page.close()
    times = [at for at, _ in heard]
    return {
        **seen,
        "letters": model.letters,
        "deltas": model.deltas,
        "kernel ms": float(told),
        "bytes": sum(size for _, size in heard),
        "messages": len(heard),
        "seconds": times[-1] - times[0],
        "lag": seen["painted"] / 1000 - model.ended,
    }


def last_word_of(count: int) -> str:
    """The last word of the first answer; the prose ends where a shape of it does."""
    from soak_model import Model  # noqa: PLC0415 # as above

    return re.findall(r"w\d{8}", Model(words_a_turn=count).prose(count))[-1]


def _listen(page: Any) -> list[tuple[float, int]]:
    """When each message of a comm came to the page, and how large it was."""
    heard: list[tuple[float, int]] = []

    def hear(content: str | bytes) -> None:
        content = content if isinstance(content, bytes) else content.encode()
        if b"comm_msg" in content:
            heard.append((time.monotonic(), len(content)))

    page._page.on("websocket", lambda socket: socket.on("framereceived", hear))  # noqa: SLF001 # the tests' own page
    return heard
