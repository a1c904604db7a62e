"""What a server is told of a client tool's result that is long, or cannot be told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agui_kit import AGUIServer, answer, call, finished, started, tool_messages

import aistream_nb as ai
from aistream_nb.core.long_results import RESULT_LIMIT


class NoMembers(dict[str, object]):
    """A result of somebody's own making that cannot be looked into."""

    def items(self) -> Any:
        raise ValueError("nobody looks in here")


def sharing(levels: int) -> list[Any]:
    """A small value whose text would be 2 to the power of ``levels`` long."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value, value]
    return value


async def answer_to(value: object, **options: Any) -> tuple[ai.Chat, str]:
    @ai.tool(read_only=True)
    def give() -> Any:
        """Give it."""
        return value

    server = AGUIServer([started(), *call("c1", "give"), finished("c1")], answer("ok"))
    chat = server.chat(tools=[give], **options)
    await chat.send("Give")
    ((_, content),) = tool_messages(server.requests[1])
    return chat, content


@pytest.mark.parametrize(
    ("value", "start"), [("x" * 11, "x" * 10), (sharing(200), "[" * 10)]
)
async def test_a_result_that_no_model_could_read_is_cut_and_says_so(
    value: object, start: str
):
    chat, content = await answer_to(value, max_result_chars=10)

    said = json.loads(content)
    assert said["start"] == start
    assert "more than 10 characters" in said["note"]
    assert chat.conversation.tool_calls["c1"].status == "complete"


async def test_a_result_is_cut_by_default_and_told_whole_where_that_is_wished():
    _, cut = await answer_to("x" * (RESULT_LIMIT + 1))
    assert len(json.loads(cut)["start"]) == RESULT_LIMIT
    _, whole = await answer_to("x" * (RESULT_LIMIT + 1), max_result_chars=None)
    assert whole == "x" * (RESULT_LIMIT + 1)


async def test_a_result_that_cannot_be_told_is_an_error_and_ends_no_run():
    chat, content = await answer_to(NoMembers())

    assert content == "The tool ran, and its result cannot be told: ValueError"
    assert chat.conversation.tool_calls["c1"].status == "error"
