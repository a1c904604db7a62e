"""A key is planted, a whole chat is made to fail, and the key is looked for everywhere.

Everywhere is what outlives the request: errors with their chains, values shown in a
cell, the log down to the HTTP library, warnings, files, pages, the live view.
"""

from __future__ import annotations

import gzip
import json
import logging
import socket
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from loopback import Server
from turn_kit import sse

import aistream_nb as ai
from aistream_nb.chat.provider_agent import ProviderAgent
from aistream_nb.conversation import Conversation
from aistream_nb.errors import AIStreamError, TurnError
from aistream_nb.inspector import Inspector
from aistream_nb.providers.registry import PROVIDERS, find_provider
from aistream_nb.providers.retry import NO_RETRY
from aistream_nb.widgets.static_html import to_html, to_text
from aistream_nb.widgets.transcript import TranscriptWidget

KEYS = {
    "anthropic": "sk-ant-api03-PLANTED0x7fQ2_dd-kZ81AA",
    "openai": "sk-proj-PLANTED0x7fQ2ddkZ81AAbbCC",
    "xai": "xai-PLANTED0x7fQ2ddkZ81AAbbCCdd",
    "gemini": "AIzaSyPLANTED0x7fQ2ddkZ81AAbbCCddEE12",
    "groq": "gsk_PLANTED0x7fQ2ddkZ81AAbbCC",
    "openai-compat": "planted~key~of~a~small~server",
}
ONCE: Any = {"retry": NO_RETRY}
ODD = "hunter2-PLANTED correct/horse+battery=="

ASKED = [
    *((name, key) for name, key in KEYS.items()),
    *((name, ODD) for name in ("gemini", "openai-compat")),
]
every_key = pytest.mark.parametrize(
    ("provider", "key"), ASKED, ids=[f"{name}-{key[:7]}" for name, key in ASKED]
)


def failures(key: str) -> dict[str, dict[str, Any]]:
    """Answers that repeat the key, as servers have been seen to do."""
    echo = f"Incorrect API key provided: {key}. Authorization: Bearer {key}"
    told = {"error": {"message": echo, "type": "authentication_error", "code": 401}}
    hint = sse({"type": "hint", "value": echo})
    return {
        "401": {"status": 401, "body": told},
        "401 in words": {"status": 401, "body": f"<html>{echo}</html>"},
        "302": {"status": 302, "body": echo, "headers": {"location": "/elsewhere"}},
        "json with 200": {"status": 200, "body": told},
        "bad json": {"status": 200, "body": f'{{"error": "{echo}'},
        "error event": {"sse": sse({"type": "error", **told}).decode()},
        "error object": {"sse": sse(told, named=False).decode()},
        "unknown event": {"sse": hint.decode()},
        "bad frame": {"sse": f"data: {{{echo}\n\n"},
        "reset": {"sse": hint.decode(), "close": "reset"},
        "refused": {"close": "reset-before-headers"},
    }


FAILURES = tuple(failures(""))


@dataclass
class Search:
    """Everything that could be seen of a chat, by the place where it is seen."""

    folder: Path
    places: dict[str, str] = field(default_factory=dict[str, str])

    def look_at_error(self, error: BaseException | None) -> None:
        if error is not None:
            chain = [error, error.__cause__, error.__context__]
            said = [(repr(one), str(one), vars(one)) for one in chain if one]
            self.places["error"] = f"{said} {error.args}"
            self.places["traceback"] = "".join(traceback.format_exception(error))

    def look_at_chat(self, chat: ai.Chat) -> None:
        conversation = chat.conversation
        self.look_at_values(chat)
        self.places["bundle"] = repr(chat._repr_mimebundle_())
        self.places["html"] = to_html(conversation)
        self.places["plain"] = to_text(conversation)
        self.places["conversation"] = f"{conversation.error} {conversation.usage}"
        widget = TranscriptWidget(conversation)
        self.places["widget"] = repr((widget._compose(), widget.get_state()))
        widget.close()
        self.look_at_recording(chat.recording)

    def look_at_values(self, chat: ai.Chat) -> None:
        conversation, agent = chat.conversation, chat._agent
        values: list[object] = [
            *(chat, agent, chat.gate, chat.recording, conversation, chat.violations),
            *(chat.tools, *conversation.messages, *conversation.tool_calls.values()),
            *(conversation.processor.messages, ai.Player(chat.recording)),
            *(Inspector(chat.recording), agent.facts, agent.name, chat.waiting),
            *(vars(agent).get("_client"), vars(agent).get("_record")),
        ]
        self.places["reprs"] = " ".join(map(repr, values))

    def look_at_recording(self, recording: ai.Recording) -> None:
        plain = recording.save(self.folder / "kept.jsonl")
        packed = recording.save(self.folder / "kept.jsonl.gz")
        self.places["jsonl"] = plain.read_text("utf-8")
        self.places["gz"] = gzip.decompress(packed.read_bytes()).decode()
        self.places["events"] = repr(recording.events)
        self.places["rounds"] = repr([(r.body, r.request) for r in recording.rounds])
        self.places["table"] = recording._repr_html_()
        self.places["difference"] = str(recording.diff(ai.Recording()))

    def must_not_find(self, key: str) -> None:
        # A long part of a key is as bad as the whole, as where it was cut.
        tail = key.partition("PLANTED")[2]
        spellings = {key, json.dumps(key)[1:-1], *([tail] if len(tail) > 8 else [])}
        found = [
            place
            for place, text in self.places.items()
            if any(spelling in text for spelling in spellings)
        ]
        assert found == []


