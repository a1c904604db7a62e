"""What only shows from inside; the rest is in the tests of replay."""

from __future__ import annotations

import asyncio

import pytest

import aistream_nb as ai
from aistream_nb.chat.remote_agent import RemoteAgent
from aistream_nb.http import HttpClient
from aistream_nb.recording import Recording
from aistream_nb.testing.rebuild import rebuilt_agent, until_the_stop

REMOTE = {"protocol": "ag-ui", "url": "http://agent.test/run"}


def rebuilt(*bodies: dict[str, object]) -> RemoteAgent:
    recording = Recording(clock=lambda: 0.0, header=REMOTE)
    for number, body in enumerate(bodies, start=1):
        recording.append_wire(number, request={"body": body})
    agent = rebuilt_agent(recording, HttpClient(), {"max_rounds": 3})
    assert isinstance(agent, RemoteAgent)
    return agent


def test_a_remote_agent_is_told_what_its_requests_show():
    server = rebuilt({"state": {"n": 1}, "protocolVersion": "1.0"}).server

    assert (server.state, server.protocol_version) == ({"n": 1}, "1.0")
    assert (server.resume_by, server.max_rounds) == ("resume", 3)


def test_answers_by_command_are_given_again_in_their_order():
    server = rebuilt(
        {},
        {"forwardedProps": {"command": {"resume": "yes"}}},
        {
            "resume": [
                {"interruptId": "i", "status": "resolved", "payload": 7},
                {"interruptId": "j", "status": "cancelled"},
            ]
        },
    ).server
    answer = server.on_interrupt

    assert server.resume_by == "command"
    assert server.protocol_version is None
    assert answer is not None
    assert [answer({"id": "i"}), answer({"id": "j"}), answer({"id": "j"})] == [
        7,
        "yes",
        None,
    ]


def test_what_the_host_told_a_remote_agent_is_told_again():
    thread = [{"id": "s", "role": "system", "content": "Be kind."}]
    context = [{"description": "d", "value": "v"}, "no context"]
    props = {"k": 1, "command": {"resume": "yes"}}

    agent = rebuilt({"messages": thread, "context": context, "forwardedProps": props})

    assert agent.server.extra == {
        "context": [{"description": "d", "value": "v"}],
        "forwardedProps": {"k": 1},
    }
    assert agent._system == "Be kind."
    assert rebuilt({"messages": [{"role": "user", "content": "x"}]})._system is None


def test_a_header_that_tells_of_a_remote_agent_is_believed():
    told = {**REMOTE, "system": "Be kind.", "approvals": ["pay", "book_*"]}

    def agent(**options: object) -> RemoteAgent:
        recording = Recording(clock=lambda: 0.0, header=told)
        made = rebuilt_agent(recording, HttpClient(), options)
        assert isinstance(made, RemoteAgent)
        return made

    assert agent().server.approvals == ("pay", "book_*")
    assert agent()._system == "Be kind."
    assert agent(approvals=[], system="").server.approvals == ()
    assert agent(system="Be brief.")._system == "Be brief."


def test_a_remote_recording_without_requests_still_has_an_agent():
    assert rebuilt().server.state == {}


async def test_a_tool_is_stopped_at_the_call_that_was_stopped_and_not_before():
    stopped: list[bool] = []

    @ai.tool
    def look(what: str) -> str:
        """Look."""
        return what

    def begun(call_id: str) -> list[dict[str, object]]:
        name = {"toolCallName": "look"}
        value = {"toolCallId": call_id}
        return [
            {"type": "TOOL_CALL_START", **value, **name},
            {"type": "CUSTOM", "name": "aistream:executing", "value": value},
        ]

    recording = Recording.of(
        [
            {"type": "RUN_STARTED"},
            *begun("1"),
            {"type": "TOOL_CALL_RESULT", "toolCallId": "1"},
            *begun("2"),
        ]
    )
    (tool,) = until_the_stop([look], recording, lambda: stopped.append(True))

    arguments = tool.validate({"what": "here"})
    assert await tool.execute(arguments) == "here"
    assert stopped == []
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await tool.execute(arguments)
    assert stopped == [True]


def test_a_header_without_a_model_is_enough_for_a_provider():
    recording = Recording(clock=lambda: 0.0, header={"provider": "anthropic"})

    assert rebuilt_agent(recording, HttpClient(), {}).name == "anthropic"


def test_a_note_that_says_nothing_of_an_agent_stands_in_nobody_s_way():
    recording = Recording.of([], provider="anthropic", model="m")
    recording.append_note("restored", "somewhere")

    assert rebuilt_agent(recording, HttpClient(), {}).name == "anthropic"
