"""What a person of ours meets at real AG-UI servers: tools, questions, answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

import aistream_nb as ai
from aistream_nb.core.tool_spec import Decision, Deny, GateRequest, Proceed

FRAMEWORKS = ("pydantic_ai", "strands", "agent_framework", "langgraph")
Servers = Mapping[str, str]


class Gate:
    """Answers every question alike, and remembers them."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def __call__(self, request: GateRequest) -> Decision:
        self.asked.append((request.tool.name, dict(request.arguments)))
        return self.decision


class Charts:
    """A tool of the client, and what it was called with."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def tool(self) -> Any:
        def show_chart(kind: str) -> str:
            """Show a chart."""
            self.shown.append(kind)
            return f"shown {kind}"

        return ai.tool(show_chart)


def chat_with(url: str, gate: Gate, charts: Charts | None = None) -> ai.Chat:
    return ai.Chat(url, tools=[(charts or Charts()).tool()], gate=gate)


def heard(text: str, words: str) -> bool:
    """Whether a model on a script says that it heard these words."""
    return bool(re.search(rf"Heard: .*{words}", text, re.DOTALL))


def rules(chat: ai.Chat) -> set[str]:
    return {violation.rule for violation in chat.violations}


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_tool_of_the_server_is_shown_with_its_result(
    servers: Servers, framework: str
):
    gate = Gate(Deny())
    chat = chat_with(f"{servers[framework]}/server-tool", gate)

    reply = await chat.send("How cold is Oslo?")
    again = await chat.send("And now?")

    (weather,) = reply.tool_calls.values()
    assert (weather.name, weather.args) == ("weather", {"city": "Oslo"})
    assert (weather.status, weather.result) == ("complete", weather.result)
    assert "7 degrees in Oslo" in str(weather.result)
    assert heard(reply.text, "7 degrees in Oslo")
    assert heard(again.text, "7 degrees in Oslo")
    assert gate.asked == []
    assert chat.conversation.messages[0].text == "How cold is Oslo?"
    assert rules(chat) == set()
    await chat.aclose()


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_tool_of_ours_runs_once_behind_the_gate(
    servers: Servers, framework: str
):
    gate, charts = Gate(Proceed()), Charts()
    chat = chat_with(f"{servers[framework]}/client-tool", gate, charts)

    reply = await chat.send("Show it.")
    again = await chat.send("Once more.")

    (shown,) = reply.tool_calls.values()
    assert charts.shown == ["bar", "bar"]
    assert gate.asked == [("show_chart", {"kind": "bar"})] * 2
    assert (shown.status, shown.result) == ("complete", "shown bar")
    assert heard(reply.text, "shown bar")
    assert heard(again.text, "shown bar")
    assert reply.status == "finished"
    assert not rules(chat) - {"run.pending_list_missing"}
    await chat.aclose()


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_tool_of_ours_that_is_denied_does_not_run(
    servers: Servers, framework: str
):
    gate, charts = Gate(Deny(reason="not today")), Charts()
    chat = chat_with(f"{servers[framework]}/client-tool", gate, charts)

    reply = await chat.send("Show it.")

    (shown,) = reply.tool_calls.values()
    assert charts.shown == []
    assert (shown.status, shown.reason) == ("denied", "not today")
    assert heard(reply.text, "not today")
    await chat.aclose()


APPROVED = {
    "pydantic_ai": "paid 5",
    "strands": "'approved': True",
    "agent_framework": "paid 5",
    "langgraph": "'approved': True",
}
REFUSED = {
    "pydantic_ai": "not today",
    "strands": "'approved': False, 'reason': 'not today'",
    "agent_framework": "rejected",
    "langgraph": "'approved': False, 'reason': 'not today'",
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_what_the_server_wants_approved_is_asked_here_and_resumed(
    servers: Servers, framework: str
):
    gate = Gate(Proceed())
    chat = chat_with(f"{servers[framework]}/approval", gate)

    reply = await chat.send("Pay.")
    again = await chat.send("Pay again.")

    pay = next(call for call in reply.tool_calls.values() if call.name == "pay")
    assert gate.asked == [("pay", {"amount": 5})] * 2
    assert (pay.status, pay.decision) == ("complete", "proceed")
    assert heard(reply.text, APPROVED[framework])
    assert heard(again.text, APPROVED[framework])
    assert reply.status == "finished"
    await chat.aclose()


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_refusal_reaches_the_server_as_an_answer(
    servers: Servers, framework: str
):
    chat = chat_with(f"{servers[framework]}/approval", Gate(Deny(reason="not today")))

    reply = await chat.send("Pay.")

    pay = next(call for call in reply.tool_calls.values() if call.name == "pay")
    assert (pay.status, pay.reason) == ("denied", "not today")
    assert heard(reply.text, REFUSED[framework])
    await chat.aclose()


@pytest.mark.parametrize("framework", ["pydantic_ai", "agent_framework"])
async def test_arguments_that_a_person_edited_are_those_that_run(
    servers: Servers, framework: str
):
    gate = Gate(Proceed(arguments={"amount": 3}))
    chat = chat_with(f"{servers[framework]}/approval", gate)

    reply = await chat.send("Pay.")

    assert heard(reply.text, "paid 3")
    await chat.aclose()


@pytest.mark.parametrize("framework", ["strands", "langgraph"])
async def test_an_edit_that_the_server_has_no_place_for_is_a_refusal(
    servers: Servers, framework: str
):
    gate = Gate(Proceed(arguments={"amount": 3}))
    chat = chat_with(f"{servers[framework]}/approval", gate)

    reply = await chat.send("Pay.")

    assert heard(reply.text, "'approved': False")
    await chat.aclose()


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_where_nobody_watches_a_question_is_cancelled(
    servers: Servers, framework: str
):
    chat = ai.Chat(f"{servers[framework]}/approval", gate=ai.ApprovalGate())

    reply = await chat.send("Pay.")

    pay = next(call for call in reply.tool_calls.values() if call.name == "pay")
    assert pay.status == "denied"
    assert "nobody" in pay.reason
    resumed = chat.recording.rounds[1].request or {}
    assert resumed["body"]["resume"][0]["status"] == "cancelled"
    assert not heard(reply.text, "paid")
    await chat.aclose()


async def test_a_tool_of_ours_a_question_and_a_tool_of_the_server_in_one_run(
    servers: Servers,
):
    gate, charts = Gate(Proceed()), Charts()
    chat = chat_with(f"{servers['pydantic_ai']}/mixed", gate, charts)

    reply = await chat.send("All at once.")

    assert charts.shown == ["bar"]
    assert sorted(name for name, _ in gate.asked) == ["pay", "show_chart"]
    assert heard(reply.text, "7 degrees in Oslo, paid 5, shown bar")
    assert {call.status for call in reply.tool_calls.values()} == {"complete"}
    await chat.aclose()


@pytest.mark.parametrize("way", ["resume", "command"])
async def test_the_custom_event_by_which_langgraph_asks_is_answered_in_both_ways(
    servers: Servers, way: str
):
    gate = Gate(Proceed())
    chat = ai.Chat(f"{servers['langgraph']}/approval-custom", gate=gate, resume_by=way)

    reply = await chat.send("Pay.")

    assert gate.asked == [("pay", {"amount": 5})]
    assert heard(reply.text, "'approved': True")
    assert "interrupt.reported_success" in rules(chat)
    await chat.aclose()


async def test_the_shared_state_comes_from_the_server(servers: Servers):
    chat = chat_with(f"{servers['pydantic_ai']}/state", Gate(Deny()))
    states: list[Any] = []
    chat.conversation.observe(lambda change: states.append(change.new), "state")

    await chat.send("Remember.")

    assert states == [{"seen": []}, {"seen": ["Oslo"]}]
    assert chat.conversation.state == {"seen": ["Oslo"]}
    await chat.aclose()
