"""The soak: minutes of fast streaming into a live view, with approvals clicked.

    python tests/support/soak.py [--minutes 10] [--rate 500] [--json FILE]

A real JupyterLab with a real kernel and Chromium; a model server on loopback that sends
numbered words; a script that clicks each approval card, by turns yes and no. Sampled
are the kernel (resident memory after a collection, tasks, threads, open files) and the
page (heap of JavaScript and listeners after a collection, memory of its process). At
the end every word must be in the page, once and in order, as in the conversation; a
tool must have run for each yes and for no no; the console must hold no error of ours.

Memory may grow with the transcript and with nothing else: what a letter of text costs
is told for each quarter of the run. ``poe soak`` runs it by hand; a few turns of it,
without any look at the clock, are a test (``tests/jupyter/test_soak.py``).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil
from chromium import chromium
from lab import LabServer, NotebookPage, notebook_of
from playwright.async_api import TimeoutError as NotThere
from soak_model import Model, talking

CARD = ".aistream-approval"
ANSWERS = (f"{CARD} >> text=Approve note", f"{CARD} >> text=Deny")
KEPT = ("JSHeapUsedSize", "Nodes", "JSEventListeners", "Documents")
EACH = 20.0
"""Seconds between two looks."""
CELLS = (
    """
import asyncio, gc, json, os, pathlib, threading
import aistream_nb as ai
ran = []
@ai.tool(destructive=True)
def note(number: int) -> str:
    "Keep a note."
    ran.append(number)
    return "kept"
chat = ai.Chat("anthropic:soak", api_key="sk-soak", endpoint=URL, tools=[note])
chat
""",
    """
def look():
    gc.collect()
    memory = pathlib.Path("/proc/self/statm").read_text().split()
    figures = {
        "resident": int(memory[1]) * os.sysconf("SC_PAGE_SIZE"),
        "tasks": len(asyncio.all_tasks()),
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
        "events": len(chat.recording),
        "objects": len(gc.get_objects()),
    }
    pathlib.Path("look.part").write_text(json.dumps(figures))
    os.replace("look.part", "look.json")
turns = 0
while not pathlib.Path("enough").exists():
    await chat.send("Go on.")
    turns += 1
    look()
