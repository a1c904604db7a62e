"""What only shows from inside; the rest is in the tests of replay."""

from __future__ import annotations

from aistream_nb.chat.remote_agent import RemoteAgent
from aistream_nb.http import HttpClient
from aistream_nb.recording import Recording
from aistream_nb.testing.rebuild import rebuilt_agent

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
        {"resume": [{"interruptId": "i", "status": "resolved", "payload": 7}]},
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


def test_a_remote_recording_without_requests_still_has_an_agent():
    assert rebuilt().server.state == {}
