from __future__ import annotations

from pathlib import Path
from typing import Any

from agui_kit import call, result, text

from aistream_nb.conversation import Conversation
from aistream_nb.export import to_markdown
from aistream_nb.recording import Recording

THOUGHT = (
    "> The booking was declined. Nothing was bought; respect that and offer a way on."
)
GOLDEN = Path(__file__).parents[1] / "golden" / "anthropic"


def test_a_denied_call_is_told():
    shown = to_markdown(GOLDEN / "denied.jsonl")

    assert [line for line in shown.splitlines() if line][6:19] == [
        "**Tool `book_ferry`**: denied",
        "```json",
        "{",
        '  "route": "Split - Stari Grad",',
        '  "date": "2026-12-06",',
        '  "departure": "08:30",',
        '  "adults": 2,',
        '  "pets": 1',
        "}",
        "```",
        "Denied by you: the dog is seasick",
        THOUGHT,
        "I booked nothing. The reason I was given: “the dog is seasick”.",
    ]


def test_an_edit_and_a_failure_are_told():
    edited = to_markdown(GOLDEN / "edited.jsonl")
    failed = to_markdown(GOLDEN / "failing-tool.jsonl")

    assert "Approved by you with edited arguments" in edited
    assert "Error:" in failed
    assert "the 20:00 takes no pets" in failed


def marked(*events: Any) -> str:
    return to_markdown(Recording.of(events))


def test_a_result_cannot_break_out_of_its_fence():
    shown = marked(*call("c", "look"), result("c", "````\n# Not a title\n```"))

    assert "\n`````\n````\n# Not a title\n```\n`````\n" in shown


def test_what_stopped_or_failed_says_so():
    started = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    error = {"type": "RUN_ERROR", "message": "no answer"}
    stop = {"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}

    assert "*The answer failed: no answer*" in marked(started, *text("a"), error)
    assert marked(started, *text("a"), stop).endswith("*Stopped.*\n")


def test_a_picture_is_named():
    content = [{"type": "image", "source": {"type": "url", "value": "http://x/y"}}]
    message = {"id": "u", "role": "user", "content": content}

    shown = marked({"type": "MESSAGES_SNAPSHOT", "messages": [message]})

    assert "## You\n\n*[image]*" in shown


def test_no_message_is_only_a_title():
    assert marked() == "# Conversation with an agent\n"


def test_a_call_that_is_still_to_come_is_only_named():
    begun = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "a`b"}

    assert "**Tool `a'b`**: writing arguments\n" in marked(begun)


def test_a_call_that_the_conversation_does_not_know_is_told_by_its_part():
    conversation = Conversation()
    conversation.receive_all(call("c", "look"))
    conversation.set_trait("tool_calls", {})

    assert "**Tool `look`**: input-complete" in to_markdown(conversation)
