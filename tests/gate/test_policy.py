from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aistream_nb.core.tool_spec import (
    Deny,
    GateRequest,
    Proceed,
    ToolAnnotations,
    ToolSpec,
)
from aistream_nb.errors import TurnError
from aistream_nb.gate.policy import Verdict, judge, may_destroy, read_ask
from aistream_nb.gate.rules import Rule


def request(**hints: Any) -> GateRequest:
    spec = ToolSpec(name="rm", annotations=ToolAnnotations(**hints))
    return GateRequest(tool=spec, arguments={}, tool_call_id="c1")


async def judged(ask: Any, asked: GateRequest | None = None, *rules: Rule) -> Verdict:
    return await judge(asked or request(), rules, ask=ask, timeout=0.01)


@pytest.mark.parametrize(
    ("hints", "effect", "why"),
    [
        ({}, "ask", "the tool may be destructive"),
        ({"destructive": True}, "ask", "the tool is destructive"),
        ({"destructive": False}, "allow", "the tool is not destructive"),
        ({"read_only": True}, "allow", "the tool only reads"),
        ({"read_only": False}, "ask", "the tool may be destructive"),
        ({"read_only": True, "destructive": True}, "ask", "the tool is destructive"),
    ],
)
async def test_silence_about_destruction_is_read_as_mcp_reads_it(hints, effect, why):
    verdict = await judged("destructive", request(**hints))
    assert (verdict.effect, verdict.by, verdict.why) == (effect, "policy", why)
    assert may_destroy(request(**hints).tool) is (effect == "ask")


async def test_always_and_never_mean_what_they_say():
    assert (await judged("always", request(read_only=True))).effect == "ask"
    assert (await judged("never", request(destructive=True))).effect == "allow"


async def test_a_rule_stands_above_the_policy():
    verdict = await judged("never", None, Rule.deny("rm", reason="not here"))
    assert (verdict.effect, verdict.by, verdict.why) == ("deny", "rule", "not here")
    assert verdict.as_decision() == Deny(reason="not here")
    assert (await judged("never", None, Rule.ask())).why == "Rule.ask('*')"


async def test_a_function_may_answer_at_once_or_later():
    async def later(asked: GateRequest) -> Proceed:
        await asyncio.sleep(0)
        return Proceed(arguments={"path": "y"})

    assert (await judged(lambda _: Proceed())).as_decision() == Proceed()
    denied = await judged(lambda _: Deny(reason="no"))
    assert (denied.effect, denied.why) == ("deny", "no")
    assert (await judged(later)).as_decision() == Proceed(arguments={"path": "y"})


async def test_a_function_may_want_a_person():
    assert (await judged(lambda _: "ask")).effect == "ask"


@pytest.mark.parametrize("answer", [True, False, None, "proceed", "allow", 1, {}])
async def test_an_answer_that_is_none_never_runs_the_tool(answer):
    with pytest.raises(TurnError, match="neither Proceed nor Deny") as caught:
        await judged(lambda _: answer)
    assert (caught.value.tool_name, caught.value.tool_call_id) == ("rm", "c1")


async def test_a_function_that_raises_never_runs_the_tool():
    def fail(asked: GateRequest) -> Proceed:
        raise RuntimeError("sk-secret-0123456789")

    with pytest.raises(TurnError, match="raised RuntimeError") as caught:
        await judged(fail)
    assert "sk-secret" not in str(caught.value)
    assert isinstance(caught.value.__cause__, RuntimeError)


async def test_a_function_that_times_out_by_itself_has_failed():
    async def fail(asked: GateRequest) -> Proceed:
        raise TimeoutError

    with pytest.raises(TurnError, match="raised TimeoutError"):
        await judged(fail)


async def test_a_function_that_does_not_answer_in_time_means_no():
    async def wait(asked: GateRequest) -> Proceed:
        await asyncio.Event().wait()
        return Proceed()

    verdict = await judged(wait)
    assert verdict.outcome == "timed-out"
    assert isinstance(verdict.as_decision(), Deny)


def test_a_policy_that_is_none_is_refused():
    with pytest.raises(ValueError, match="'sometimes' is no policy"):
        read_ask("sometimes")  # pyright: ignore[reportArgumentType] the point of the test
