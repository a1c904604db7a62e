"""What every test of the fault suite has to leave behind: nothing. And the count.

After each test there is no thread, socket or open file more than before it, nothing
new in the folder for temporary files, and no signal has another answer. The suite
prints how many attacks it made on which station, and how long it took.
"""

from __future__ import annotations

import gc
import os
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
THREADS_THAT_STAY = ("asyncio_", "pydevd.", "tool ")
"""Pools of the interpreter, and tools that nobody can end."""
_counted: Counter[str] = Counter()
_failed: Counter[str] = Counter()
_seconds: list[float] = []


@pytest.fixture(autouse=True)
def _leaves_nothing(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Generator[None, None, None]:
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = _open_things()
    yield
    if request.node.get_closest_marker("notebook"):
        return  # the client of a kernel keeps a loop of its own
    after = _open_things()
    if after != before:
        gc.collect()  # what only a ring of objects holds
        after = _open_things()
    assert {kind: after[kind] - before[kind] for kind in after} == {
        kind: set[object]() for kind in after
    }
    assert [*folder.iterdir()] == []


def _open_things() -> dict[str, set[object]]:
    return {
        "threads": {
            each.name
            for each in threading.enumerate()
            if not each.name.startswith(THREADS_THAT_STAY)
        },
        "files": _descriptors(),
        "signals": {(one, signal.getsignal(one)) for one in (signal.SIGINT,)},
    }


def _descriptors() -> set[object]:
    found: set[object] = set()
    for each in Path("/proc/self/fd").iterdir():
        try:
            found.add((each.name, os.readlink(each)))  # noqa: PTH115 what it leads to is no path
        except OSError:
            continue  # the one that lists them
    return found


# ---------------------------------------------------------------- the count


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    place = Path(report.location[0])
    if HERE.name not in place.parts:
        return
    station = place.stem.removeprefix("test_").replace("_", " ")
    _seconds.append(report.duration)
    if report.when == "call":
        _counted[station] += 1
    if report.failed:
        _failed[station] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _counted:
        return
    told = ", ".join(f"{station} {count}" for station, count in _counted.items())
    terminalreporter.write_line(
        f"fault suite: {_counted.total()} attacks, {_failed.total()} failed, "
        f"{sum(_seconds):.0f} s ({told})"
    )