@pytest.fixture
def search(tmp_path: Path) -> Search:
    return Search(tmp_path)


async def fail(
    search: Search,
    target: str | ai.AGUIAgent,
    caplog: pytest.LogCaptureFixture,
    **options: Any,
) -> ai.Chat:
    """Send one message, and look at all that came of it."""
    with warnings.catch_warnings(record=True) as warned, caplog.at_level(0):
        warnings.simplefilter("always")
        caplog.set_level(logging.DEBUG, "httpx")
        caplog.set_level(logging.DEBUG, "httpcore")
        chat = ai.Chat(target, **options)
        chat.recording.record_to(search.folder / "growing.jsonl")
        try:
            await chat.send("Hi")
        except AIStreamError as error:
            search.look_at_error(error)
        search.look_at_chat(chat)
        await chat.aclose()
        chat.recording.close()
    search.places["log"] = caplog.text + repr([vars(r) for r in caplog.records])
    search.places["warnings"] = repr([str(one.message) for one in warned])
    growing = search.folder / "growing.jsonl"
    search.places["growing file"] = growing.read_text("utf-8")
    return chat


def sent(server: Server) -> str:
    return repr(server.requests)


def quiet() -> None:
    """Nobody waits for a server that hangs; none does here."""


@every_key
@pytest.mark.parametrize("failure", FAILURES)
async def test_a_key_in_an_argument_is_nowhere_but_in_the_request(
    provider: str, key: str, failure: str, search: Search, caplog: Any
):
    server = Server([failures(key)[failure]], quiet)
    async with server.running() as url:
        chat = await fail(
            search,
            f"{provider}:m",
            caplog,
            api_key=key,
            endpoint=f"{url}/v1",
            **ONCE,
        )
    assert key in sent(server)
    assert chat.conversation.status == "error"
    assert len(search.places) > 14
    search.must_not_find(key)


@pytest.mark.parametrize("failure", ["401", "error event", "reset"])
@pytest.mark.parametrize("name", [*KEYS])
async def test_a_key_in_the_environment_is_nowhere_but_in_the_request(
    name: str, failure: str, search: Search, caplog: Any, monkeypatch: Any
):
    for variable in find_provider(name).key_variables:
        monkeypatch.setenv(variable, ODD)
    server = Server([failures(ODD)[failure]], quiet)
    async with server.running() as url:
        await fail(search, f"{name}:m", caplog, endpoint=f"{url}/v1", **ONCE)
    assert (ODD in sent(server)) is bool(find_provider(name).key_variables)
    if find_provider(name).key_variables:
        search.must_not_find(ODD)


async def test_a_key_that_came_into_the_environment_later_is_learned(
    search: Search, monkeypatch: Any
):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    chat = ai.Chat("anthropic:m", **ONCE)
    with pytest.raises(TurnError, match="ANTHROPIC_API_KEY"):
        await chat.send("Hi")
    monkeypatch.setenv("ANTHROPIC_API_KEY", ODD)
    chat._task({}, None)  # with this each run begins
    chat.recording.append({"type": "CUSTOM", "name": "x", "value": f"is {ODD}"})
    search.look_at_recording(chat.recording)
    search.must_not_find(ODD)


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_key_in_a_header_is_nowhere_but_in_the_request(
    failure: str, search: Search, caplog: Any
):
    server = Server([failures(ODD)[failure]], quiet)
    async with server.running() as url:
        await fail(
            search,
            "vllm:m",
            caplog,
            endpoint=f"{url}/v1",
            **ONCE,
            headers={"Authorization": f"Bearer {ODD.replace(' ', '-')}", "x-own": ODD},
        )
    search.must_not_find(ODD)
    search.must_not_find(ODD.replace(" ", "-"))


async def test_a_server_that_nobody_runs_is_told_without_the_key(
    search: Search, caplog: Any
):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]  # bound and not listening: nobody can take it
        await fail(
            search,
            "openai:m",
            caplog,
            api_key=ODD,
            endpoint=f"http://127.0.0.1:{port}/v1",
        )
    assert "failed" in search.places["error"]
    search.must_not_find(ODD)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://somebody:PLANTED-1@127.0.0.1:9/v1", "must not include userinfo"),
        ("http://127.0.0.1:9/v1?key=PLANTED-1", "must not include a query"),
    ],
)
def test_a_key_in_the_address_is_refused_and_not_repeated(
    address: str, words: str, search: Search
):
    with pytest.raises(AIStreamError, match=words) as caught:
        ai.Chat("vllm:m", endpoint=address)
    search.look_at_error(caught.value)
    search.must_not_find("PLANTED-1")


