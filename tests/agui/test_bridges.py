"""The bridges' own part; that they work with the frameworks is shown in interop."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from types import ModuleType
from typing import Any

import pytest

import aistream_nb as ai
from aistream_nb.agui.bridges import Prompt
from aistream_nb.errors import AIStreamError

EVENTS = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "cold"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]


class Framework:
    """Stands for the part of a framework that translates; notes what it is given."""

    def __init__(self, *events: dict[str, Any]) -> None:
        self.events = events or tuple(EVENTS)
        self.made: dict[str, Any] = {}
        self.run_input: Any = None
        self.options: dict[str, Any] = {}

    def adapter(self, *, agent: object, run_input: Any) -> Framework:
        self.made, self.run_input = {"agent": agent}, run_input
        return self

    def agent(self, **made: Any) -> Framework:
        self.made = made
        return self

    async def run_stream(self, **options: Any) -> AsyncIterator[dict[str, Any]]:
        self.options = options
        for event in self.events:
            yield event

    def run(self, run_input: Any) -> AsyncIterator[dict[str, Any]]:
        self.run_input = run_input
        return self.run_stream()


@pytest.fixture
def framework(monkeypatch: pytest.MonkeyPatch) -> Framework:
    made = Framework()
    pydantic_ai, langgraph = ModuleType("ui"), ModuleType("ag_ui_langgraph")
    pydantic_ai.AGUIAdapter = made.adapter  # pyright: ignore[reportAttributeAccessIssue] # a module of a test
    langgraph.LangGraphAgent = made.agent  # pyright: ignore[reportAttributeAccessIssue] # a module of a test
    monkeypatch.setitem(sys.modules, "pydantic_ai", ModuleType("pydantic_ai"))
    monkeypatch.setitem(sys.modules, "pydantic_ai.ui", ModuleType("ui"))
    monkeypatch.setitem(sys.modules, "pydantic_ai.ui.ag_ui", pydantic_ai)
    monkeypatch.setitem(sys.modules, "ag_ui_langgraph", langgraph)
    return made


async def test_an_agent_of_pydantic_ai_is_shown_with_the_question(framework: Framework):
    shown = await ai.show(
        ai.agui.pydantic_ai("an agent", "How cold?", deps=7, model="m")
    )

    assert [m.text for m in shown.conversation.messages] == ["How cold?", "cold"]
    assert framework.made == {"agent": "an agent"}
    assert framework.options == {"deps": 7, "model": "m"}
    assert shown.violations == ()


async def test_a_graph_is_shown_with_the_question(framework: Framework):
    shown = await ai.show(ai.agui.langgraph("a graph", "How cold?", config={"a": 1}))

    assert [m.text for m in shown.conversation.messages] == ["How cold?", "cold"]
    assert framework.made["config"] == {"a": 1}
    assert framework.made["emit_interrupt_outcome"]


@pytest.mark.parametrize(
    "prompt",
    [
        [{"id": "u", "role": "user", "content": "How cold?"}],
        {
            "threadId": "t",
            "runId": "r",
            "messages": [{"id": "u", "role": "user", "content": "How cold?"}],
        },
    ],
)
async def test_messages_or_a_whole_input_may_be_given(
    framework: Framework, prompt: Prompt
):
    await ai.show(ai.agui.langgraph("a graph", prompt))

    assert framework.made["config"] is None
    assert framework.run_input.messages[0].content == "How cold?"


async def test_a_framework_that_says_the_question_is_left_alone(framework: Framework):
    said = {**EVENTS[0], "input": {"messages": []}}
    framework.events = (said, *EVENTS[1:])

    shown = await ai.show(ai.agui.pydantic_ai("an agent", "How cold?"))

    assert shown.events[0] == said


@pytest.mark.parametrize(
    ("bridge", "line"),
    [
        (ai.agui.pydantic_ai, r'pip install "pydantic-ai-slim\[ag-ui\]"'),
        (ai.agui.langgraph, 'pip install "ag-ui-langgraph"'),
    ],
)
def test_without_the_framework_the_error_says_what_to_install(bridge: Any, line: str):
    with pytest.raises(AIStreamError, match=line):
        bridge("an agent", "How cold?")
