"""Other people's code is asked, told, and contained."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tracker_session import Session, call

from aistream_nb.tracker import ToolInvocationTracker


def fail(*_: object) -> None:
    raise RuntimeError("secret")


async def fail_later(*_: object) -> None:
    raise RuntimeError("secret")


@pytest.mark.parametrize("callback", [fail, fail_later])
@pytest.mark.parametrize("name", ["on_result", "on_statuses_change"])
async def test_a_callback_that_raises_is_reported_for_each_time_and_harms_nobody(
    session: Session, name: str, callback: object
) -> None:
    await session.live(**{name: callback})
    await session.show(call("c", "{}"))
    await session.show(call("c", "{}"), call("d", "{}"))
    assert session.ran == [("c", {}), ("d", {})]
    code = name.replace("_", "-")
    assert session.codes == [code] * (2 if name == "on_result" else 4)
    assert all("secret" not in d.message for d in session.diagnostics)
    assert dict(session.tracker.statuses) == {}


async def test_an_async_callback_is_awaited(session: Session) -> None:
    told: list[object] = []

    async def on_result(result: object) -> None:
        await asyncio.sleep(0)
        told.append(result)

    await session.live(on_result=on_result)
    await session.show(call("c", "{}"))
    assert len(told) == 1


def test_an_async_callback_without_a_loop_is_reported_and_given_up() -> None:
    codes: list[str] = []
    tracker = ToolInvocationTracker(
        on_statuses_change=fail_later, on_diagnostic=lambda d: codes.append(d.code)
    )
    tracker._outside.call("on-statuses-change", fail_later)
    future = asyncio.new_event_loop().create_future()
    future.get_loop().close()
    tracker._outside.call("on-statuses-change", lambda: future)
    assert codes == ["on-statuses-change", "on-statuses-change"]


async def test_without_a_diagnostics_callback_problems_are_logged(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        await session.live(on_diagnostic=None)
        session.tracker.set_state(7)
    assert "unreadable-snapshot" in caplog.text


async def test_a_diagnostics_callback_that_raises_is_logged_and_nothing_is_lost(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        await session.live(on_diagnostic=fail)
        session.tracker.set_state(7)
    assert "on_diagnostic raised" in caplog.text
    assert "unreadable-snapshot" in caplog.text


async def test_a_lasting_condition_is_reported_again_after_it_was_gone(
    session: Session,
) -> None:
    working = session.tools
    await session.live()
    for broken in (True, True, False, True):
        session.tools = 7 if broken else working  # pyright: ignore[reportAttributeAccessIssue] -- broken on purpose
        await session.show(call("c", "{}", toolName="other"))
    assert session.codes == ["tools", "tools"]


async def test_tools_may_be_a_plain_mapping_or_none(session: Session) -> None:
    session.start()
    session.tracker._outside._tools = {"work": session.tool}
    await session.show()
    await session.show(call("c", "{}"))
    assert session.ran == [("c", {})]
    session.tracker._outside._tools = None
    await session.show(call("d", "{}"))
    assert session.ran == [("c", {})]
