"""A run is struck at every place where it can wait, in every way that it can end early.

The embedded agent asks, looks two things up, asks for approval, books and answers;
between any two steps of the loop the run is stopped, interrupted or closed. After each
the laws hold, the chat answers the next question, and nothing is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from fault_kit import (
    BOOK,
    PATIENCE,
    Ferry,
    Steps,
    approve_what_waits,
    ferry_chat,
    hold_the_laws,
    kinds,
    steps,
)

import aistream_nb as ai

Strike = Callable[[Steps, ai.Chat, "asyncio.Task[ai.Reply]"], None]


def interrupt(_turned: Steps, _chat: ai.Chat, task: asyncio.Task[ai.Reply]) -> None:
    task.cancel()


def interrupt_twice(
    turned: Steps, _chat: ai.Chat, task: asyncio.Task[ai.Reply]
) -> None:
    task.cancel()
    turned.once()
    task.cancel()


def stop(_turned: Steps, chat: ai.Chat, _task: asyncio.Task[ai.Reply]) -> None:
    chat.stop()


def stop_twice(turned: Steps, chat: ai.Chat, _task: asyncio.Task[ai.Reply]) -> None:
    chat.stop()
    turned.once()
    chat.stop()


def walk(turned: Steps, chat: ai.Chat, task: asyncio.Task[ai.Reply], last: int) -> bool:
    """Go on for so many steps, and approve what waits; whether the run goes on."""
    for _ in range(last):
        if task.done():
            break
        turned.once()
        approve_what_waits(chat)
    return not task.done()


def strike_at(step: int, strike: Strike, vendor: str, *, background: bool) -> bool:
    """Strike once; whether the run was still going on at this step."""
    ferry = Ferry()
    with steps() as turned:
        chat = ferry_chat(ferry, vendor)
        start = begun(chat) if background else sent(chat)
        task = turned.run(start)
        struck = walk(turned, chat, task, step)
        if struck:
            strike(turned, chat, task)
        turned.until(task.done)
        turned.once()
        was_stopped = strike in {stop, stop_twice}
        assert task.cancelled() or not struck or was_stopped
        if not task.cancelled():
            assert task.result().status in {"finished", "aborted"}
        hold_the_laws(chat)
        assert len(ferry.booked) <= 1
        if step % 4 == 0:
            send_again(turned, chat)
        turned.run(chat.aclose())
    return struck


def send_again(turned: Steps, chat: ai.Chat) -> None:
    again = turned.start(chat.send(BOOK))
    assert not walk(turned, chat, again, PATIENCE)
    assert again.result().status == "finished"
    hold_the_laws(chat)


async def sent(chat: ai.Chat) -> asyncio.Task[ai.Reply]:
    return asyncio.get_running_loop().create_task(chat.send(BOOK))


async def begun(chat: ai.Chat) -> asyncio.Task[ai.Reply]:
    chat.start(BOOK)
    return next(iter(chat._background))


@pytest.mark.parametrize("strike", [interrupt, stop])
def test_a_run_may_end_at_every_wait(strike: Strike):
    step = 1
    while strike_at(step, strike, "", background=False):
        step += 1
    assert step > 50


@pytest.mark.parametrize("vendor", ["", "openai", "gemini", "ollama"])
@pytest.mark.parametrize("strike", [interrupt_twice, stop_twice])
def test_a_run_in_the_background_may_end_at_every_wait(strike: Strike, vendor: str):
    step = 0
    while strike_at(step, strike, vendor, background=True):
        step += 4
    assert step > 10


def test_a_stop_before_the_first_step_is_kept_and_the_question_too():
    with steps() as turned:
        chat = ferry_chat(Ferry())
        task = turned.run(begun(chat))
        chat.stop()
        turned.until(task.done)
        assert task.result().status == "aborted"
        assert chat.conversation.messages[0].text == BOOK
        assert kinds(chat.recording.events)[-1] == "RUN_FINISHED"
        turned.run(chat.aclose())


def test_a_run_that_never_began_leaves_the_chat_free():
    with steps() as turned:
        chat = ferry_chat(Ferry())
        task = turned.run(begun(chat))
        task.cancel()
        turned.until(task.done)
        turned.once()
        hold_the_laws(chat)
        turned.run(chat.aclose())


def test_a_wait_that_cannot_begin_leaves_the_chat_free(monkeypatch):
    def refuse() -> None:
        raise RuntimeWarning("clicks cannot arrive here")

    with steps() as turned:
        chat = ferry_chat(Ferry())
        with monkeypatch.context() as patch:
            patch.setattr("aistream_nb.chat.chat.cell_wait", refuse)
            with pytest.raises(RuntimeWarning):
                turned.run(chat.send(BOOK))
        hold_the_laws(chat)
        turned.run(chat.aclose())


def test_closing_at_every_wait_ends_the_run():
    step = 1
    going_on = True
    while going_on:
        with steps() as turned:
            chat = ferry_chat(Ferry())
            task = turned.start(chat.send(BOOK))
            going_on = walk(turned, chat, task, step)
            turned.run(chat.aclose())
            turned.until(task.done)
            assert task.result().status in {"finished", "aborted"}
            hold_the_laws(chat)
        step += 3
    assert step > 50
