"""One fixture: a session of which nothing is left when the test has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from tracker_session import Session


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    before = asyncio.all_tasks()
    session = Session()
    yield session
    for tracker in session.trackers:
        await tracker.aclose()
    await asyncio.sleep(0)
    left = {task for task in asyncio.all_tasks() - before if not task.done()}
    assert left <= {asyncio.current_task()}
