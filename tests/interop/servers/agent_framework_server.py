"""Agents of Microsoft's Agent Framework with a client that follows a script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    ResponseStream,
    tool,
)
from agent_framework_ag_ui import (
    AgentFrameworkAgent,
    add_agent_framework_fastapi_endpoint,
)
from fastapi import FastAPI
from serve import serve


class _Scripted(BaseChatClient):
    def __init__(self, *, call: tuple[str, str, str], **options: Any) -> None:
        super().__init__(**options)
        self.call = call

    def _inner_get_response(self, *, messages: list[Any], **_options: Any) -> Any:
        contents = list(self._said(messages))
        message_id = f"m-{uuid4().hex}"

        async def updates() -> AsyncIterator[ChatResponseUpdate]:
            for content in contents:
                yield ChatResponseUpdate(
                    role="assistant",
                    contents=[content],
                    message_id=message_id,
                    response_id=message_id,
                )

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates)

    def _said(self, messages: list[Any]) -> list[Content]:
        results = [c for c in messages[-1].contents if c.type == "function_result"]
        if results:
            return [Content.from_text(f"Heard: {results[-1].result}")]
        kind, name, arguments = self.call
        call_id = f"{kind}-{uuid4().hex[:6]}"
        return [
            Content.from_text("One moment. "),
            Content.from_function_call(call_id=call_id, name=name, arguments=arguments),
        ]


class Scripted(FunctionInvocationLayer, _Scripted):
    """Calls one tool, and then says what it heard."""


@tool
def weather(city: str) -> str:
    """Say how warm it is."""
    return f"7 degrees in {city}"


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


CALLS = {
    "server-tool": ("call-w", "weather", '{"city": "Oslo"}'),
    "client-tool": ("call-c", "show_chart", '{"kind": "bar"}'),
    "approval": ("call-p", "pay", '{"amount": 5}'),
}

if __name__ == "__main__":
    app = FastAPI()
    for path, call in CALLS.items():
        agent = Agent(
            client=Scripted(call=call),
            name=path,
            instructions="Follow the script.",
            tools=[weather, pay],
        )
        wrapped = AgentFrameworkAgent(agent=agent)
        add_agent_framework_fastapi_endpoint(app, wrapped, f"/{path}", single_user=True)
    serve(app)
