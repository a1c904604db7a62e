from __future__ import annotations

import asyncio

import pytest

from aistream_nb.core.running_on import RUNS_ON, note_running_on, words_on_running


async def wait(*, in_thread: bool) -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError as stop:
        if in_thread:
            note_running_on(stop)
        raise


@pytest.mark.parametrize("in_thread", [True, False])
async def test_the_word_passes_through_every_time_out(in_thread: bool):  # noqa: FBT001 # a case of the table
    with pytest.raises(TimeoutError) as caught:
        async with asyncio.timeout(0.01):
            await wait(in_thread=in_thread)
    told = words_on_running(caught.value)
    assert told == (f"; {RUNS_ON}" if in_thread else "")


def test_of_no_error_nothing_is_told():
    assert words_on_running(None) == ""
