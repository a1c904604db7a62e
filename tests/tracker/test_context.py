"""Questions to a person, and the statuses that show them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tracker_session import Session, call

from aistream_nb.core.invocation.call import Call
from aistream_nb.core.invocation.machines import Standing
from aistream_nb.errors import ToolExecutionError
from aistream_nb.tracker.context import StatusBoard

# ---------------------------------------------------------------- questions


async def test_a_question_is_shown_and_its_answer_is_what_the_tool_gets(
    session: Session,
) -> None:
    session.tool.work = lambda _, context: context.human({"sure": True})
    await session.live()
    await session.show(call("c", "{}"))
    assert session.statuses[-1] == {
        "c": {
            "type": "interrupt",
            "payload": {"type": "human", "payload": {"sure": True}},
        }
    }
    assert session.tracker.resume("c", None)
    assert session.statuses[-1] == {"c": {"type": "executing"}}
    await session.turn()
    assert session.told == [("c", None)]
    assert session.statuses[-1] == {}


async def test_a_new_question_supersedes_the_old_one(session: Session) -> None:
    async def twice(_: Any, context: Any) -> Any:
        first = context.human(1)
        second = context.human(2)
        try:
            await first
        except ToolExecutionError as error:
            return [str(error), await second]

    session.tool.work = twice
    await session.live()
    await session.show(call("c", "{}"))
    assert session.tracker.resume("c", "yes")
    await session.turn()
    assert session.told == [
        ("c", ["Human input request was superseded by a new request", "yes"])
    ]


async def test_an_abort_fails_every_question(session: Session) -> None:
    session.tool.work = lambda _, context: context.human("sure?")
    await session.live()
    await session.show(call("c", "{}"), call("d", "{}"))
    await session.tracker.abort()
    text = "ToolExecutionError: Tool execution aborted"
    assert session.told == [("c", text), ("d", text)]
    assert not session.tracker.resume("c")


async def test_a_call_that_a_reset_abandoned_cannot_ask(session: Session) -> None:
    await session.live()
    await session.show(call("c", "{}"))
    context = session.tool.contexts["c"]
    session.tracker.reset()
    with pytest.raises(ToolExecutionError, match="aborted"):
        await context.human("sure?")
    assert dict(session.tracker.statuses) == {}


async def test_a_question_that_is_open_when_the_call_begins_stays_shown(
    session: Session,
) -> None:
    questions: list[Any] = []

    def ask(_: Any, context: Any) -> None:
        questions.append(context.human("colour?"))

    session.tools["work"] = {
        "stream_call": ask,
        "execute": lambda *_: asyncio.Event().wait(),
    }
    await session.live()
    await session.show(call("c", "{}"))
    assert session.tracker.statuses["c"]["type"] == "interrupt"
    assert session.tracker.resume("c", "red")
    assert session.tracker.statuses["c"]["type"] == "executing"
    assert await questions[0] == "red"


async def test_a_reset_fails_an_open_question_and_shows_nothing_of_it(
    session: Session,
) -> None:
    failures: list[str] = []

    async def ask(_: Any, context: Any) -> None:
        try:
            await context.human("sure?")
        except ToolExecutionError as error:
            failures.append(str(error))

    session.tool.work = ask
    await session.live()
    await session.show(call("c", "{}"))
    session.tracker.reset()
    await session.turn()
    assert failures == ["Tool execution aborted"]
    assert [len(statuses) for statuses in session.statuses] == [1, 1, 0]
    assert session.told == []


async def test_a_status_that_stays_the_same_is_not_published_again(
    session: Session,
) -> None:
    questions: list[Any] = []
    session.tools["work"] = {
        "stream_call": lambda _, context: questions.append(context.human("colour?"))
    }
    await session.live()
    await session.show(call("c", "{}"))
    assert session.tracker.resume("c", "red")
    assert session.statuses[-1] == {}
    await session.tracker.abort()
    assert len(session.statuses) == 2
    assert await questions[0] == "red"


def test_a_board_publishes_changes_only() -> None:
    published: list[Any] = []
    board = StatusBoard(published.append)
    asked = Call(1, "c", "work", Standing())
    board.show_flight(asked)
    board.clear()
    assert published == []
