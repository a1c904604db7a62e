"""Chromium for tests: where it is, how it is started, and who waits for it.

Playwright's own loop runs in a thread, so that a test stays plain code and other
tests keep their event loops.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Browser, Playwright, async_playwright

ROOT = Path(__file__).parents[2]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LIMIT = 120.0
T = TypeVar("T")


def find_chromium() -> str | None:
    """Return the browser: the variable CHROMIUM, or the usual names on the path."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = (shutil.which(name) for name in names)
    return os.environ.get("CHROMIUM") or next(filter(None, found), None)


def artefacts() -> Path:
    """Return the folder for screenshots; AISTREAM_ARTEFACTS names another one."""
    folder = Path(os.environ.get("AISTREAM_ARTEFACTS") or ROOT / "artefacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class PlaywrightThread:
    """Runs coroutines on a loop of its own; a test waits for their ends."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what the coroutine gives."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(LIMIT)

    def close(self) -> None:
        """End the loop and its thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(5)
        self.loop.close()


@contextmanager
def chromium() -> Generator[tuple[PlaywrightThread, Browser], None, None]:
    """Give a started browser with the thread that drives it."""
    thread = PlaywrightThread()

    async def start() -> tuple[Playwright, Browser]:
        driver = await async_playwright().start()
        program = find_chromium()
        return driver, await driver.chromium.launch(
            executable_path=program, args=ARGUMENTS
        )

    driver, browser = thread.run(start())
    try:
        yield thread, browser
    finally:
        thread.run(browser.close())
        thread.run(driver.stop())
        thread.close()
