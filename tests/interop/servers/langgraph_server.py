"""Graphs of LangGraph with a model that follows a script."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import (
    AIMessageChunk,
    ToolMessage,
    message_chunk_to_message,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt
from serve import serve


class Scripted(BaseChatModel):
    """Calls one tool, and then says what it heard."""

    call: tuple[str, str, str]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _chunks(self, messages: list[Any]) -> Iterator[AIMessageChunk]:
        message_id = f"ai-{uuid4().hex}"
        last = messages[-1]
        if isinstance(last, ToolMessage):
            yield AIMessageChunk(content=f"Heard: {last.content}", id=message_id)
            return
        yield AIMessageChunk(content="One moment. ", id=message_id)
        kind, name, arguments = self.call
        call_id = f"{kind}-{uuid4().hex[:6]}"
        half = len(arguments) // 2
        first = {"name": name, "args": "", "id": call_id}
        pieces = [{"args": arguments[:half]}, {"args": arguments[half:]}]
        for piece in (first, *pieces):
            chunk = {"name": None, "id": None, "index": 0, "type": "tool_call_chunk"}
            yield AIMessageChunk(
                content="", id=message_id, tool_call_chunks=[{**chunk, **piece}]
            )

    def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
        whole = None
        for chunk in self._chunks(messages):
            whole = chunk if whole is None else whole + chunk
        generation = ChatGeneration(message=message_chunk_to_message(whole))
        return ChatResult(generations=[generation])

    async def _astream(
        self, messages: list[Any], stop: Any = None, run_manager: Any = None, **_: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        del stop
        for chunk in self._chunks(messages):
            made = ChatGenerationChunk(message=chunk)
            if run_manager:
                await run_manager.on_llm_new_token(str(chunk.content), chunk=made)
            yield made


class State(MessagesState):
    tools: list[Any]
    steps: list[str]


@tool
def weather(city: str) -> str:
    """Say how warm it is."""
    return f"7 degrees in {city}"


@tool
def pay(amount: int) -> str:
    """Pay, once somebody agrees."""
    answer = interrupt({"question": f"Pay {amount}?", "amount": amount})
    return f"answer {answer}"


def build(call: tuple[str, str, str]) -> Any:
    model = Scripted(call=call)

    async def ask(state: State, config: RunnableConfig) -> dict[str, Any]:
        steps = [*state.get("steps", []), "asked"]
        return {
            "messages": [await model.ainvoke(state["messages"], config)],
            "steps": steps,
        }

    def route(state: State) -> str:
        names = {
            one["name"] for one in getattr(state["messages"][-1], "tool_calls", [])
        }
        return "tools" if names & {"weather", "pay"} else END

    graph = StateGraph(State)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode([weather, pay]))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", route, ["tools", END])
    graph.add_edge("tools", "ask")
    return graph.compile(checkpointer=InMemorySaver())


CALLS = {
    "server-tool": ("call-w", "weather", '{"city": "Oslo"}'),
    "client-tool": ("call-c", "show_chart", '{"kind": "bar"}'),
    "approval": ("call-p", "pay", '{"amount": 5}'),
    "approval-custom": ("call-p", "pay", '{"amount": 5}'),
}

if __name__ == "__main__":
    app = FastAPI()
    for path, call in CALLS.items():
        agent = LangGraphAgent(
            name=path,
            graph=build(call),
            emit_interrupt_outcome=path == "approval",
            emit_raw_events=path == "approval-custom",
        )
        add_langgraph_fastapi_endpoint(app, agent, f"/{path}")
    serve(app)
