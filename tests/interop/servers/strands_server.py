"""Agents of Strands with a model that follows a script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from ag_ui_strands import StrandsAgent, add_strands_fastapi_endpoint
from fastapi import FastAPI
from serve import serve
from strands import Agent, ToolContext, tool
from strands.models.model import Model


class Scripted(Model):
    """Calls one tool, and then says what it heard."""

    def __init__(self, call_id: str, name: str, arguments: str) -> None:
        self.call = (call_id, name, arguments)

    def update_config(self, **_config: Any) -> None:
        return None

    def get_config(self) -> dict[str, str]:
        return {"model_id": "scripted"}

    async def structured_output(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        yield {}

    async def stream(
        self, messages: list[Any], *_: Any, **__: Any
    ) -> AsyncIterator[Any]:
        results = [b for b in messages[-1]["content"] if "toolResult" in b]
        yield {"messageStart": {"role": "assistant"}}
        if results:
            heard = results[-1]["toolResult"]["content"]
            for event in prose(f"Heard: {heard}", 0):
                yield event
        else:
            for event in (*prose("One moment. ", 0), *using(self.call, 1)):
                yield event
        yield {"messageStop": {"stopReason": "end_turn" if results else "tool_use"}}
        usage = {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


def block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[Any]:
    return [
        {"contentBlockStart": {"start": start, "contentBlockIndex": index}},
        *(
            {"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}}
            for delta in deltas
        ),
        {"contentBlockStop": {"contentBlockIndex": index}},
    ]


def prose(text: str, index: int) -> list[Any]:
    return block(index, {}, [{"text": text}])


def using(call: tuple[str, str, str], index: int) -> list[Any]:
    kind, name, arguments = call
    call_id = f"{kind}-{uuid4().hex[:6]}"
    start = {"toolUse": {"name": name, "toolUseId": call_id}}
    return block(index, start, [{"toolUse": {"input": arguments}}])


@tool
def weather(city: str) -> str:
    """Say how warm it is."""
    return f"7 degrees in {city}"


@tool(context=True)
def pay(amount: int, tool_context: ToolContext) -> str:
    """Pay, once somebody agrees."""
    answer = tool_context.interrupt(
        "pay-approval", reason={"question": f"Pay {amount}?"}
    )
    return f"answer {answer}"


CALLS = {
    "server-tool": ("call-w", "weather", '{"city": "Oslo"}'),
    "client-tool": ("call-c", "show_chart", '{"kind": "bar"}'),
    "approval": ("call-p", "pay", '{"amount": 5}'),
}

if __name__ == "__main__":
    app = FastAPI()
    for path, call in CALLS.items():
        agent = Agent(
            model=Scripted(*call), tools=[weather, pay], callback_handler=None
        )
        wrapped = StrandsAgent(agent=agent, name=path, description=path)
        add_strands_fastapi_endpoint(app, wrapped, f"/{path}")
    serve(app)
