"""Tools that count how often they run, and what a provider is told of the past."""

from __future__ import annotations

from collections import Counter
from typing import Any

import aistream_nb as ai
from aistream_nb.chat.provider_agent import ProviderAgent
from aistream_nb.core.tool_spec import Decision, Deny, GateRequest, Proceed
from aistream_nb.tools.travel import offline_tools


class Counted:
    """The tools of the offline agent; how often each ran is counted."""

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()

    @property
    def tools(self) -> list[Any]:
        return [_Counting(tool, self.ran) for tool in offline_tools()]


class _Counting:
    def __init__(self, tool: Any, ran: Counter[str]) -> None:
        self._tool = tool
        self._ran = ran

    @property
    def spec(self) -> Any:
        return self._tool.spec

    def validate(self, arguments: Any) -> Any:
        return self._tool.validate(arguments)

    async def execute(self, arguments: Any) -> Any:
        self._ran[self.spec.name] += 1
        return await self._tool.execute(arguments)


async def refuse(_request: GateRequest) -> Decision:
    return Deny(reason="not today")


async def allow(_request: GateRequest) -> Decision:
    return Proceed()


def history_of(chat: ai.Chat) -> Any:
    agent = chat._agent
    assert isinstance(agent, ProviderAgent)
    return agent._first, agent._history, agent._before


def no_call_is_open(chat: ai.Chat) -> bool:
    """Whether a provider would take the history: each call has its result."""
    told = repr(history_of(chat)[1])
    pairs = {
        ("'type': 'tool_use'", "'type': 'tool_result'"),
        ("'type': 'function_call'", "'type': 'function_call_output'"),
        ("'functionCall'", "'functionResponse'"),
        ("'type': 'function'", "'role': 'tool'"),
    }
    return all(told.count(call) == told.count(answer) for call, answer in pairs)
