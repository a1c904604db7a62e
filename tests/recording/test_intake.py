from __future__ import annotations

import pytest
from ag_ui.core import RunStartedEvent

from aistream_nb.recording.intake import (
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
