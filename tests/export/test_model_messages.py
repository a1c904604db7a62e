"""The vendors' own types judge; what pydantic makes of a message equals the message."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from agui_kit import call, result, text
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from aistream_nb.export import to_anthropic, to_openai
from aistream_nb.recording import Recording

GOLDEN = Path(__file__).parents[1] / "golden"
EVERY = sorted(GOLDEN.rglob("*.jsonl"))

OPENAI = TypeAdapter(list[ChatCompletionMessageParam])
ANTHROPIC = TypeAdapter(list[MessageParam])


def as_lists(value: Any) -> Any:
    """The SDKs say *iterable*, which pydantic leaves lazy."""
    if isinstance(value, dict):
        return {key: as_lists(member) for key, member in value.items()}
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return value
    return [as_lists(item) for item in value]


def check(recording: Any) -> tuple[list[Any], dict[str, Any]]:
    for_openai, for_anthropic = to_openai(recording), to_anthropic(recording)
    assert as_lists(OPENAI.validate_python(for_openai)) == for_openai
    messages = for_anthropic["messages"]
    assert as_lists(ANTHROPIC.validate_python(messages)) == messages
    return for_openai, for_anthropic


@pytest.mark.parametrize("path", EVERY, ids=lambda p: f"{p.parent.name} {p.stem}")
def test_the_vendors_types_accept_every_golden_conversation(path: Path):
    rows, told = check(path)

    assert rows[0]["role"] == "system"
    assert told["system"] == rows[0]["content"]
    calls = [c["id"] for row in rows for c in row.get("tool_calls", ())]
    answered = [row["tool_call_id"] for row in rows if row["role"] == "tool"]
    assert sorted(calls) == sorted(answered)
    roles = [message["role"] for message in told["messages"]]
    assert all(one != other for one, other in pairwise(roles))
    blocks = [b for message in told["messages"] for b in message["content"]]
    used = [b["id"] for b in blocks if b["type"] == "tool_use"]
    assert used == [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]


def test_a_call_without_a_result_gets_one_right_behind_it():
    rows, told = check(
        Recording.of(
            [
                {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
                *call("a", "look", '{"n": 1}', parentMessageId="m0"),
                *call("b", "book", "", parentMessageId="m0"),
                result("b", "done"),
                *text("Fine."),
            ]
        )
    )

    assert [row["role"] for row in rows] == ["assistant", "tool", "tool", "assistant"]
    assert rows[1] == {
        "role": "tool",
        "tool_call_id": "a",
        "content": "The call did not run.",
    }
    assert told["messages"][1]["content"][1]["input"] == {}
    assert "system" not in told


def snapshot_of(content: Any) -> Recording:
    message = {"id": "u", "role": "user", "content": content}
    return Recording.of([{"type": "MESSAGES_SNAPSHOT", "messages": [message]}])


def test_pictures_go_along_and_other_things_are_named():
    rows, told = check(
        snapshot_of(
            [
                {"type": "text", "text": "Look:"},
                {
                    "type": "image",
                    "source": {
                        "type": "data",
                        "value": "aGk=",
                        "mimeType": "image/png",
                    },
                },
                {"type": "image", "source": {"type": "url", "value": "https://x/y"}},
                {"type": "audio", "source": {"type": "url", "value": "https://x/z"}},
            ]
        )
    )

    assert rows[0]["content"] == [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "image_url", "image_url": {"url": "https://x/y"}},
        {"type": "text", "text": "[audio]"},
    ]
    assert told["messages"][0]["content"][1]["source"] == {
        "type": "base64",
        "media_type": "image/png",
        "data": "aGk=",
    }


def test_nothing_said_is_no_message():
    assert check(Recording.of([])) == ([], {"messages": []})
