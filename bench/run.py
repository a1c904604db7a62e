"""Runs the workloads beside their peers and prints one table.

    python bench/run.py [W1 W2 ...] [--quick] [--json out.json]

W1 to W7 are the streams that this library lives on, ``lab`` is W7 in a real JupyterLab,
and ``import`` is what starting it costs. In every round ours and every peer have their
turn, each with the CPU time of its best pass; the ratio is the median of the rounds.
``growth`` is how much dearer a piece of the work became from size to size: 1.00 is
linear. A target is a share of what the peer needs. Nothing here fails a build, for
machines are noisy: what must not grow is held by ``tests/test_growth.py``, which counts
and never times.

Peers in Node come from ``bench/peers`` (``npm ci`` there); peers in Python are measured
where they are installed. One that is missing is a row that says how to get it.
``--quick`` measures one round; ``--json`` keeps every figure, and the machine's.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from common import Against, Case, Growth, Plan
from rich.console import Console
from rich.table import Table

WORKLOADS = {
    "W1": "w1_text",
    "W2": "w2_arguments",
    "W3": "w3_history",
    "W4": "w4_vendors",
    "W5": "w5_tracker",
    "W6": "w6_encode",
    "W7": "w7_frames",
    "lab": "w7_lab",
    "import": "imports",
}
QUICK = Plan(rounds=1, passes=3, seconds=0.5)
WIDTH = 140
"""Of the table, where it is not a terminal that it goes to."""
VERDICTS = {True: "[green]met[/]", False: "[red]not met[/]", None: ""}


def main(argv: Sequence[str] | None = None) -> None:
    """Measure what the command line names."""
    asked = _parsed(argv)
    plan = QUICK if asked.quick else Plan()
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    found: dict[str, list[Case]] = {}
    table = _empty_table()
    for name in asked.workloads or WORKLOADS:
        workload = importlib.import_module(WORKLOADS[name])
        with console.status(f"measuring {workload.TITLE}"):
            found[name] = list(workload.measure(plan))
        _add(table, workload.TITLE, found[name])
        if asked.json:  # after each, so that whoever stops it keeps what was measured
            figures = json.dumps(_everything(plan, found), indent=1)
            asked.json.write_text(figures, "utf-8")
    console.print(table, _summary(found))


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure us beside our peers.")
    add = parser.add_argument
    add("workloads", nargs="*", metavar="W", help=f"of {', '.join(WORKLOADS)}")
    add("--quick", action="store_true", help="one short round: for a look")
    add("--json", type=Path, metavar="FILE", help="where every figure is kept")
    asked = parser.parse_args(argv)
    unknown = [name for name in asked.workloads if name not in WORKLOADS]
    if unknown:
        parser.error(f"no workload {unknown[0]!r}; there are {', '.join(WORKLOADS)}")
    return asked


# ---------------------------------------------------------------- the table


def _empty_table() -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("work", min_width=32, no_wrap=True)
    for name in ("ours ms", "its ms", "ratio", "target", ""):
        table.add_column(name, justify="right", min_width=8, no_wrap=True)
    table.add_column("beside", min_width=22)
    table.add_column("growth", min_width=22)
    return table


def _add(table: Table, title: str, cases: Iterable[Case]) -> None:
    table.add_row()
    table.add_row(f"[bold]{title}[/]")
    for case in cases:
        ours, growth = (f"  {case.name}", _figure(case.milliseconds)), case.growth
        for against in case.against or (Against(name=""),):
            table.add_row(*ours, *_told_rival(against), _told_growth(growth))
            ours, growth = ("", ""), None


def _told_rival(against: Against) -> tuple[str, ...]:
    name = against.name
    if against.missing:
        name += f" [dim]({against.missing})[/]"
    target = "" if against.at_most is None else f"≤ {_figure(against.at_most)}"
    return (
        _figure(against.milliseconds),
        _figure(against.ratio),
        target,
        VERDICTS[against.is_met],
        name,
    )


def _told_growth(growth: Growth | None) -> str:
    if growth is None:
        return ""
    steps = " ".join(f"{step:.2f}" for step in growth.steps)
    return f"{steps} ≤ {growth.at_most:g} {VERDICTS[growth.is_met]}"


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    digits = 2 if value >= 1 else 4
    return f"{value:,.{digits}f}"


def _summary(found: dict[str, list[Case]]) -> str:
    cases = [case for each in found.values() for case in each]
    verdicts = [against.is_met for case in cases for against in case.against]
    verdicts += [case.growth.is_met for case in cases if case.growth]
    missing = sum(bool(a.missing) for case in cases for a in case.against)
    met, missed = verdicts.count(True), verdicts.count(False)
    return f"\n{met} targets met, {missed} not met, {missing} peers not measured"


# ---------------------------------------------------------------- the file


def _everything(plan: Plan, found: dict[str, list[Case]]) -> dict[str, Any]:
    return {
        "machine": _machine(),
        "plan": dataclasses.asdict(plan),
        "workloads": {
            name: [dataclasses.asdict(case) for case in cases]
            for name, cases in found.items()
        },
    }


def _machine() -> dict[str, Any]:
    node = shutil.which("node")
    return {
        "python": sys.version.split()[0],
        "implementation": platform.python_implementation(),
        "node": node and _printed(node, "--version"),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "packages": {each.name: each.version for each in distributions()},
    }


def _printed(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - node, from the path
    return done.stdout.strip()


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text("utf-8").splitlines() if listed.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    main()
