"""What holds for every test: browser tests need a Chromium, and say so without one.

On a machine without Chromium they are left out, and one line tells it. Where
AISTREAM_REQUIRE_BROWSER=1 is set, as in CI, they fail instead.
"""

from __future__ import annotations

import os

import pytest
from chromium import find_chromium

_left_out = pytest.StashKey[int]()


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if find_chromium() or os.environ.get("AISTREAM_REQUIRE_BROWSER") == "1":
        return
    unseen = [item for item in items if item.get_closest_marker("browser")]
    items[:] = [item for item in items if not item.get_closest_marker("browser")]
    config.stash[_left_out] = len(unseen)
    config.hook.pytest_deselected(items=unseen)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    count = terminalreporter.config.stash.get(_left_out, 0)
    if count:
        terminalreporter.write_line(
            f"{count} browser tests were left out: there is no Chromium here "
            "(apt-get install chromium, or name one in CHROMIUM)."
        )
