"""Agents of pydantic-ai with a model that follows a script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from pydantic_ai import Agent, DeferredToolRequests, ToolReturn
from pydantic_ai.messages import ModelRequest, RetryPromptPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from serve import serve
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def heard(messages: list[Any]) -> list[str]:
    """What the tools of the last turn gave."""
    found: list[str] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            asked = any(part.part_kind == "user-prompt" for part in message.parts)
            found = [] if asked else found
            found += [
                str(part.content)
                for part in message.parts
                if isinstance(part, (ToolReturnPart, RetryPromptPart))
            ]
    return found


def caller(*calls: tuple[str, str, str]) -> Agent[None, Any]:
    """An agent whose model makes these calls, and then says what it heard."""

    async def stream(messages: list[Any], _info: AgentInfo) -> AsyncIterator[Any]:
        said = heard(messages)
        if said:
            yield "Heard: "
            yield ", ".join(said)
            return
        yield "One moment. "
        for index, (kind, name, arguments) in enumerate(calls):
            half = len(arguments) // 2
            call_id = f"{kind}-{uuid4().hex[:6]}"
            first = DeltaToolCall(name, arguments[:half], tool_call_id=call_id)
            yield {index: first}
            yield {index: DeltaToolCall(json_args=arguments[half:])}

    agent = Agent(
        FunctionModel(stream_function=stream), output_type=[str, DeferredToolRequests]
    )

    @agent.tool_plain
    def weather(city: str) -> str:
        """Say how warm it is."""
        return f"7 degrees in {city}"

    @agent.tool_plain(requires_approval=True)
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    @agent.tool_plain
    def remember() -> ToolReturn:
        """Change the shared state."""
        from ag_ui.core import StateDeltaEvent, StateSnapshotEvent  # noqa: PLC0415

        change = [{"op": "add", "path": "/seen/-", "value": "Oslo"}]
        events = [
            StateSnapshotEvent(snapshot={"seen": []}),
            StateDeltaEvent(delta=change),
        ]
        return ToolReturn(return_value="kept", metadata=events)

    return agent


AGENTS = {
    "server-tool": caller(("call-w", "weather", '{"city": "Oslo"}')),
    "client-tool": caller(("call-c", "show_chart", '{"kind": "bar"}')),
    "approval": caller(("call-p", "pay", '{"amount": 5}')),
    "mixed": caller(
        ("call-w", "weather", '{"city": "Oslo"}'),
        ("call-p", "pay", '{"amount": 5}'),
        ("call-c", "show_chart", '{"kind": "bar"}'),
    ),
    "state": caller(("call-s", "remember", "{}")),
}


async def answer(request: Request) -> Response:
    agent = AGENTS[request.path_params["name"]]
    return await AGUIAdapter.dispatch_request(request, agent=agent)


if __name__ == "__main__":
    serve(Starlette(routes=[Route("/{name}", answer, methods=["POST"])]))
