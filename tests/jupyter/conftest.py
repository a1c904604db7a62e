"""One JupyterLab and one browser for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium
from lab import LabServer, NotebookPage
from live_kernel import kernel_python

OLD = "6.31.0"
_failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    item.stash[_failed] = item.stash.get(_failed, False) or report.failed
    return report


@pytest.fixture(scope="session")
def lab_browser() -> Iterator[Any]:
    with chromium() as driver:
        yield driver


@pytest.fixture(scope="session")
def lab(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LabServer]:
    cache: Path = request.config.cache.mkdir("kernels")
    kernels = {"old": kernel_python(cache, OLD)}
    with LabServer(tmp_path_factory.mktemp("lab"), kernels) as server:
        yield server


@pytest.fixture
def open_notebook(
    lab: LabServer, lab_browser: Any, request: pytest.FixtureRequest
) -> Iterator[Callable[..., NotebookPage]]:
    pages: list[NotebookPage] = []

    def open_it(notebook: Any, *, kernel: str = "python3") -> NotebookPage:
        name = f"test-{abs(hash(request.node.name))}.ipynb"
        lab.put(name, notebook, kernel=kernel)
        page = NotebookPage.new(lab_browser, lab, name)
        pages.append(page)
        return page

    yield open_it
    for page in pages:
        if request.node.stash.get(_failed, False):
            page.picture(f"failed-{request.node.name}")
        page.close()
