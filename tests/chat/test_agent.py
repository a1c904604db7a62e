from __future__ import annotations

from chat_kit import Agent

import aistream_nb as ai
from aistream_nb.chat.agent import Keyed, Rewindable
from aistream_nb.chat.connect import connect
from aistream_nb.core.ordering.machine import Slip


def test_what_an_agent_can_do_is_seen_and_not_declared():
    provider = connect("ollama:m", tools=None, system=None, options={}).agent

    assert isinstance(provider, Rewindable)
    assert isinstance(provider, Keyed)
    assert not isinstance(Agent(), Rewindable)


async def test_faults_below_the_events_are_violations_of_the_chat():
    agent = Agent()
    agent.go_on.set()
    agent.faults = (Slip(rule="frame.bad_json", message="m", expected="e"),)  # pyright: ignore[reportAttributeAccessIssue] # seen, and not declared
    chat = ai.Chat(agent)

    await chat.send("one")
    await chat.send("two")

    assert [found.rule for found in chat.violations] == ["frame.bad_json"]
