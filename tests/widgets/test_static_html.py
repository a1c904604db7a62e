"""A conversation without a kernel: complete, folded, the same each time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from aistream_nb.core.parts import (
    MediaPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from aistream_nb.widgets.static_html import to_html, to_text


def conversation(*messages: Any, **members: Any) -> Any:
    fields = {"tool_calls": {}, "status": "finished", "error": "", **members}
    return SimpleNamespace(messages=messages, **fields)


def message(role: str, *parts: Any) -> Any:
    return SimpleNamespace(id="m", role=role, parts=parts)


def with_call(status: str, arguments: str = '{"path": "a.txt"}', **members: Any) -> Any:
    part = ToolCallPart(id="c", name="delete_file", arguments=arguments)
    call = SimpleNamespace(
        id="c", name="delete_file", arguments=arguments, status=status, **members
    )
    return conversation(message("assistant", part), tool_calls={"c": call})


def test_nothing_is_said_in_words() -> None:
    assert to_text(conversation()) == "Nothing was said yet."
    assert "Nothing was said yet." in to_html(conversation())


def test_a_conversation_reads_from_top_to_bottom() -> None:
    both = conversation(
        message("system", TextPart("Be brief.")),
        message("user", TextPart("Hi <there>")),
        message("assistant", ThinkingPart("hm & so"), TextPart("**Hello**")),
    )
    assert to_text(both) == (
        "Instructions: Be brief.\n\nYou: Hi <there>\n\n(Thought) hm & so\n\n**Hello**"
    )
    html = to_html(both)
    assert "Hi &lt;there&gt;" in html
    assert "<summary" in html
    assert "hm &amp; so" in html
    assert "<strong>Hello</strong>" in html


RUNNING = "[delete_file: running]\n  path: a.txt"


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (
            {"status": "complete", "result": "gone", "decided_by": "you"},
            "[delete_file: done]\n  path: a.txt\n  Approved by you\n  -> gone",
        ),
        (
            {"status": "complete", "result": '{"a": []}'},
            '[delete_file: done]\n  path: a.txt\n  -> {\n    "a": []\n  }',
        ),
        (
            {"status": "denied", "decided_by": "policy", "reason": "nobody watched"},
            "[delete_file: denied]\n  path: a.txt\n  Denied by policy: nobody watched",
        ),
        ({"status": "denied"}, "[delete_file: denied]\n  path: a.txt\n  Denied"),
        (
            {"status": "error", "error": "Traceback\nValueError: no"},
            "[delete_file: failed]\n  path: a.txt\n  error: ValueError: no",
        ),
        (
            {"status": "error"},
            "[delete_file: failed]\n  path: a.txt\n  error: it failed and said nothing",
        ),
        (
            {"status": "executing", "decided_by": "you", "edited_arguments": {"b": 1}},
            f"{RUNNING}\n  Approved by you with edited arguments",
        ),
        (
            {"status": "awaiting-approval", "decided_by": "you"},
            "[delete_file: waiting for you]\n  path: a.txt",
        ),
    ],
)
def test_a_call_says_how_far_it_came(members: dict[str, Any], words: str) -> None:
    shown = with_call(**members)
    assert to_text(shown) == words
    html = to_html(shown)
    assert "delete_file" in html
    assert "a.txt" in html


def test_an_error_folds_its_traceback() -> None:
    html = to_html(with_call("error", error="Traceback\nValueError: <no>"))
    assert "ValueError: &lt;no&gt;</div>" in html
    assert "Traceback (2 lines)" in html
    assert "<details" not in to_html(with_call("error", error="no"))


def test_short_results_are_open_and_long_ones_folded_and_cut() -> None:
    assert "<details open>" in to_html(with_call("complete", result="x"))
    long = to_html(with_call("complete", result="x" * 30_000))
    assert "<details open>" not in long
    assert "10000 more characters" in long


@pytest.mark.parametrize("arguments", ["", '{"path": ', "[1, 2]", "{}"])
def test_arguments_that_are_no_object_are_shown_as_they_are(arguments: str) -> None:
    shown = with_call("streaming", arguments)
    assert to_text(shown) == "[delete_file: writing arguments]"
    assert ("<pre" in to_html(shown)) == (arguments not in {"", "{}"})


def test_a_call_that_nobody_knows_more_of_shows_its_part() -> None:
    shown = conversation(message("assistant", ToolCallPart(id="x", name="f")))
    assert to_text(shown) == "[f: awaiting-input]"
    assert "awaiting-input" in to_html(shown)


def test_media_are_named_and_only_pictures_in_the_text_are_shown() -> None:
    inside = MediaPart(
        type="image", source={"type": "data", "value": "QUJD", "mimeType": "image/png"}
    )
    remote = MediaPart(type="image", source={"type": "url", "value": "https://x/y"})
    shown = conversation(message("user", inside, remote), message("assistant", remote))
    assert to_text(shown) == "You: [image]\n\nYou: [image]\n\n[image]"
    html = to_html(shown)
    assert html.count("<img") == 1
    assert "https://x/y" not in html


def test_a_result_is_shown_in_its_call_and_not_again() -> None:
    result = ToolResultPart(tool_call_id="c", content="x")
    call = ToolCallPart(id="c", name="f")
    shown = conversation(message("assistant", result), message("user", call))
    assert to_text(shown) == "[f: awaiting-input]"
    assert "awaiting-input" not in to_html(shown)


def test_the_end_of_a_run_is_told() -> None:
    failed = conversation(status="error", error="overloaded <1>")
    assert to_text(failed) == "The answer failed: overloaded <1>"
    assert "overloaded &lt;1&gt;" in to_html(failed)
    assert to_text(conversation(status="aborted")) == "Stopped."


def test_arguments_that_are_no_json_are_shown_as_they_came_and_said_so() -> None:
    said = "Not JSON. The arguments as they came:"
    broken = with_call("ready", "path=<a.txt>", result=None, decided_by="", reason="")
    assert f"  {said}\n  path=<a.txt>" in to_text(broken)
    assert said in to_html(broken)
    assert "path=&lt;a.txt&gt;" in to_html(broken)


@pytest.mark.parametrize(
    ("status", "arguments"),
    [
        ("aborted", '{"path": "a'),
        ("streaming", '{"path": "a'),
        ("ready", " "),
        ("ready", "7"),
    ],
)
def test_arguments_that_were_cut_or_are_a_bare_value_are_no_complaint(
    status: str, arguments: str
) -> None:
    call = with_call(status, arguments, result=None, decided_by="", reason="")
    assert "Not JSON" not in to_text(call) + to_html(call)
