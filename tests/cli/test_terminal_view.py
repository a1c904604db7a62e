from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console

from aistream_nb.cli.terminal_view import TerminalView, finished_blocks
from aistream_nb.conversation import Conversation


def printed(*events: dict[str, Any], terminal: bool = False) -> str:
    out = io.StringIO()
    view = TerminalView(Console(file=out, width=60, force_terminal=terminal))
    conversation = Conversation()
    view.follow(conversation)
    conversation.receive_all(events)
    view.pause()
    return out.getvalue()


ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
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


def user(text: str) -> list[dict[str, Any]]:
    message = {"id": "u", "role": "user", "content": text}
    return [{"type": "MESSAGES_SNAPSHOT", "messages": [message]}]


def test_text_is_printed_once_as_it_grows():
    assert printed(START, text("Hel"), text("lo")) == "Assistant\nHello\n"


def test_everybody_has_a_heading_and_what_is_said_stands_apart():
    said = printed(*user("Well?"), START, text("One.\n\nTw"), text("o."), *CALL)

    assert said == ('You\nWell?\n\nAssistant\nOne.\n\nTwo.\n\n• f {"x":1}\n')


def test_a_block_is_rendered_as_the_markdown_that_it_is():
    said = printed(START, text("Take **it**:\n\n- a\n- b\n\n```\nx\n\ny\n```"))

    assert said.splitlines()[:5] == ["Assistant", "Take it:", "", " • a", " • b"]
    assert [line.strip() for line in said.splitlines()[5:] if line.strip()] == [
        "x",
        "y",
    ]
    assert "\x1b[1mit\x1b[0m" in printed(START, text("Take **it**"), terminal=True)


def test_a_terminal_shows_the_block_that_still_grows():
    said = printed(START, text("On"), text("e.\n\n"), text("Two"), terminal=True)

    plain = ANSI.sub("", said)
    assert plain.index("On\r") < plain.index("One.\n")
    assert plain.endswith("Two\n")


def test_a_block_that_is_very_long_is_shown_by_its_end_while_it_grows():
    said = printed(START, *(text("word " * 100) for _ in range(20)), terminal=True)

    # Were all of it shown each time, it would be twenty times half of the text.
    assert len(said) < 20 * 3000 + 10_000 + 5000


def test_markup_and_control_characters_of_a_model_are_data():
    said = printed(START, text("[red]\x1b[2Jx\x07 <b>y</b> [z](http://evil.test)"))

    assert said == "Assistant\n[red]�[2Jx� <b>y</b> z (http://evil.test)\n"
    linked = printed(START, text("[z](http://evil.test)"), terminal=True)
    assert "\x1b]8" not in linked


def test_thinking_is_printed_once_although_its_message_gets_another_id():
    said = printed(
        {"type": "REASONING_MESSAGE_START", "messageId": "t", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "t", "delta": "hm"},
        {"type": "REASONING_MESSAGE_END", "messageId": "t"},
        START,
        text("So"),
    )

    assert said == "Assistant\n(Thought) hm\n\nSo\n"


def test_a_call_is_told_when_it_is_asked_and_when_it_is_settled():
    told = 'Assistant\n• f {"x":1}\n• f complete: 42\n'
    assert printed(*CALL, result("42")) == told


def test_a_failed_call_says_why():
    failed = result("boom", metadata={"aistream": {"isError": True}})

    assert printed(*CALL, failed).endswith("• f error: boom\n")


def test_an_aborted_call_needs_no_reason():
    end = {"type": "RUN_ERROR", "message": "gone"}

    told = "Assistant\n• f aborted\n• The run failed: gone\n"
    assert printed(*CALL[:2], end) == told


def test_a_block_has_no_blank_lines_around_it():
    assert printed(START, text("---")) == f"Assistant\n{'-' * 60}\n"
    lines = printed(START, text("| a |\n|---|\n| b |")).splitlines()
    assert [line.strip() for line in lines] == ["Assistant", "a", "─", "b"]


def test_a_text_of_blanks_is_no_block():
    assert printed(START, text("  \n\n \n"), text("x")) == "Assistant\nx\n"


@pytest.mark.parametrize(
    ("given", "end"),
    [
        ("", 0),
        ("a", 0),
        ("a\n", 0),
        ("a\n\n", 3),
        ("a\n\nb\n\n", 6),
        ("a\n\n```\nb\n\n", 3),
        ("```\nb\n\n```\n\n", 12),
        ("````\nb\n```\n\n", 0),
        ("~~~\nb\n```\n\n", 0),
    ],
)
def test_a_block_ends_at_a_blank_line_that_is_not_in_a_fence(given: str, end: int):
    assert finished_blocks(given) == end


def test_a_long_result_is_cut():
    assert len(printed(*CALL, result("x" * 1000)).splitlines()[-1]) < 200
