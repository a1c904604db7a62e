from __future__ import annotations

from chat_kit import Agent

from aistream_nb.chat.agent import Keyed, Rewindable
from aistream_nb.chat.connect import connect


def test_what_an_agent_can_do_is_seen_and_not_declared():
    provider = connect("ollama:m", tools=None, system=None, options={}).agent

    assert isinstance(provider, Rewindable)
    assert isinstance(provider, Keyed)
    assert not isinstance(Agent(), Rewindable)
