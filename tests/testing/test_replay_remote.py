from __future__ import annotations

from typing import Any

import httpx
import pytest
from agui_binary import BINARY, binary
from agui_kit import (
    AGUIServer,
    Event,
    Said,
    Script,
    call,
    fill,
    finished,
    interrupted,
    started,
    text,
)
from fault_kit import kept_text

import aistream_nb as ai
from aistream_nb.core.wire.frame_readers import is_binary
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording
from aistream_nb.recording.entries import header_line
from aistream_nb.testing import replay


@ai.tool(read_only=True)
def lookup(city: str = "Split") -> str:
    """Look something up."""
    return f"sunny in {city}"


@ai.tool(name="lookup", read_only=True)
def lookup_of_today(city: str = "Split") -> str:
    """Look something up."""
    return f"stormy in {city}"


async def recorded(server: AGUIServer, *said: str, **options: Any) -> Recording:
    chat = server.chat(tools=[lookup], **options)
    for one in said or ("Hello",):
        try:
            await chat.send(one)
        except AIStreamError:
            continue
    await chat.aclose()
    return chat.recording


def with_a_call() -> AGUIServer:
    return AGUIServer(
        [started(), *call("c1", "lookup", '{"city": "Hvar"}'), finished("c1")],
        [started(), *text("It is sunny."), finished()],
    )


async def test_a_remote_run_comes_to_the_same_and_its_client_tools_run():
    recording = await recorded(with_a_call())

    run = replay(recording, tools=[lookup]).check()

    assert run.outline == (
        {"user": "Hello"},
        {
            "call": "lookup",
            "arguments": {"city": "Hvar"},
            "status": "complete",
            "result": "sunny in Hvar",
        },
        {"assistant": "It is sunny."},
    )


async def test_a_server_that_answered_in_the_binary_form_is_replayed():
    def said(*events: Event) -> Script:
        return lambda body: Said(body=binary(*fill(events, body)), content_type=BINARY)

    server = AGUIServer(
        said(started(), *call("c1", "lookup", '{"city": "Hvar"}'), finished("c1")),
        said(started(), *text("It is sunny."), finished()),
    )
    recording = await recorded(server)
    assert is_binary(recording.rounds[0].body)
    again = Recording.read(kept_text(recording).encode())

    run = replay(again, tools=[lookup]).check()

    assert [one.result for one in run.invocations] == ["sunny in Hvar"]
    assert not run.violations


async def test_a_client_tool_that_changed_is_named():
    run = replay(await recorded(with_a_call()), tools=[lookup_of_today])

    (sentence,) = run.differences
    assert sentence == (
        "call 1, lookup(city=Hvar): the result differs\n"
        "  was: sunny in Hvar\n  now: stormy in Hvar"
    )


async def test_two_messages_with_state_between_them():
    snapshot = {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}}
    server = AGUIServer(
        [started(), snapshot, *text("One"), finished()],
        [started(), *text("Two", "m2"), finished()],
    )
    agent = server.agent(state={"n": 0})
    chat = ai.Chat(agent)
    await chat.send("a")
    agent.state = {"n": 5}
    await chat.send("b")

    assert str(replay(chat.recording)) == "recording holds: no difference"


APPROVAL = {
    "id": "i1",
    "reason": "tool_call",
    "toolCallId": "c1",
    "message": "May I?",
    "responseSchema": {
        "type": "object",
        "properties": {"approved": {"type": "boolean"}},
        "required": ["approved"],
    },
}


async def test_a_servers_question_is_answered_as_it_was():
    server = AGUIServer(
        [started(), *call("c1", "pay"), interrupted(APPROVAL)],
        [started(), *text("Paid."), finished()],
    )

    run = replay(await recorded(server), tools=[lookup])

    assert str(run) == "recording holds: no difference"
    assert "proceed" in str(run.recording.events)


async def test_what_only_the_host_understood_is_answered_as_it_was():
    unknown = {"id": "i9", "reason": "acme:colour", "message": "Which colour?"}
    server = AGUIServer(
        [started(), interrupted(unknown)], [started(), *text("Blue."), finished()]
    )
    recording = await recorded(server, on_interrupt=lambda _wire: {"colour": "blue"})

    assert str(replay(recording, tools=[lookup])) == "recording holds: no difference"


@pytest.mark.parametrize(
    "answer",
    [
        Said(status=500, body=b"out of order"),
        Said(events=[started(), *text("Half")[:2]]),
        [started(), {"type": "RUN_ERROR", "message": "no", "code": "e"}],
    ],
    ids=["a refusal", "a stream that breaks off", "an error of the server"],
)
async def test_what_failed_fails_again_in_the_same_words(answer: Any):
    recording = await recorded(AGUIServer(answer))

    run = replay(recording, tools=[lookup])

    assert recording.ending == "failed"
    assert str(run) == "recording holds: no difference"


async def test_a_connection_that_never_was_fails_again():
    server = AGUIServer(Said(refuses=httpx.ConnectError("nobody home")))

    run = replay(await recorded(server), tools=[lookup])

    assert str(run) == "recording holds: no difference"


async def test_an_agent_that_asks_more_than_before_is_told_so():
    recording = await recorded(with_a_call())
    fewer = [e for e in recording.entries if (e.wire or {}).get("round") != 2]
    lines = [header_line(recording.header), *(entry.to_line() for entry in fewer)]
    first = Recording.read("\n".join(lines).encode())

    run = replay(first, tools=[lookup])

    assert "has no answer for request 2" in run.report
    with pytest.raises(AssertionError, match="record it anew"):
        run.check()


async def test_a_chat_that_asks_a_question_again_is_replayed_with_the_cut():
    server = AGUIServer(
        [started(), *text("One"), finished()],
        [started(), *text("Two", "m2"), finished()],
        [started(), *text("Three", "m3"), finished()],
    )
    chat = server.chat()
    await chat.send("a")
    await chat.send("b")
    await chat.edit(chat.conversation.messages[0].id, "c")

    run = replay(chat.recording)

    assert str(run) == "recording holds: no difference"
    assert run.outline == ({"user": "c"}, {"assistant": "Three"})
