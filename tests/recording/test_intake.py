from __future__ import annotations

import pytest
from ag_ui.core import RunStartedEvent

from aistream_nb.core.redaction import REDACTED
from aistream_nb.recording.intake import (
    Intake,
    event_on_the_wire,
    message_without_headers,
    piece_on_a_line,
)


def test_events_of_the_sdk_have_the_protocols_names():
    event = event_on_the_wire(RunStartedEvent(thread_id="t", run_id="r"))
    assert event == {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}


def test_what_is_no_event_is_refused():
    class Odd:
        def model_dump(self, **_: object) -> list[int]:
            return []

    for odd in (3, Odd()):
        with pytest.raises(TypeError, match="an event is a mapping"):
            event_on_the_wire(odd)


def test_headers_are_left_out_and_bodies_read():
    made = message_without_headers({"HEADERS": {}, "url": "u", "body": b'{"a":1}'})
    assert made == {"url": "u", "body": {"a": 1}}
    assert message_without_headers({"body": "{"}) == {"body": "{"}
    assert message_without_headers({"body": {"a": 1}}) == {"body": {"a": 1}}


def test_bytes_are_text_where_they_can_be():
    assert piece_on_a_line("é".encode()) == {"text": "é"}
    assert piece_on_a_line("é".encode()[:1]) == {"base64": "ww=="}


def test_an_event_that_raises_when_it_is_looked_into_is_kept_somehow():
    class Sulking(dict[str, object]):
        def get(self, *_: object) -> object:
            raise RuntimeError

    assert Intake().event(Sulking(type="CUSTOM")) == [("event", {"type": "CUSTOM"})]


def test_what_is_kept_back_of_an_answer_comes_with_its_end():
    intake = Intake(["hunter2!-and-more"])
    nothing = {"request": None, "response": None}

    assert intake.wire(1, **nothing, content=b"hunter2!") == []
    assert intake.pending == [("wire", {"round": 1, "text": "hunter2!"})]
    told = intake.wire(2, request={"body": {}}, response=None, content=None)
    assert told == [
        ("wire", {"round": 1, "text": "hunter2!"}),
        ("wire", {"round": 2, "request": {"body": {}}}),
    ]
    assert intake.wire(2, **nothing, content=b"hunter2!") == []
    ended = intake.event({"type": "RUN_FINISHED"})
    assert [kind for kind, _ in ended] == ["wire", "event"]
    assert intake.wire(3, **nothing, content=b"") == [
        ("wire", {"round": 3, "text": ""})
    ]
    assert intake.close() == []


def test_a_secret_in_two_events_and_in_two_pieces_is_taken_out():
    intake = Intake()
    intake.learn_secret("hunter2!-and-more")
    said = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m"}

    told = [
        *intake.event({**said, "delta": "hunter2!-"}),
        *intake.event({**said, "delta": "and-more"}),
    ]

    assert told == [("event", {**said, "delta": REDACTED})]
