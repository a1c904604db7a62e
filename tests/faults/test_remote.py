"""An AG-UI server's answer, cut at every byte, endless, and stopped at every wait."""

from __future__ import annotations

import asyncio

import pytest
from agui_kit import (
    AGUIServer,
    Charts,
    Said,
    answer,
    call,
    finished,
    sse,
    started,
    text,
)
from fault_kit import hold_decided_first, hold_nothing_lost, kinds

import aistream_nb as ai
from aistream_nb.errors import ProviderStreamError

IDS = {"threadId": "t", "runId": "r"}
BODY = sse(
    started(**IDS),
    *text("Dobro jutro ☀"),
    *call("c1", "show_chart", '{"kind": "pie"}'),
    finished("c1", **IDS),
)


def hold_the_laws(chat: ai.Chat) -> None:
    """As for our own agents; only the order is the server's own affair."""
    assert not chat.busy
    assert chat.conversation.status in {"finished", "aborted", "error"}
    assert not chat.waiting
    hold_nothing_lost(chat)
    hold_decided_first(chat.recording.events)
    told = kinds(chat.recording.events)
    ended = told.count("RUN_FINISHED") + told.count("RUN_ERROR")
    assert told.count("RUN_STARTED") == ended


async def test_an_answer_may_be_cut_at_every_byte():
    before = asyncio.all_tasks()
    for at in range(len(BODY)):
        charts = Charts()
        server = AGUIServer(Said(body=BODY[:at]), answer("Bok"))
        chat = server.chat(tools=[charts.tool()])
        try:
            await chat.send("Hi")
        except ai.AIStreamError:
            assert chat.conversation.status == "error"
        hold_the_laws(chat)
        assert charts.shown in ([], ["pie"])
        await chat.aclose()
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("way", ["stop", "interrupt"])
async def test_a_run_may_end_at_every_wait(way: str):
    before = asyncio.all_tasks()
    for step in range(1, 15):
        charts = Charts()
        server = AGUIServer(Said(body=BODY), answer("Bok"))
        chat = server.chat(tools=[charts.tool()])
        task = asyncio.get_running_loop().create_task(chat.send("Hi"))
        for _ in range(step):
            await asyncio.sleep(0)
        if way == "stop":
            chat.stop()
        else:
            task.cancel()
        await asyncio.wait([task])
        hold_the_laws(chat)
        assert len(charts.shown) <= 1
        await chat.aclose()
    assert asyncio.all_tasks() == before


async def test_an_answer_without_an_end_is_read_up_to_the_limit():
    server = AGUIServer(Said(body=BODY[:200]))
    chat = server.chat(max_answer_bytes=100)
    with pytest.raises(ProviderStreamError, match="max_answer_bytes"):
        await chat.send("Hi")
    hold_the_laws(chat)
    await chat.aclose()