@pytest.mark.parametrize("key", ["hunter2-PLANTEDé", "hunter2-\nPLANTED"])
async def test_a_key_that_no_header_can_carry_is_not_repeated(
    key: str, search: Search, caplog: Any
):
    await fail(search, "openai:m", caplog, api_key=key)
    assert "no header can carry" in search.places["error"]
    search.must_not_find(key)


@pytest.mark.parametrize("misspelt", ["apikey", "key", "token"])
def test_a_misspelt_option_is_named_without_its_value(misspelt: str):
    options: Mapping[str, Any] = {misspelt: ODD}
    with pytest.raises(AIStreamError) as caught:
        ai.Chat("anthropic:m", **options)
    assert misspelt in str(caught.value)
    assert ODD not in "".join(traceback.format_exception(caught.value))


def said(key: str) -> dict[str, Any]:
    """An answer in whose text the key stands; a model may say anything."""
    delta = {"content": f"Your key is {key}, is it not?"}
    first = {"choices": [{"index": 0, "delta": delta}]}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return {"sse": sse(first, last, named=False).decode()}


@pytest.mark.parametrize("key", [ODD, *KEYS.values()])
async def test_what_a_model_says_of_a_key_is_shown_and_not_kept(
    key: str, search: Search, caplog: Any
):
    server = Server([said(key)], quiet)
    async with server.running() as url:
        chat = await fail(
            search, "vllm:m", caplog, api_key=key, endpoint=f"{url}/v1", **ONCE
        )
    assert key in chat.conversation.messages[-1].text
    kept = Search(search.folder)
    kept.look_at_recording(chat.recording)
    kept.places |= {n: search.places[n] for n in ("log", "warnings", "growing file")}
    kept.must_not_find(key)
    assert "Your key is [redacted]" in kept.places["events"]


@ai.tool(read_only=True)
def leak() -> str:
    """Fail with a key in the message."""
    raise RuntimeError(f"the request with {ODD} failed")


def called() -> dict[str, Any]:
    """An answer that calls the tool."""
    call = {"index": 0, "id": "c1", "function": {"name": "leak", "arguments": "{}"}}
    first = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    return {"sse": sse(first, last, named=False).decode()}


async def test_a_key_in_a_tools_failure_is_not_kept(search: Search, caplog: Any):
    server = Server([called(), said("gone")], quiet)
    async with server.running() as url:
        chat = await fail(
            search,
            "vllm:m",
            caplog,
            api_key=ODD,
            endpoint=f"{url}/v1",
            **ONCE,
            tools=[leak],
        )
    kept = Search(search.folder)
    kept.look_at_recording(chat.recording)
    kept.places |= {n: search.places[n] for n in ("log", "warnings", "growing file")}
    kept.must_not_find(ODD)


@pytest.mark.parametrize("failure", ["401", "401 in words", "refused", "bad frame"])
async def test_what_an_agents_headers_hold_is_nowhere_but_in_the_request(
    failure: str, search: Search, caplog: Any
):
    key = "Bearer " + ODD.replace(" ", "-")
    server = Server([failures(key)[failure]], quiet)
    async with server.running() as url:
        agent = ai.AGUIAgent(f"{url}/run", headers={"authorization": key})
        search.places["agent"] = repr(agent)
        await fail(search, agent, caplog)
    assert key in sent(server)
    search.must_not_find(key)


@pytest.mark.parametrize("secret", ["Secr3t-PLANTED", "Que-ry-PLANTED"])
async def test_what_an_agents_address_holds_is_nowhere_but_in_the_request(
    secret: str, search: Search, caplog: Any
):
    server = Server([failures(secret)["401"]], quiet)
    async with server.running() as url:
        place = url.removeprefix("http://")
        address = f"http://somebody:Secr3t-PLANTED@{place}/run?key=Que-ry-PLANTED"
        agent = ai.AGUIAgent(address)
        search.places["agent"] = repr(agent)
        await fail(search, agent, caplog)
    assert "key=Que-ry-PLANTED" in sent(server)
    search.must_not_find(secret)


def test_a_name_that_stands_where_a_key_is_due_is_no_secret():
    """Servers of one's own take any key; many people give them their name."""
    agent = ai.Chat("ollama:m", api_key="ollama")._agent
    assert isinstance(agent, ProviderAgent)
    assert agent.secrets == ()


def test_no_record_shows_a_header():
    shown = repr([*PROVIDERS.values()]) + repr(Conversation())
    assert "anthropic-version" not in shown
