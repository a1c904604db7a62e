"""Two chats in one kernel: same names for everything, and nothing in common.

Both number their threads, messages, calls and questions from one, so whatever would
look a thing up by its name alone finds that of the other.
"""

from __future__ import annotations

import asyncio
from typing import Any

from bad_server import says, serving
from fault_kit import (
    BOOK,
    Ferry,
    Steps,
    approve_what_waits,
    ferry_chat,
    hold_the_laws,
    steps,
)
from turn_kit import message, text_block

import aistream_nb as ai
from aistream_nb.http import HttpClient
from aistream_nb.providers.retry import NO_RETRY
from aistream_nb.widgets.transcript import TranscriptWidget


def page_of(chat: ai.Chat) -> tuple[TranscriptWidget, list[dict[str, Any]]]:
    """The view of a chat, and what its page was told."""
    widget = chat._view.widget()
    told: list[dict[str, Any]] = []
    vars(widget)["send"] = told.append
    return widget, told


def click_on_the_card(widget: TranscriptWidget) -> dict[str, Any]:
    """The click that the open card of this view makes, whoever hears it."""
    widget.flush()
    calls = widget.get_state("_snapshot")["_snapshot"]["conversation"]["calls"]
    (open_one,) = [call for call in calls.values() if call["approval"]]
    return {
        "type": "decide",
        "id": "click",
        "call": open_one["id"],
        "approval": open_one["approval"]["id"],
        "nonce": open_one["approval"]["nonce"],
        "decision": "proceed",
    }


def both_asked(turned: Steps, chats: list[ai.Chat]) -> list[asyncio.Task[ai.Reply]]:
    tasks = [turned.start(chat.send(BOOK)) for chat in chats]
    turned.until(lambda: all(chat.waiting for chat in chats))
    return tasks


def test_two_chats_take_turns_and_share_nothing():
    ferries = [Ferry(), Ferry()]
    with steps() as turned:
        chats = [ferry_chat(ferry) for ferry in ferries]
        tasks = [turned.start(chat.send(BOOK)) for chat in chats]
        while not all(task.done() for task in tasks):
            turned.once()
            for chat in chats:
                approve_what_waits(chat)
        one, other = chats
        for chat in chats:
            hold_the_laws(chat)
            turned.run(chat.aclose())
    assert [len(ferry.booked) for ferry in ferries] == [1, 1]
    assert not one.recording.diff(other.recording)
    assert one.conversation.messages[-1] is not other.conversation.messages[-1]


def test_a_click_for_one_chat_decides_nothing_in_the_other():
    ferries = [Ferry(), Ferry()]
    with steps() as turned:
        one, other = chats = [ferry_chat(ferry) for ferry in ferries]
        (here, _), (there, told) = [page_of(chat) for chat in chats]
        tasks = both_asked(turned, chats)
        click = click_on_the_card(here)
        assert click["call"] == click_on_the_card(there)["call"]
        there._hear(there, click, [])
        assert [answer["accepted"] for answer in told if "accepted" in answer] == [
            False
        ]
        assert (len(one.waiting), len(other.waiting)) == (1, 1)
        here._hear(here, click, [])
        turned.until(tasks[0].done)
        assert len(other.waiting) == 1
        other.stop()
        turned.until(tasks[1].done)
        for chat in chats:
            hold_the_laws(chat)
            turned.run(chat.aclose())
    assert [len(ferry.booked) for ferry in ferries] == [1, 0]


def test_a_stop_an_interrupt_and_an_end_of_one_leave_the_other_going():
    for end in ("stop", "interrupt", "close"):
        ferries = [Ferry(), Ferry()]
        with steps() as turned:
            one, other = chats = [ferry_chat(ferry) for ferry in ferries]
            tasks = both_asked(turned, chats)
            if end == "stop":
                one.stop()
            elif end == "interrupt":
                tasks[0].cancel()
            else:
                turned.run(one.aclose())
            turned.until(tasks[0].done)
            hold_the_laws(one)
            assert len(other.waiting) == 1
            approve_what_waits(other)
            turned.until(tasks[1].done)
            assert tasks[1].result().status == "finished"
            hold_the_laws(other)
            for chat in chats:
                turned.run(chat.aclose())
        assert [len(ferry.booked) for ferry in ferries] == [0, 1]


async def test_one_that_breaks_leaves_the_connections_of_the_other():
    """One client for both: a server that hangs up on one does not cost the other."""
    said = iter([says(), says(message(*text_block(0, "Dobro jutro")))])

    async def play(writer: asyncio.StreamWriter) -> bool | None:
        return await next(said)(writer)

    async with serving(play) as (_server, url):
        client = HttpClient()
        options: Any = {
            "api_key": "sk-test-0123456789",
            "client": client,
            "retry": NO_RETRY,
            "endpoint": url.removesuffix("/v1"),
        }
        one, other = [ai.Chat("anthropic:m", **options) for _ in range(2)]
        results = await asyncio.gather(
            one.send("Hi"), other.send("Hi"), return_exceptions=True
        )
        failed = [one for one in results if isinstance(one, ai.AIStreamError)]
        answers = [one.text for one in results if isinstance(one, ai.Reply)]
        assert (len(failed), answers) == (1, ["Dobro jutro"])
        for chat in (one, other):
            hold_the_laws(chat)
            await chat.aclose()
