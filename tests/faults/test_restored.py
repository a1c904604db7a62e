"""Recordings that no chat has made, gone on with: refused in words, or nothing runs.

A file may be torn, put together twice, or be a stranger's. Whatever is in it, to go on
with it runs no tool, leaves no call open for the provider, and asks the gate of today.
"""

from __future__ import annotations

import asyncio
import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from chat_kit import somebody, until
from restore_kit import Counted, allow, no_call_is_open, refuse

import aistream_nb as ai
from aistream_nb.errors import AIStreamError, RecordingError
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT
from aistream_nb.recording import Recording
from aistream_nb.recording.entries import text_of

VENDORS = ["anthropic", "openai", "gemini", "ollama"]
IDS = {"threadId": "t", "runId": "r"}


async def two_turns(vendor: str) -> list[str]:
    """The lines of a conversation with three calls."""
    tools = Counted().tools
    chat = ai.Chat(f"offline:{vendor}", pace=0, tools=tools, gate=allow)
    await chat.send(OFFLINE_BOOKING_PROMPT)
    await chat.send(OFFLINE_PROMPT)
    short = chat.recording.compact()
    return text_of(short.header, short.entries).splitlines()


def look_at(chat: ai.Chat) -> None:
    """What a notebook does with a chat; nothing of it may raise."""
    assert chat._repr_mimebundle_()
    assert chat.ledger._repr_mimebundle_()
    assert repr(chat.ledger)
    assert chat.recording.timing_chart()._repr_html_()


# ---------------------------------------------------------------- other lines


def disturbed(lines: list[str], dice: random.Random) -> list[str]:
    """Lines of which some are gone, doubled, or in another place."""
    found = list(lines)
    for _ in range(dice.randint(1, 3)):
        at, to = dice.randrange(1, len(found)), dice.randrange(1, len(found))
        what = dice.choice(["drop", "double", "move", "cut"])
        if what == "double":
            found.insert(to, found[at])
        elif what == "cut":
            found[max(at, 2) :] = ['{"t": 1, "ev']
        else:
            line = found.pop(at)
            found[to:to] = [line] if what == "move" else []
    return found


@pytest.mark.parametrize("vendor", VENDORS)
async def test_with_lines_gone_doubled_or_moved_nothing_runs_and_the_talk_goes_on(
    vendor: str,
):
    lines = await two_turns(vendor)
    dice = random.Random(vendor)  # noqa: S311 # no secret hangs on it
    told = 0
    for _ in range(25):
        counted = Counted()
        try:
            saved = Recording.read("\n".join(disturbed(lines, dice)).encode())
        except RecordingError:
            continue
        again = ai.Chat.restore(saved, pace=0, tools=counted.tools, gate=refuse)

        look_at(again)
        assert not again.waiting
        assert no_call_is_open(again)
        reply = await again.send(OFFLINE_BOOKING_PROMPT)
        assert reply.status == "finished"
        assert not counted.ran
        ids = [message.id for message in again.conversation.messages]
        assert len(ids) == len(set(ids))
        told += 1
    assert told


# ---------------------------------------------------------------- other values

ODD: list[Any] = [
    *(None, True, -1, 1e300, "", "\ud800", "user", "tool", "RUN_STARTED"),
    *([], {}, [[]], [{}], {"type": 5}, {"id": "x", "role": "user"}),
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in list(inside):
        yield value, key
        if isinstance(member, (dict, list)):
            yield from places(member)


@pytest.mark.parametrize("vendor", VENDORS)
async def test_whatever_stands_where_something_else_was_due_nothing_runs(vendor: str):
    lines = [json.loads(line) for line in await two_turns(vendor)]
    dice = random.Random(vendor)  # noqa: S311 # no secret hangs on it
    for _ in range(40):
        counted, odd = Counted(), copy.deepcopy(lines)
        for line in dice.sample(odd[1:], 3):
            (kind,) = line.keys() - {"t"}
            where, key = dice.choice(list(places(line[kind])))
            where[key] = copy.deepcopy(dice.choice(ODD))
        saved = Recording.read("\n".join(map(json.dumps, odd)).encode())

        again = ai.Chat.restore(
            saved, agent=f"offline:{vendor}", pace=0, tools=counted.tools, gate=refuse
        )

        look_at(again)
        assert not again.waiting
        assert no_call_is_open(again)
        assert not counted.ran


@pytest.mark.parametrize("odd", [[], {}])
def test_a_list_or_an_object_may_stand_where_a_word_was_due(odd: Any):
    picture = {"type": "image", "source": {"type": odd, "value": "x"}}
    told = {"toolCallId": "c", "decision": odd, "by": odd, "approval": odd}
    rows = [{"id": "m", "role": odd, "content": [picture]}]
    rows += [{"id": "n", "role": "user", "content": [picture]}]
    events: list[dict[str, Any]] = [
        {"type": "RUN_STARTED", **IDS},
        {"type": odd},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "look"},
        {"type": "CUSTOM", "name": "aistream:decision", "value": told},
        {"type": "CUSTOM", "name": odd, "value": told},
        {"type": "MESSAGES_SNAPSHOT", "messages": rows},
        {"type": "RUN_FINISHED", **IDS, "outcome": {"type": odd}},
    ]
    for at in range(len(events) + 1):
        saved = Recording.of(events[:at])
        look_at(ai.Chat.restore(saved, agent="offline", pace=0))
        player = ai.Player(saved)
        player.seek(len(saved))
        assert player._repr_mimebundle_()


@pytest.mark.parametrize(
    "header",
    [
        {"agent": "nobody:at-all"},
        {"agent": "anthropic:m", "options": {"thinking": 7}},
        {"agent": "anthropic:m", "options": {"server_tools": [{"type": 5}]}},
        {"agent": "offline", "options": {"concurrent": "yes"}},
        {"agent": ["offline"]},
    ],
)
def test_a_header_that_names_no_agent_is_refused_in_words(header: dict[str, Any]):
    saved = Recording.of([{"type": "RUN_STARTED", **IDS}], **header)

    with pytest.raises(AIStreamError):
        ai.Chat.restore(saved)


# ---------------------------------------------------------------- two at once


async def test_a_chat_that_still_runs_and_the_one_restored_from_it_share_no_call():
    counted, gate = Counted(), ai.ApprovalGate()
    chat = ai.Chat("offline", pace=0, tools=counted.tools, gate=gate)
    chat._view.audience = somebody  # a person watches
    run = chat.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(chat.waiting))

    again = ai.Chat.restore(chat.recording, pace=0, tools=counted.tools, gate=gate)
    again._view.audience = somebody
    assert again.approve() == "No call waits."
    other = again.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(again.waiting))
    assert chat.approve() == "decided"
    await run

    assert counted.ran["book_ferry"] == 1
    assert len(again.waiting) == 1
    old, new = again.ledger.rows[-2:]
    assert (old.tool_name, old.decisions, old.runs) == ("book_ferry", (), 0)
    assert (new.tool_name, new.runs) == ("book_ferry", 0)
    assert again.deny(reason="once is enough") == "decided"
    await asyncio.gather(other)
    assert counted.ran["book_ferry"] == 1