said = [it.text for it in chat.conversation.messages if it.role == "assistant"]
pathlib.Path("said.part").write_text(json.dumps([turns, len(ran), said]))
os.replace("said.part", "said.json")
print("The end.")
""",
)
WORDS = r"""() => [...document.querySelectorAll(".aistream-prose")]
  .flatMap((it) => it.textContent.match(/w\d{8}/g) ?? []).map((it) => +it.slice(1))"""


@dataclass(frozen=True, kw_only=True)
class Look:
    """How things stand at one moment."""

    seconds: float
    letters: int
    deltas: int
    clicks: int
    kernel: dict[str, int]
    page: dict[str, float]
    load: float


@dataclass(kw_only=True)
class Outcome:
    """What came of it."""

    turns: int = 0
    ran: int = 0
    words: int = 0
    deltas: int = 0
    letters: int = 0
    approved: int = 0
    denied: int = 0
    shown: list[int] = field(default_factory=list[int], repr=False)
    kept: list[int] = field(default_factory=list[int], repr=False)
    console: list[str] = field(default_factory=list[str])
    console_of_lab: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])
    looks: list[Look] = field(default_factory=list[Look])

    def faults(self) -> list[str]:
        """What is not as it has to be; empty where all is well."""
        due = list(range(self.words))
        told = {
            "the page does not show the words that were sent": self.shown == due,
            "the conversation does not hold them": self.kept == due,
            "a tool did not run once for each yes": self.ran == self.approved,
            "not each call was asked for": self.turns == self.approved + self.denied,
            f"the page threw: {self.errors}": not self.errors,
            f"our console errors: {self.console}": not self.console,
        }
        return [fault for fault, holds in told.items() if not holds]


class Soak:
    """One run: a notebook, its page and its model."""

    def __init__(self, page: NotebookPage, server: LabServer, model: Model) -> None:
        self.page = page
        self.work = server.work
        self.model = model
        self.outcome = Outcome()
        self._begun = time.monotonic()
        self._thread, self._tab = page._thread, page._page
        self._session: Any = None
        self._thread.run(self._listen())

    async def _listen(self) -> None:
        self._session = await self._tab.context.new_cdp_session(self._tab)
        await self._session.send("Performance.enable")
        self._tab.on("console", self._hear)

    def _hear(self, told: Any) -> None:
        if told.type == "error":
            of_ours = "blob:" in told.location["url"] or "aistream" in told.text
            list_ = self.outcome.console if of_ours else self.outcome.console_of_lab
            list_.append(told.text[:300])

    def run(self, enough: Callable[[Outcome], bool], *, looks: bool = True) -> Outcome:
        """Stream until it is enough, click each card, and compare."""
        self.page.run_all()
        due = EACH if looks else float("inf")
        while not (self.work / "said.json").exists():
            assert not self._has_failed(), self.page.output(1)
            self._click()
            if self._passed() > due:
                due += EACH
                self._look()
            if enough(self.outcome):
                (self.work / "enough").touch()
        if looks:
            self._look()
        return self._compare()

    def _has_failed(self) -> bool:
        return self.page.prompt(1) not in {"[ ]:", "[*]:", "[2]:"}

    def _passed(self) -> float:
        return time.monotonic() - self._begun

    def _click(self) -> None:
        done = self.outcome.approved + self.outcome.denied
        answer = ANSWERS[done % 5 == 4]  # a no to every fifth
        try:
            self._thread.run(self._tab.wait_for_selector(answer, timeout=500))
        except NotThere:
            return
        self._thread.run(self._tab.click(answer))
        if answer == ANSWERS[1]:  # a no asks for its reason
            self.page.type(f"{CARD} input", "not this time", then="Enter")
        gone = self._tab.wait_for_selector(CARD, state="detached")
        self._thread.run(gone)
        if answer == ANSWERS[1]:
            self.outcome.denied += 1
        else:
            self.outcome.approved += 1

    def _look(self) -> None:
        told = self.work / "look.json"
        if not told.exists():
            return
        model, outcome = self.model, self.outcome
        outcome.looks.append(
            Look(
                seconds=round(self._passed(), 1),
                letters=model.letters,
                deltas=model.deltas,
                clicks=outcome.approved + outcome.denied,
                kernel=json.loads(told.read_text("utf-8")),
                page=self._page_figures(),
                load=os.getloadavg()[0],
            )
        )
        sys.stdout.write(f"{outcome.looks[-1]}\n")
        sys.stdout.flush()

    def _page_figures(self) -> dict[str, float]:
        self._thread.run(self._session.send("HeapProfiler.collectGarbage"))
        metrics = self._thread.run(self._session.send("Performance.getMetrics"))
        every = {it["name"]: it["value"] for it in metrics["metrics"]}
        return {name: every[name] for name in KEPT} | {"resident": _renderers()}

    def _compare(self) -> Outcome:
        outcome, model = self.outcome, self.model
        turns, ran, said = json.loads((self.work / "said.json").read_text("utf-8"))
        outcome.turns, outcome.ran = turns, ran
        outcome.words, outcome.deltas = model.words, model.deltas
        outcome.letters = model.letters
        text = "\n".join(said)
        outcome.kept = [int(it[:8]) for it in text.split("w")[1:] if it[:8].isdigit()]
        self.page.wait(f"(due) => ({WORDS})().length >= due", model.words)
        outcome.shown = self.page.evaluate(WORDS)
        outcome.errors = self.page.our_errors()
        return outcome


def _renderers() -> float:
    """Resident memory of the largest process that draws a page."""
    found = [0.0]
    for process in psutil.Process().children(recursive=True):
        try:
            if "--type=renderer" in process.cmdline():
                found.append(float(process.memory_info().rss))
        except psutil.Error:
            continue
    return max(found)


def soak(driver: Any, server: LabServer, model: Model, **options: Any) -> Outcome:
    """Run the notebook of the soak in a page of its own."""
    for name in ("enough", "said.json", "look.json"):
        (server.work / name).unlink(missing_ok=True)
    with talking(model) as url:
        cells = [CELLS[0].replace("URL", repr(url)), CELLS[1]]
        name = server.put("soak.ipynb", notebook_of(cells), kernel="python3")
        page = NotebookPage.new(driver, server, name)
        try:
            return Soak(page, server, model).run(**options)
        finally:
            page.picture("soak")
            page.close()


# ---------------------------------------------------------------- the table


def quarters(looks: Sequence[Look]) -> list[tuple[Look, Look]]:
    """The first and the last look of each quarter, the first minute left out."""
    warm = [look for look in looks if look.seconds >= 60] or list(looks)
    marks = [warm[round(n * (len(warm) - 1) / 4)] for n in range(5)]
    return list(itertools.pairwise(marks))


def show(outcome: Outcome) -> None:
    """Tell it as a table."""
    told = sys.stdout.write
    told("\nquarter   letters  kernel B/letter  heap B/letter  page B/letter\n")
    for number, (one, two) in enumerate(quarters(outcome.looks), 1):
        letters = max(two.letters - one.letters, 1)
        kernel = (two.kernel["resident"] - one.kernel["resident"]) / letters
        heap = (two.page["JSHeapUsedSize"] - one.page["JSHeapUsedSize"]) / letters
        page = (two.page["resident"] - one.page["resident"]) / letters
        told(f"{number:7} {letters:9,} {kernel:16.0f} {heap:14.1f} {page:14.1f}\n")
    first, last = outcome.looks[0], outcome.looks[-1]
    for name in ("tasks", "threads", "files"):
        told(f"{name}: {first.kernel[name]} -> {last.kernel[name]}\n")
    told(
        f"{outcome.turns} turns, {outcome.deltas:,} deltas, "
        f"{outcome.letters:,} letters, {outcome.words:,} words sent; "
        f"shown: {len(outcome.shown):,}\n"
        f"{outcome.approved} approved, {outcome.denied} denied, {outcome.ran} ran\n"
        f"load of the machine: {min(look.load for look in outcome.looks):.1f} to "
        f"{max(look.load for look in outcome.looks):.1f}\n"
    )
    for fault in outcome.faults() or ["no fault"]:
        told(f"{fault}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run it for as long as the command line says."""
    parser = argparse.ArgumentParser(description="Stream for minutes, and look.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=500, help="deltas a second")
    parser.add_argument("--json", type=Path, metavar="FILE")
    asked = parser.parse_args(argv)
    model = Model(words_a_turn=max(100, round(asked.rate * 2)), rate=asked.rate)
    end = time.monotonic() + asked.minutes * 60
    home = Path(tempfile.mkdtemp())
    with chromium() as driver, LabServer(home, {}) as server:
        outcome = soak(driver, server, model, enough=lambda _: time.monotonic() > end)
    show(outcome)
    if asked.json:
        told = asdict(outcome) | {
            "shown": len(outcome.shown),
            "kept": len(outcome.kept),
        }
        asked.json.write_text(json.dumps(told, indent=1), "utf-8")
    return 1 if outcome.faults() else 0


if __name__ == "__main__":
    sys.exit(main())
