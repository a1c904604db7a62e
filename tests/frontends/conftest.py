"""The environment of the other front ends, and one browser for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium
from front_ends import front_end_python


@pytest.fixture(scope="session")
def front_end(request: pytest.FixtureRequest) -> Path:
    """A Python that has them all."""
    return front_end_python(Path(request.config.cache.mkdir("front_ends")))


@pytest.fixture(scope="session")
def front_browser() -> Iterator[Any]:
    with chromium() as driver:
        yield driver
