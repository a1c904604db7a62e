"""The signal that stops a turn from outside."""

from __future__ import annotations

import asyncio

import pytest

from aistream_nb.providers.turn_abort import AbortError, AbortSignal, interruptible


async def test_without_a_signal_nothing_is_different():
    async with interruptible(None):
        await asyncio.sleep(0)


async def test_a_signal_that_was_given_ends_it_before_it_began():
    signal = AbortSignal()
    signal.abort("stop")
    with pytest.raises(AbortError, match="stop"):
        async with interruptible(signal):
            pytest.fail("it began")


async def test_a_signal_ends_what_waits_and_is_listened_to_no_more():
    signal = AbortSignal()
    asyncio.get_running_loop().call_soon(signal.abort)
    with pytest.raises(AbortError, match="the turn was aborted"):
        async with interruptible(signal):
            await asyncio.Event().wait()
    assert signal._listeners == []


async def test_a_time_out_from_inside_stays_a_time_out():
    with pytest.raises(TimeoutError, match="mine"):
        async with interruptible(AbortSignal()):
            raise TimeoutError("mine")
