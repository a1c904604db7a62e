"""Whatever somebody has is rows, and each violation is known at its row."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rulebook import RULES
from aistream_nb.core.ordering.verifier import OrderingVerifier
from aistream_nb.core.wire.frames import MAX_FRAME
from aistream_nb.errors import RecordingError
from aistream_nb.recording import Recording
from aistream_nb.recording.judged import (
    NO_EVENT,
    Answer,
    Judged,
    answer_rows,
    source_of,
)

RUN: list[dict[str, Any]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "protocolVersion": "1.0"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]
BODY = b'data: {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}\n\ndata: oops\n\n'


def judged(source: Any, **answer: Any) -> Judged:
    return Judged(
        source, verifier=OrderingVerifier(profile="teach"), answer=Answer(**answer)
    )


def types(source: Any) -> list[str]:
    return [str(event["type"]) for event, _ in judged(source).take()]


@pytest.mark.parametrize("rule", RULES, ids=list(RULES))
def test_it_finds_what_check_ordering_finds_and_where(rule: str):
    example = RULES[rule].breaks
    around: dict[str, Any] = {
        "run_input": example.run_input,
        "interrupts": example.interrupts,
        "now": example.now,
        "dialect": example.dialect,
        "profile": "teach",
    }
    answer = Answer(
        status=example.status,
        content_type=example.content_type,
        max_frame=example.max_frame or MAX_FRAME,
    )
    source: Any = example.events if example.body is None else example.body
    mine = Judged(source, verifier=OrderingVerifier(**around), answer=answer)
    rows = mine.take()
    report = check_ordering(
        source,
        **around,
        status=answer.status,
        content_type=answer.content_type,
        max_frame=answer.max_frame,
    )
    found = [(one.rule, one.index) for _, one in mine.found]
    expected = [(one.rule, min(one.index, len(rows) - 1)) for one in report.violations]
    assert sorted(found) == sorted(expected)
    assert all(
        at == one.index + 1 if one.index >= 0 else at in (0, len(rows))
        for at, one in mine.found
    )


def test_everything_that_holds_events_is_a_source(tmp_path: Path):
    recording = Recording.of(RUN)
    path = recording.save(tmp_path / "kept.jsonl")
    dump = tmp_path / "dump.txt"
    dump.write_bytes(BODY)
    started, finished = "RUN_STARTED", "RUN_FINISHED"
    for source in (RUN, iter(RUN), recording, path, str(path)):
        assert types(source) == [started, finished]
    chat = SimpleNamespace(recording=recording, conversation=None)
    assert types(SimpleNamespace(events=RUN)) == types(chat) == [started, finished]
    for body in (BODY, bytearray(BODY), memoryview(BODY), dump, BODY.decode()):
        assert types(body) == [started, NO_EVENT]
    assert types('[{"type": "RAW", "event": 1}]') == ["RAW"]


@pytest.mark.parametrize("source", [7, None, {"type": "RAW"}])
def test_what_holds_no_events_is_told(source: Any):
    with pytest.raises(TypeError, match="a stream is a list of events"):
        source_of(source)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path):
    with pytest.raises(RecordingError, match=r"gone\.sse cannot be read"):
        source_of(tmp_path / "gone.sse")


def test_items_that_are_no_event_are_rows():
    mine = judged([RUN[0], "no json", 7, '{"type": "RUN_FINISHED"}'])
    rows = mine.take()
    assert [str(event["type"]) for event, _ in rows] == [
        "RUN_STARTED",
        NO_EVENT,
        NO_EVENT,
        "RUN_FINISHED",
    ]
    assert rows[1][0]["content"] == "no json"
    places = {(at, one.rule) for at, one in mine.found}
    assert {(2, "frame.bad_json"), (3, "frame.not_object")} <= places


def test_a_frame_that_is_not_counted_is_told_at_the_next():
    rows, whole = answer_rows(b"data:\n\ndata: {}\n\ndata:\n\n", Answer())
    assert [[fault.rule for fault in row.faults] for row in rows] == [
        ["transport.empty_data", "frame.no_type"]
    ]
    assert [fault.rule for fault in whole] == ["transport.empty_data"]


def test_an_answer_that_failed_has_no_rows():
    mine = judged(BODY, status=500)
    assert mine.take() == []
    at, first = mine.found[0]
    assert (at, first.rule) == (0, "http.status")


def test_what_is_secret_is_not_kept():
    row = judged([{"type": "RAW", "event": {"api_key": "sk-1234567890abcdef"}}])
    assert "1234567890" not in str(row.take())


def test_a_recording_that_grows_is_taken_bit_by_bit():
    recording = Recording(clock=lambda: 0.0)
    verifier = OrderingVerifier()
    live = Judged(recording, verifier=verifier, live=True)
    recording.append(RUN[0])
    assert [event for event, _ in live.take()] == [RUN[0]]
    recording.append_note("note", 1)
    assert live.take() == []
    recording.append(RUN[1])
    assert [event for event, _ in live.take()] == [RUN[1]]
    assert live.found == []
