"""Each piece of a conversation as the browser gets it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from aistream_nb.core.parts import MediaPart, ToolCallPart
from aistream_nb.core.tool_spec import ToolAnnotations
from aistream_nb.widgets.view_model import (
    approval_words,
    clean,
    is_shown,
    raw_text,
    view_call,
    view_part,
    view_role,
)

SILENT = "may change things: its author did not say"
UNKNOWN_BYTES = "data:application/octet-stream;base64,"


def call(**members: Any) -> Any:
    return SimpleNamespace(
        **{"id": "c", "name": "f", "arguments": "", "status": "complete", **members}
    )


def test_halves_of_surrogate_pairs_are_replaced_and_nothing_else() -> None:
    assert clean("é😀") == "é😀"
    assert clean("a\ud83d") == "a\ufffd"


def test_roles_that_nobody_knows_are_shown_as_the_assistants() -> None:
    assert [view_role(role) for role in ("user", "developer", "tool", "activity")] == [
        "user",
        "system",
        "assistant",
        "assistant",
    ]


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (None, None),
        ("text", "text"),
        ({"a": 1}, '{"a": 1}'),
        ([{"type": "text", "text": "x"}], '[{"type": "text", "text": "x"}]'),
    ],
)
def test_results_are_text(result: object, shown: str | None) -> None:
    assert view_call(call(result=result)).result == shown


def test_a_long_result_is_cut_and_says_by_how_much() -> None:
    view = view_call(call(result="x" * 30), limit=10)
    assert (view.result, view.result_cut) == ("x" * 10, 20)


def test_what_a_person_made_of_the_arguments_is_json_text() -> None:
    assert view_call(call(edited_arguments={"a": 1})).edited == '{"a": 1}'
    assert view_call(call()).edited is None


def test_empty_texts_are_nothing() -> None:
    view = view_call(call(error="", reason=None, decided_by="you"))
    assert (view.error, view.reason, view.decided_by) == (None, None, "you")


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ({"type": "url", "value": "https://x/y.png"}, "https://x/y.png"),
        (
            {"type": "data", "value": "QUJD", "mimeType": "image/png"},
            "data:image/png;base64,QUJD",
        ),
        ({"type": "data", "value": "QQ=="}, f"{UNKNOWN_BYTES}QQ=="),
        ({"type": "data", "value": f"{UNKNOWN_BYTES}QQ=="}, f"{UNKNOWN_BYTES}QQ=="),
        ({}, ""),
    ],
)
def test_media_have_an_address(source: dict[str, str], address: str) -> None:
    view = view_part(MediaPart(type="image", source=source))
    assert view.kind == "media"
    assert view.source == address


def test_media_without_a_mapping_for_a_source_have_none() -> None:
    view = view_part(SimpleNamespace(type="document", source="?", name="report.pdf"))
    assert view.kind == "media"
    assert (view.source, view.name) == ("", "report.pdf")


def test_calls_have_a_place_and_results_have_none() -> None:
    part = ToolCallPart(id="c", name="f")
    assert view_part(part).kind == "call"
    assert is_shown(part)
    assert raw_text(part) is None
    assert not is_shown(SimpleNamespace(type="tool-result"))


@pytest.mark.parametrize(
    ("hints", "words", "danger"),
    [
        ({"destructiveHint": True}, ("may be impossible to undo",), True),
        (
            {"destructiveHint": False, "idempotentHint": True},
            ("changes things, destroys nothing", "safe to repeat"),
            False,
        ),
        (
            ToolAnnotations(read_only=True, destructive=True, idempotent=True),
            ("reads only",),
            False,
        ),
        ({"openWorldHint": True}, (SILENT, "reaches the network"), False),
        (None, (SILENT,), False),
    ],
)
def test_hints_are_words(hints: object, words: tuple[str, ...], danger: bool) -> None:  # noqa: FBT001 # a parameter of the table
    assert approval_words(hints) == (words, danger)


@pytest.mark.parametrize(
    ("times", "started", "waited"),
    [
        ({"started_at": 1.0}, 1.0, None),
        ({"started_at": 1.0, "executed_at": 9.0}, 9.0, None),
        (
            {"started_at": 1.0, "asked_at": 2.0, "decided_at": 8.5, "executed_at": 9.0},
            9.0,
            6.5,
        ),
        ({"asked_at": 2.0}, None, None),
        ({"asked_at": 2.0, "decided_at": 1.0}, None, 0.0),
    ],
)
def test_how_long_a_tool_ran_holds_no_waiting(
    times: dict[str, float], started: float | None, waited: float | None
) -> None:
    view = view_call(call(**times))

    assert (view.started_at, view.waited) == (started, waited)
