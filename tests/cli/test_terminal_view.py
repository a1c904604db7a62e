from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from aistream_nb.cli.terminal_view import TerminalView
from aistream_nb.conversation import Conversation


def printed(*events: dict[str, Any]) -> str:
    out = io.StringIO()
    view = TerminalView(Console(file=out, width=60))
    conversation = Conversation()
    view.follow(conversation)
    conversation.receive_all(events)
    view.pause()
    return out.getvalue()


START = {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}


def text(delta: str) -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta}


def result(content: str, **more: Any) -> dict[str, Any]:
    return {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": content, **more}


CALL = [
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"x":1}'},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
]


def test_text_is_printed_once_as_it_grows():
    assert printed(START, text("Hel"), text("lo")) == "Hello\n"


def test_markup_and_control_characters_of_a_model_are_data():
    assert printed(START, text("[red]\x1b[2Jx\x07")) == "[red]�[2Jx�\n"


def test_thinking_is_printed_once_although_its_message_gets_another_id():
    said = printed(
        {"type": "REASONING_MESSAGE_START", "messageId": "t", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "t", "delta": "hm"},
        {"type": "REASONING_MESSAGE_END", "messageId": "t"},
        START,
        text("So"),
    )

    assert said == "hm\nSo\n"


def test_a_call_is_told_when_it_is_asked_and_when_it_is_settled():
    assert printed(*CALL, result("42")) == '• f {"x":1}\n• f complete: 42\n'


def test_a_failed_call_says_why():
    failed = result("boom", metadata={"aistream": {"isError": True}})

    assert printed(*CALL, failed).endswith("• f error: boom\n")


def test_an_aborted_call_needs_no_reason():
    end = {"type": "RUN_ERROR", "message": "gone"}

    assert printed(*CALL[:2], end) == "• f aborted\n• The run failed: gone\n"


def test_a_long_result_is_cut():
    assert len(printed(*CALL, result("x" * 1000)).splitlines()[-1]) < 200
