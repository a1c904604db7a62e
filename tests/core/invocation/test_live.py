"""What one snapshot does to one live call, in which order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aistream_nb.core.invocation.call import Call, Policy
from aistream_nb.core.invocation.commands import Command
from aistream_nb.core.invocation.events import Diagnostic, ToolResponse
from aistream_nb.core.invocation.live import LiveCalls
from aistream_nb.core.invocation.machines import Input, Outcome, Owner, Standing
from aistream_nb.core.invocation.snapshot_walk import CallSight


class Outside:
    """No tool can be called, and nobody knows whose a call is."""

    def __init__(self) -> None:
        self.reports: list[Diagnostic] = []

    def executable(self, tool_name: str) -> bool:
        return tool_name == "known"

    def ownership(self, part: Mapping[str, Any]) -> bool | None:
        return part.get("ours")

    def report(self, diagnostic: Diagnostic) -> None:
        self.reports.append(diagnostic)


def see(
    call: Call, text: str, *, running: bool = True, result: object = None
) -> list[str]:
    commands: list[Command] = []
    rules = LiveCalls(Policy(), Outside(), commands.append)
    response = None if result is None else ToolResponse(result)
    sight = CallSight("c", call.tool_name, text, response, False, False, {})
    rules.see(call, sight, running=running)
    return [type(command).__name__ for command in commands]


def test_a_passive_call_closes_only_when_the_run_has_settled() -> None:
    call = Call(1, "c", "passive", Standing())
    assert see(call, "{}") == ["Stream"]
    assert call.standing.input is Input.STREAMING
    assert see(call, "{}", running=False) == ["CloseArguments", "Execute"]


def test_a_call_with_empty_text_closes_only_through_a_result() -> None:
    call = Call(1, "c", "known", Standing())
    assert see(call, "", running=False) == []
    assert see(call, "", result=1) == ["Stream", "CloseArguments", "Deliver"]
    assert call.standing.outcome is Outcome.ANSWERED
    assert call.standing.owner is Owner.UNKNOWN


def test_an_answer_is_delivered_once_and_its_change_is_told() -> None:
    call = Call(1, "c", "known", Standing())
    see(call, "{}", result=1)
    assert see(call, "{}", result=1) == []
    assert see(call, "{}", result=2) == ["Tell"]
    assert see(call, "{}") == ["Tell"]
    assert see(call, "{}") == []
