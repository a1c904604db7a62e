from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.redaction import REDACTED, Redactor
from aistream_nb.recording.growing_text import GrowingTexts

SECRET = "the-word-of-the-day"  # noqa: S105 made up
Events = list[dict[str, Any]]


def kept(*events: dict[str, Any]) -> Events:
    texts = GrowingTexts(Redactor([SECRET]))
    told = [dict(one) for event in events for one in texts.receive(event)]
    return [*told, *map(dict, texts.close())]


def message(*deltas: str, kind: str = "TEXT_MESSAGE", key: str = "messageId") -> Events:
    step = "ARGS" if kind == "TOOL_CALL" else "CONTENT"
    return [
        {"type": f"{kind}_START", key: "m"},
        *({"type": f"{kind}_{step}", key: "m", "delta": delta} for delta in deltas),
        {"type": f"{kind}_END", key: "m"},
    ]


def text(events: Events) -> str:
    return "".join(event.get("delta", "") for event in events)


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("TEXT_MESSAGE", "messageId"),
        ("REASONING_MESSAGE", "messageId"),
        ("THINKING_TEXT_MESSAGE", "messageId"),
        ("TOOL_CALL", "toolCallId"),
    ],
)
def test_a_secret_in_several_deltas_is_taken_out(kind: str, key: str):
    told = kept(*message("it is the-w", "ord-of", "-the-day", "!", kind=kind, key=key))

    assert text(told) == f"it is {REDACTED}!"
    assert [event["type"].rpartition("_")[2] for event in told] == [
        "START",
        *["ARGS" if kind == "TOOL_CALL" else "CONTENT"] * 3,
        "END",
    ]


def test_what_was_no_secret_comes_before_the_end_of_its_item():
    told = kept(*message("it is the-word", ""))

    assert [event.get("delta") for event in told] == [None, "it is ", "the-word", None]
    assert told[2]["messageId"] == "m"


@pytest.mark.parametrize("ending", ["RUN_FINISHED", "RUN_ERROR"])
def test_the_end_of_a_run_ends_every_text(ending: str):
    told = kept(*message("it is the-word")[:2], {"type": ending})

    assert [event["type"] for event in told][-2:] == ["TEXT_MESSAGE_CONTENT", ending]
    assert text(told) == "it is the-word"


def test_texts_that_grow_side_by_side_are_two():
    def said(key: str, delta: str) -> dict[str, Any]:
        return {"type": "TEXT_MESSAGE_CONTENT", "messageId": key, "delta": delta}

    told = kept(said("a", "the-word"), said("b", "-of-the-day"), said("a", "s of it"))

    assert text(told) == "-of-the-daythe-words of it"


def test_chunks_go_on_with_the_item_that_they_do_not_name():
    told = kept(
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "the-word"},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "-of-the-day"},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": " is said"},
    )

    assert told[0] == {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m"}
    assert text(told) == f"{REDACTED} is said"


def test_the_text_so_far_of_the_older_dialect_tells_no_more_than_the_delta():
    said = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m"}

    (one,) = GrowingTexts(Redactor([SECRET])).receive(
        {
            **said,
            "delta": "it is the-word",
            "content": "So: it is the-word",
            "args": 1,
            "rawEvent": {"text": "the-word"},
        }
    )

    assert one == {**said, "delta": "it is ", "content": "So: it is ", "args": 1}


def test_what_has_no_text_passes():
    odd: Events = [
        {},
        {"type": 7},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": 5},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": ["m"], "delta": "x"},
        {"type": "CUSTOM", "name": "x", "delta": "the-word"},
        {"type": "TEXT_MESSAGE_END", "messageId": "never"},
    ]

    assert kept(*odd) == odd


def test_no_event_breaks_the_order_because_of_what_is_kept_back():
    run = {"threadId": "t", "runId": "r"}
    told = kept(
        {"type": "RUN_STARTED", **run},
        *message("the-w", "ord-of-the-", "day"),
        {"type": "RUN_FINISHED", **run},
    )

    report = check_ordering(told, profile="teach")
    assert [found.rule for found in report.violations] == ["run.version_missing"]
