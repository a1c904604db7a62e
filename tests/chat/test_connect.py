from __future__ import annotations

from typing import Any, cast

import pytest

import aistream_nb as ai
from aistream_nb.chat.connect import connect
from aistream_nb.chat.provider_agent import ProviderAgent
from aistream_nb.errors import AIStreamError, TurnError
from aistream_nb.http import HttpAnswer, HttpClient, HttpRequest, scripted_transport


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


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("antropic:m", "Did you mean 'anthropic'"),
        ("ofline", "Did you mean 'offline'"),
        ("offline:antropic", "Did you mean 'anthropic'"),
        ("nobody", "'offline', 'PROVIDER:MODEL'.*ollama.*'http://…'"),
        ("", "There is no agent ''"),
        ("localhost:8000", "'http://localhost:8000'"),
        ("127.0.0.1:8000/agent", "'http://127.0.0.1:8000/agent'"),
        ("example.org", "'http://example.org'"),
        ("[::1]:80", "AG-UI server"),
    ],
)
def test_an_agent_that_is_not_there_is_told_with_the_one_that_may_be_meant(
    target: str, words: str
):
    with pytest.raises(TurnError, match=words):
        ai.Chat(target)


def test_what_is_no_agent_at_all_is_refused():
    with pytest.raises(AIStreamError, match="3 is no agent"):
        ai.Chat(cast("Any", 3))


def test_what_every_chat_understands_is_among_the_options():
    with pytest.raises(AIStreamError, match=r"'toools' may mean 'tools'.*gate.*system"):
        ai.Chat("offline", toools=[])
    with pytest.raises(AIStreamError, match=r"'gates' may mean 'gate'"):
        ai.Chat("http://127.0.0.1:1/agent", gates=None)


def test_a_server_of_ones_own_needs_its_address_when_the_chat_is_made():
    with pytest.raises(TurnError, match="endpoint"):
        ai.Chat("openai-compat:m")


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


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        ("openai-compat:m", {}, "no API endpoint configured; pass endpoint"),
        ("openai-compat", {"endpoint": "http://127.0.0.1:9/v1"}, "no model resolved"),
        ("ollama:m", {"endpoint": "localhost:11434"}, "must use http or https"),
        ("anthropic", {"thinking": "very"}, "unknown thinking effort 'very'"),
        ("anthropic", {"server_tools": ["search"]}, "unknown server tool 'search'"),
        ("anthropic", {"tool_timeout": "2"}, "tool_timeout='2' is not a number"),
        ("anthropic", {"max_rounds": 0}, "max_rounds=0 is not a whole number"),
        ("offline", {"max_rounds": "3"}, "max_rounds='3' is not a whole number"),
        ("offline", {"thinking": "very"}, "unknown thinking effort 'very'"),
    ],
)
def test_what_could_not_work_is_refused_before_anything_is_said(
    target: str, options: dict[str, Any], words: str
):
    with pytest.raises(TurnError, match=words):
        ai.Chat(target, **options)


async def test_a_key_that_is_missing_is_told_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch,
):
    async def never(request: HttpRequest) -> HttpAnswer:
        raise AssertionError(request)

    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    client = HttpClient(transport=scripted_transport(never))
    chat = ai.Chat("anthropic:m", client=client)

    with pytest.raises(TurnError, match="pass api_key or set ANTHROPIC_API_KEY"):
        await chat.send("Good day")
