"""Short words for the events that tests of a conversation are made of."""

from __future__ import annotations

from typing import Any

from aistream_nb.conversation import Conversation


def run(*events: dict[str, Any]) -> Conversation:
    conversation = Conversation()
    conversation.receive_all(events)
    return conversation


def started(**run_input: Any) -> dict[str, Any]:
    return {
        "type": "RUN_STARTED",
        "threadId": "t",
        "runId": "r",
        "timestamp": 1000,
        "input": run_input,
    }


def finished(kind: str = "success", **more: Any) -> dict[str, Any]:
    return {
        "type": "RUN_FINISHED",
        "threadId": "t",
        "runId": "r",
        "outcome": {"type": kind},
        **more,
    }


def text(delta: str, message: str = "m", **more: Any) -> list[dict[str, Any]]:
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"},
        {
            "type": "TEXT_MESSAGE_CONTENT",
            "messageId": message,
            "delta": delta,
            **more,
        },
    ]


def call(call_id: str = "c", arguments: str = '{"x":1}') -> list[dict[str, Any]]:
    return [
        {
            "type": "TOOL_CALL_START",
            "toolCallId": call_id,
            "toolCallName": "f",
            "parentMessageId": "m",
        },
        {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": arguments},
        {"type": "TOOL_CALL_END", "toolCallId": call_id},
    ]


def custom(name: str, **value: Any) -> dict[str, Any]:
    return {"type": "CUSTOM", "name": name, "value": {"toolCallId": "c", **value}}


def result(content: str = "42", **more: Any) -> dict[str, Any]:
    return {
        "type": "TOOL_CALL_RESULT",
        "messageId": "r1",
        "toolCallId": "c",
        "content": content,
        **more,
    }


ASKED = custom("aistream:asked", approval={"id": "a"})
FAILED = {"metadata": {"aistream": {"isError": True}}}
