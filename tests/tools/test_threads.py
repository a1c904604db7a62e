from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from aistream_nb.core.running_on import words_on_running
from aistream_nb.tools.threads import in_thread

WORD: ContextVar[str] = ContextVar("word")


async def test_it_runs_beside_the_loop_in_the_callers_context():
    WORD.set("here")
    result, raised = await in_thread(lambda: (WORD.get(), threading.current_thread()))
    assert raised is None
    assert isinstance(result, tuple)
    assert result[0] == "here"
    assert result[1] is not threading.current_thread()


@pytest.mark.parametrize("kind", [StopIteration, SystemExit, KeyboardInterrupt])
async def test_whatever_is_raised_is_a_value(kind: type[BaseException]):
    def fail() -> None:
        raise kind

    result, raised = await in_thread(fail)
    assert result is None
    assert type(raised) is kind


def test_a_function_that_never_returns_holds_neither_the_loop_nor_the_process():
    go_on = threading.Event()

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await in_thread(go_on.wait)

    asyncio.run(give_up())  # would wait for the threads of a pool
    left = [thread for thread in threading.enumerate() if "tool" in thread.name]
    assert left
    assert all(thread.daemon for thread in left)
    go_on.set()
    for thread in left:
        thread.join(5)


async def test_what_comes_after_it_was_given_up_is_let_go():
    go_on = threading.Event()
    waiting = asyncio.gather(in_thread(go_on.wait), return_exceptions=True)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    threads = [one for one in threading.enumerate() if "tool" in one.name]
    go_on.set()
    for thread in threads:
        thread.join(5)
    await asyncio.sleep(0)


async def test_a_thread_that_goes_on_bears_the_name_of_its_tool():
    go_on = threading.Event()
    with pytest.raises(TimeoutError) as caught:
        async with asyncio.timeout(0.01):
            await in_thread(go_on.wait, name="fetch")
    assert "goes on in its thread" in words_on_running(caught.value)
    (thread,) = (one for one in threading.enumerate() if one.name.endswith("fetch"))
    go_on.set()
    thread.join(5)
