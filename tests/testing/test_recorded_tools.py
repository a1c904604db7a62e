from __future__ import annotations

from pathlib import Path

import pytest
from agui_kit import AGUIServer, call, finished, started, text

import aistream_nb as ai
from aistream_nb.errors import ToolExecutionError
from aistream_nb.recording import Recording
from aistream_nb.testing import recorded_tools, replay

GOLDEN = Path(__file__).parents[1] / "golden"
EVERY = sorted(GOLDEN.rglob("*.jsonl"))


@pytest.mark.parametrize("path", EVERY, ids=lambda p: f"{p.parent.name} {p.stem}")
def test_stand_ins_come_to_what_was_recorded(path: Path):
    run = replay(path, tools=recorded_tools(path))

    assert str(run) == f"{path.name} holds: no difference"


async def test_a_tool_that_is_called_once_more_says_that_it_cannot_know():
    (tool, *_) = recorded_tools(GOLDEN / "anthropic" / "denied.jsonl")

    assert tool.validate({"anything": 1}) == {"anything": 1}
    with pytest.raises(ToolExecutionError, match="not called so often"):
        await tool.execute({})


async def test_a_remote_agents_client_tools_have_stand_ins_too():
    @ai.tool(read_only=True)
    def lookup(city: str) -> dict[str, str]:
        """Look it up."""
        return {"sky": f"blue in {city}"}

    @ai.tool
    def fail() -> str:
        """Do nothing well."""
        raise ValueError("no way")

    server = AGUIServer(
        [
            started(),
            *call("c1", "lookup", '{"city": "Hvar"}'),
            *call("c2", "fail"),
            finished("c1", "c2"),
        ],
        [started(), *text("Fine."), finished()],
    )
    chat = server.chat(tools=[lookup, fail])
    await chat.send("Hello")

    run = replay(chat.recording, tools=recorded_tools(chat.recording))

    assert str(run) == "recording holds: no difference"


async def test_odd_tools_and_odd_results_are_taken_as_they_are():
    ours = {"aistream": {"tools": ["no tool", {"name": "look", "parameters": 1}]}}
    call_id = {"toolCallId": "c"}
    (tool,) = recorded_tools(
        Recording.of(
            [
                {"type": "RUN_STARTED", "metadata": ours},
                {"type": "TOOL_CALL_START", "toolCallName": "look", **call_id},
                {"type": "CUSTOM", "name": "aistream:executing", "value": call_id},
                {"type": "TOOL_CALL_RESULT", "content": 7, **call_id},
            ]
        )
    )

    assert tool.spec.parameters == {"type": "object"}
    assert await tool.execute({}) == 7
