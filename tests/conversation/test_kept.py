"""A conversation goes back to what it was, and only tells what is different."""

from __future__ import annotations

import random
from typing import Any

from conversation_kit import call, finished, run, started, text
from event_soups import brewed

from aistream_nb.conversation import Change, Conversation


def seen(conversation: Conversation) -> Any:
    return (
        [(it.id, it.role, it.parts, it.text) for it in conversation.messages],
        [
            (name, it.name, it.arguments, it.status, it.result, it.decision, it.reason)
            for name, it in conversation.tool_calls.items()
        ],
        conversation.status,
        conversation.error,
        conversation.model,
        conversation.state,
        conversation.usage,
        conversation.timing,
    )


def custom(name: str, **value: Any) -> dict[str, Any]:
    return {"type": "CUSTOM", "name": f"aistream:{name}", "value": value}


def answered(call_id: str) -> dict[str, Any]:
    return {"type": "TOOL_CALL_RESULT", "toolCallId": call_id, "content": "7"}


ASKED = custom("asked", toolCallId="c", toolName="f", approval={"id": "q"})
STORY: list[dict[str, Any]] = [
    started(tools=[{"name": "f", "parameters": {"type": "object"}}]),
    *text("Hello"),
    *call("c"),
    ASKED,
    custom("decision", toolCallId="c", decision="proceed", approvalId="q", by="you"),
    custom("executing", toolCallId="c"),
    *call("d"),
    answered("c"),
    answered("d"),
    {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}},
    *text("Done.", "m2", timestamp=2000),
    custom("round", model="big", usage={"input": 3}),
    finished(),
    started(),
    *text("Again", "m3"),
    *call("e"),
    {"type": "RUN_ERROR", "message": "gone"},
]


def walk(events: list[dict[str, Any]], dice: random.Random) -> None:
    straight = Conversation()
    expected = [seen(straight)]
    for event in events:
        straight.receive(event)
        expected.append(seen(straight))
    wandering = Conversation()
    kept = {0: wandering.keep()}
    at = 0
    for _ in range(3 * len(events)):
        if at == len(events) or dice.random() < 0.2:
            at = dice.choice(list(kept))
            wandering.put_back(kept[at])
        else:
            wandering.receive(events[at])
            at += 1
            if dice.random() < 0.5:
                kept[at] = wandering.keep()
        if dice.random() < 0.7:
            assert seen(wandering) == expected[at]


def test_every_moment_of_a_story_can_be_gone_back_to():
    dice = random.Random(5)  # noqa: S311 - walks, not secrets
    for _ in range(30):
        walk(STORY, dice)


def test_every_moment_of_a_soup_can_be_gone_back_to():
    dice = random.Random(6)  # noqa: S311 - walks, not secrets
    for _ in range(60):
        walk([event for _ in range(4) for event in brewed(dice)], dice)


HISTORY: list[dict[str, Any]] = [
    {"id": "u", "role": "user", "content": "Hi"},
    {
        "id": "a",
        "role": "assistant",
        "content": "x",
        "toolCalls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
        ],
    },
    {"id": "r", "role": "tool", "toolCallId": "c", "content": "2"},
]
STRANGE: list[dict[str, Any]] = [
    *({"type": "MESSAGES_SNAPSHOT", "messages": HISTORY[:n]} for n in (0, 1, 3)),
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
    *(ASKED, STORY[-8], STORY[-1], started(), finished()),
    *(event for event in STORY if event["type"] == "CUSTOM"),
    answered("c"),
]
"""Snapshots that take a call away and bring it back, and what is told of it."""


def test_every_moment_of_a_soup_with_snapshots_can_be_gone_back_to():
    dice = random.Random(7)  # noqa: S311 - walks, not secrets
    for _ in range(60):
        soup = [event for _ in range(2) for event in brewed(dice)]
        for event in dice.choices(STRANGE, k=12):
            soup.insert(dice.randrange(len(soup) + 1), event)
        walk(soup, dice)


def test_a_call_that_a_snapshot_took_is_there_again():
    conversation = Conversation()
    conversation.receive({"type": "MESSAGES_SNAPSHOT", "messages": HISTORY})
    kept = conversation.keep()
    conversation.receive({"type": "MESSAGES_SNAPSHOT", "messages": []})
    assert conversation.tool_calls == {}

    conversation.put_back(kept)

    assert conversation.tool_calls["c"].status == "complete"


def test_a_call_whose_message_a_snapshot_replaced_is_where_it_was():
    conversation = Conversation()
    conversation.receive(STRANGE[3])
    kept, before = conversation.keep(), seen(conversation)
    conversation.receive({"type": "MESSAGES_SNAPSHOT", "messages": HISTORY})

    conversation.put_back(kept)

    assert seen(conversation) == before


def test_only_what_is_different_is_told():
    conversation = run(*text("One", "m"), *text("Two", "n"))
    kept = conversation.keep()
    conversation.receive_all(text(" more", "n"))
    conversation.receive_all(text("Three", "o"))
    heard: list[Change] = []
    conversation.subscribe(heard.append)

    conversation.put_back(kept)

    assert [it.text for it in conversation.messages] == ["One", "Two"]
    assert [(set(it.messages), it.reset) for it in heard] == [({"n", "o"}, False)]


def test_models_that_are_still_there_stay_and_are_heard_of():
    conversation = run(*text("One"), *call())
    kept = conversation.keep()
    (message,), first = conversation.messages, conversation.tool_calls["c"]
    conversation.receive_all([ASKED, *text(" more")])
    heard: list[str] = []
    message.observe(lambda change: heard.append(change["new"]), "text")
    assert first.status == "awaiting-approval"

    conversation.put_back(kept)

    assert conversation.messages == (message,)
    assert conversation.tool_calls["c"] is first
    assert (heard, first.status) == (["One"], "ready")


def test_calls_that_were_not_there_yet_are_gone_and_come_again():
    conversation = run(*text("One"))
    before = conversation.keep()
    conversation.receive_all(call())
    after = conversation.keep()
    held = conversation.tool_calls

    conversation.put_back(before)
    assert conversation.tool_calls == {}
    conversation.put_back(after)
    assert conversation.tool_calls["c"].status == "ready"
    assert list(held) == ["c"]
