from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from chat_kit import offline

import aistream_nb as ai
from aistream_nb.chat.provider_agent import add_usage
from aistream_nb.core.turn_events import Usage
from aistream_nb.errors import TurnError
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT
from aistream_nb.testing import ScriptedProvider


def test_a_count_that_nobody_gave_stays_unknown():
    total = add_usage(Usage(input_tokens=1), Usage(output_tokens=2))

    assert total == Usage(input_tokens=1, output_tokens=2)


async def test_a_limit_of_rounds_ends_the_run_and_says_so():
    chat = offline(max_rounds=1)

    with pytest.raises(TurnError, match="more than 1 rounds"):
        await chat.send(OFFLINE_PROMPT)

    assert chat.conversation.status == "error"
    assert "Raise max_rounds" in chat.conversation.error


async def test_a_budget_is_asked_before_each_further_round():
    seen: list[Usage] = []

    def budget(usage: Usage) -> str | None:
        seen.append(usage)
        return "enough for today" if len(seen) > 1 else None

    chat = offline(budget=budget)
    with pytest.raises(TurnError, match="enough for today"):
        await chat.send(OFFLINE_BOOKING_PROMPT)

    assert len(seen) == 2
    assert (seen[1].output_tokens or 0) > (seen[0].output_tokens or 0)


async def test_the_history_goes_along_in_the_provider_s_own_words():
    chat = offline()
    await chat.send(OFFLINE_PROMPT)
    await chat.send("And on Sunday?")

    request = chat.recording.rounds[-1].request
    assert request is not None
    messages = request["body"]["messages"]
    kinds = [
        block["type"]
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    assert messages[0]["content"] == OFFLINE_PROMPT
    assert kinds.count("tool_use") == kinds.count("tool_result") == 2
    assert messages[-2]["content"].startswith("Take the ferry.")
    assert messages[-1] == {"role": "user", "content": "And on Sunday?"}


async def test_an_answer_without_words_leaves_no_empty_entry():
    silent = (
        b'event: message_start\ndata: {"type":"message_start","message":{}}\n\n'
        b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    )
    provider = ScriptedProvider([silent, silent])
    chat = ai.Chat("anthropic:m", client=provider.client, api_key="k" * 12)
    await chat.send("one")
    await chat.send("two")

    request = chat.recording.rounds[-1].request
    assert request is not None
    roles: list[Any] = [message["role"] for message in request["body"]["messages"]]
    assert roles == ["user", "user"]


async def test_a_stranger_s_failure_is_told_by_its_kind_alone():
    class GoneError(Exception):
        pass

    async def gate(_request: object) -> Any:
        raise AssertionError

    chat = offline(gate=gate)
    with pytest.raises(TurnError):
        await chat.send(OFFLINE_PROMPT)
    assert chat.recording.events[-1]["code"] == "TurnError"

    broken = offline()
    broken._agent._ask = _raise(GoneError("secret"))  # pyright: ignore[reportAttributeAccessIssue] # a bug of ours, made on purpose
    with pytest.raises(GoneError):
        await broken.send("x")
    assert broken.conversation.error == (
        "The run failed with GoneError; the traceback says more."
    )


def _raise(error: Exception) -> Any:
    def raises(*_arguments: object) -> None:
        raise error

    return raises


async def test_a_task_without_a_question_goes_on_where_it_was():
    chat = offline()
    await chat.send(OFFLINE_PROMPT)
    agent = chat._agent
    task = replace(chat._task({"id": "u9", "content": ""}, None), question=None)

    await agent.run(task)

    request = chat.recording.rounds[-1].request
    assert request is not None
    assert request["body"]["messages"][-1]["role"] == "assistant"
