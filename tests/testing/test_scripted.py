from __future__ import annotations

import asyncio

import pytest

from aistream_nb.core.tool_spec import Deny, GateRequest, Proceed, ToolSpec
from aistream_nb.errors import ProviderStatusError, ProviderStreamError
from aistream_nb.http import HttpRequest
from aistream_nb.testing import RecordedGate, ScriptedAnswer, ScriptedProvider


def asked(call_id: str) -> GateRequest:
    return GateRequest(tool=ToolSpec(name="f"), arguments={}, tool_call_id=call_id)


def decided(**value: object) -> dict[str, object]:
    return {"type": "CUSTOM", "name": "aistream:decision", "value": value}


async def test_a_script_answers_each_request_once():
    provider = ScriptedProvider([[b"a", b"b"], b"c"])
    request = HttpRequest(url="http://x.test/", body=b"{}")

    for expected in (b"ab", b"c"):
        stream = await provider.client.open(request)
        assert b"".join([piece async for piece in stream]) == expected
    assert provider.left == 0
    assert len(provider.requests) == 2


async def test_a_script_that_has_run_out_says_so():
    provider = ScriptedProvider([])

    with pytest.raises(ProviderStatusError) as raised:
        await provider.client.open(HttpRequest(url="http://x.test/", body=b"{}"))

    assert "no answer for request 1" in raised.value.body


async def test_recorded_decisions_are_made_again_in_their_order():
    gate = RecordedGate(
        [
            decided(toolCallId="a", decision="proceed", arguments={"x": 2}),
            decided(toolCallId="a", decision="deny", reason="enough"),
            decided(toolCallId="b", decision="proceed"),
            {"type": "RUN_STARTED"},
        ]
    )

    assert await gate(asked("a")) == Proceed(arguments={"x": 2})
    assert await gate(asked("a")) == Deny(reason="enough")
    assert await gate(asked("b")) == Proceed()


async def test_a_call_that_was_not_recorded_does_not_run():
    assert isinstance(await RecordedGate([])(asked("z")), Deny)


async def test_a_script_may_refuse_or_break_off():
    refused = ProviderStatusError("busy", provider="x", status_code=503)
    broken = ProviderStreamError("the stream broke off", provider="x")
    provider = ScriptedProvider(
        [
            ScriptedAnswer(error=refused),
            ScriptedAnswer(pieces=[b"a"], error=broken),
        ]
    )
    request = HttpRequest(url="http://x.test/", body=b"{}")

    with pytest.raises(ProviderStatusError, match="busy"):
        await provider.client.open(request)
    stream = await provider.client.open(request)
    assert await stream.read() == b"a"
    with pytest.raises(ProviderStreamError, match="broke off"):
        await stream.read()


async def test_a_stop_without_anybody_to_stop_just_waits():
    provider = ScriptedProvider([ScriptedAnswer(pieces=[b"a"], stops=True)])
    stream = await provider.client.open(HttpRequest(url="http://x.test/", body=b"{}"))
    assert await stream.read() == b"a"

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await stream.read()


async def test_a_question_that_was_left_open_is_told_and_never_answered():
    question = {
        "type": "CUSTOM",
        "name": "aistream:asked",
        "value": {"toolCallId": "a"},
    }
    stopped: list[bool] = []
    gate = RecordedGate([question], in_question={"a": 0})
    gate.stop = lambda: stopped.append(True)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await gate(asked("a"))
    assert stopped == [True]
