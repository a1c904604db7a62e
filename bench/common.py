"""Measuring side by side: what is compared, in rounds, and what came of it.

Machines differ and are noisy, so only the ratio of two things measured in one run says
anything. In every round ours and all rivals have their turn, each with the CPU time of
its best pass; a ratio is the median of the rounds' ratios. A pass checks its own
outcome, for a time of wrong work says nothing.
"""

from __future__ import annotations

import gc
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, TypeAlias

PEERS = Path(__file__).parent / "peers"

Pass: TypeAlias = Callable[[], float]
"""Does the work once; the CPU milliseconds that it took."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How thoroughly to measure."""

    rounds: int = 5
    passes: int = 5
    seconds: float = 1.0
    """After this long no further pass of a round begins."""


@dataclass(frozen=True, kw_only=True)
class Rival:
    """Somebody else's way to do the same work, or why it cannot be measured here."""

    name: str
    run: Pass | None = None
    missing: str = ""
    at_most: float | None = None
    """The target: of what the rival needs, the share that we may need."""
    passes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Against:
    """How we stand beside one rival."""

    name: str
    milliseconds: float | None = None
    ratio: float | None = None
    at_most: float | None = None
    missing: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met; ``None`` where there is none, or no measure."""
        if self.ratio is None or self.at_most is None:
            return None
        return self.ratio <= self.at_most


@dataclass(frozen=True, kw_only=True)
class Growth:
    """What one piece of work costs as there is more of it, against the smallest."""

    sizes: tuple[int, ...]
    milliseconds: tuple[float, ...]
    steps: tuple[float, ...]
    """From size to size: how much dearer a piece became. 1 is linear."""
    at_most: float

    @property
    def is_met(self) -> bool:
        """Whether no step made the work dearer than the target allows."""
        return max(self.steps) <= self.at_most


@dataclass(frozen=True, kw_only=True)
class Case:
    """One piece of work, measured."""

    name: str
    milliseconds: float
    against: tuple[Against, ...] = ()
    growth: Growth | None = None


@dataclass
class Stopwatch:
    """CPU time of this thread, of the stretches in which it is entered."""

    milliseconds: float = 0.0
    _since: float = field(default=0.0, repr=False)

    def __enter__(self) -> Self:
        self._since = time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.milliseconds += (time.thread_time() - self._since) * 1000


def timed(work: Callable[[], object]) -> Pass:
    """A pass of which all is the work."""

    def run() -> float:
        with Stopwatch() as watch:
            work()
        return watch.milliseconds

    return run


def check(found: object, wanted: object) -> None:
    """Stop if the work was not done.

    Raises:
        SystemExit: It was not.
    """
    if found != wanted:
        raise SystemExit(f"the work came to {found!r}, but {wanted!r} was due")


def best(run: Pass, plan: Plan, *, passes: int | None = None) -> float:
    """CPU milliseconds of the best of some passes."""
    end = time.monotonic() + plan.seconds
    spent: list[float] = []
    for _ in range(passes or plan.passes):
        gc.collect()
        spent.append(run())
        if time.monotonic() > end:
            break
    return min(spent)


def race(
    plan: Plan,
    name: str,
    ours: Pass,
    *,
    rivals: Iterable[Rival] = (),
    growth: Growth | None = None,
) -> Case:
    """Measure ours and all rivals, turn by turn."""
    entrants = [_Entrant(rival) for rival in rivals]
    mine: list[float] = []
    for _ in range(plan.rounds):
        mine.append(best(ours, plan))
        for entrant in entrants:
            entrant.take_turn(plan)
    return Case(
        name=name,
        milliseconds=statistics.median(mine),
        against=tuple(entrant.against(mine) for entrant in entrants),
        growth=growth,
    )


class _Entrant:
    """A rival in a race."""

    def __init__(self, rival: Rival) -> None:
        self._rival = rival
        self._missing = rival.missing
        self._spent: list[float] = []

    def take_turn(self, plan: Plan) -> None:
        run = self._rival.run
        if run is None or self._missing:
            return
        try:
            self._spent.append(best(run, plan, passes=self._rival.passes))
        except Exception as error:  # noqa: BLE001 - whatever a rival does, we go on
            self._missing = f"it failed: {type(error).__name__}"

    def against(self, mine: Sequence[float]) -> Against:
        rival = self._rival
        if self._missing or not self._spent:
            return Against(
                name=rival.name, at_most=rival.at_most, missing=self._missing
            )
        ratios = [ours / theirs for ours, theirs in zip(mine, self._spent, strict=True)]
        return Against(
            name=rival.name,
            milliseconds=statistics.median(self._spent),
            ratio=statistics.median(ratios),
            at_most=rival.at_most,
        )


def growth(
    plan: Plan,
    run_of: Callable[[int], Pass],
    sizes: Sequence[int],
    *,
    at_most: float = 1.25,
) -> Growth:
    """What the work costs at several sizes, measured turn by turn."""
    runs = [run_of(size) for size in sizes]
    rounds = [[best(run, plan) for run in runs] for _ in range(plan.rounds)]
    spent = [statistics.median(column) for column in zip(*rounds, strict=True)]
    each = [cost / size for cost, size in zip(spent, sizes, strict=True)]
    return Growth(
        sizes=tuple(sizes),
        milliseconds=tuple(spent),
        steps=tuple(after / before for before, after in pairwise(each)),
        at_most=at_most,
    )


def python_rival(
    name: str, make: Callable[[], Pass], *, package: str, at_most: float | None = None
) -> Rival:
    """A rival in Python; where its package is missing, a row that says so."""
    try:
        return Rival(name=name, run=make(), at_most=at_most)
    except ImportError:
        return Rival(name=name, missing=f"pip install {package}", at_most=at_most)


def node_rival(
    name: str,
    script: str,
    *arguments: str,
    workload: object,
    plan: Plan,
    wanted: object = None,
    at_most: float | None = None,
) -> Rival:
    """A rival in Node: a script that reads the workload and prints its best pass.

    Args:
        name: What the table calls it.
        script: One of those in ``peers/``.
        arguments: What the script is told, after the workload and the seconds.
        workload: Written as JSON where the script can read it.
        plan: How long a turn may take.
        wanted: What the script has to print as ``done``.
        at_most: The target.
    """
    executable = shutil.which("node")
    if executable is None or not (PEERS / "node_modules").is_dir():
        missing = "Node 20, and `npm ci` in bench/peers"
        return Rival(name=name, missing=missing, at_most=at_most)

    def run() -> float:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(workload, file)
            file.flush()
            seconds = str(plan.seconds)
            found = _printed([executable, script, file.name, seconds, *arguments])
        check(found["done"], wanted)
        return found["milliseconds"]

    return Rival(name=name, run=run, at_most=at_most, passes=1)


def _printed(command: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(  # noqa: S603 - our own scripts, with our own arguments
        command, cwd=PEERS, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)
