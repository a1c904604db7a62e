from __future__ import annotations

import pytest

import aistream_nb as ai
from aistream_nb.chat.connect import connect
from aistream_nb.chat.provider_agent import ProviderAgent
from aistream_nb.errors import AIStreamError, TurnError
from aistream_nb.http import HttpClient


def name_of(target: str, **options: object) -> str:
    return connect(target, tools=None, system=None, options=options).agent.name


def test_an_agent_is_named_by_its_provider_and_model():
    assert name_of("anthropic:claude-x", api_key="k") == "anthropic:claude-x"
    assert name_of("ollama:qwen3:8b") == "ollama:qwen3:8b"
    assert name_of("anthropic", api_key="k").startswith("anthropic:claude-")
    assert name_of("openai-compat:m", endpoint="http://localhost:1/v1").endswith(":m")
    assert name_of("offline:gemini", pace=0) == "offline:gemini"


def test_a_client_of_your_own_is_used():
    client = HttpClient()
    agent = connect(
        "ollama:m", tools=None, system="Be brief.", options={"client": client}
    ).agent

    assert isinstance(agent, ProviderAgent)
    assert agent._client is client
    assert agent.facts["system"] == "Be brief."


def test_an_unknown_provider_is_an_error_that_names_the_known():
    with pytest.raises(TurnError, match="anthropic"):
        name_of("nobody:model")


@pytest.mark.parametrize("target", ["anthropic:m", "offline", "offline:xai"])
def test_a_misspelt_option_is_an_error_that_lists_the_right_ones(target: str):
    with pytest.raises(AIStreamError, match=r"'temprature'.*temperature"):
        ai.Chat(target, temprature=1)


def test_an_agent_object_takes_no_options():
    agent = connect("ollama:m", tools=None, system=None, options={}).agent

    assert connect(agent, tools=None, system=None, options={}).agent is agent
    with pytest.raises(AIStreamError, match="no further option"):
        connect(agent, tools=None, system=None, options={"pace": 1})


def test_the_embedded_agent_brings_its_tools_unless_it_is_given_others():
    offered = connect("offline", tools=None, system=None, options={}).tools
    none = connect("offline", tools=(), system="", options={}).tools

    assert [tool.spec.name for tool in offered][-1] == "book_ferry"
    assert none == ()
