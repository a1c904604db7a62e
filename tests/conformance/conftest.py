"""Counts per folder of cases, printed when the run ends."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

_counts: defaultdict[str, Counter[str]] = defaultdict(Counter)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    marker = item.get_closest_marker("cases")
    if marker is not None and (report.when == "call" or report.outcome != "passed"):
        _counts[marker.args[0]][report.outcome] += 1
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _counts:
        return
    terminalreporter.section("cases")
    for folder, counts in sorted(_counts.items()):
        said = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        terminalreporter.write_line(f"{folder:32} {said}")
