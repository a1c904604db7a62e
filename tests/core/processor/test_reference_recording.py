from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.processor.reference_recording import ReferenceRecording
from aistream_nb.core.processor.results import StreamResult

EVENT = {"type": "TEXT_MESSAGE_CONTENT", "delta": "a"}
WIRE: dict[str, Any] = {
    "version": "1.0",
    "timestamp": 1,
    "model": "m",
    "provider": "p",
    "chunks": [{"chunk": EVENT, "timestamp": 2, "index": 0}],
    "result": {"content": "a", "finishReason": None},
}


def test_a_recording_comes_back_as_it_went():
    assert ReferenceRecording.from_wire(WIRE).to_wire() == WIRE


def test_events_are_numbered_as_they_come():
    recording = ReferenceRecording(timestamp=1)
    recording.append(EVENT, timestamp=2)
    recording.append(EVENT, timestamp=3)
    assert [chunk.index for chunk in recording.chunks] == [0, 1]
    assert list(recording.events) == [EVENT, EVENT]


def test_a_closed_recording_has_its_result():
    recording = ReferenceRecording()
    recording.close(StreamResult(content="a", finish_reason="stop"))
    assert recording.to_wire()["result"] == {"content": "a", "finishReason": "stop"}


@pytest.mark.parametrize(
    "wire",
    [{}, {"version": "2.0", "chunks": []}, {"version": "1.0", "chunks": None}],
)
def test_what_is_no_recording_is_refused_with_its_version(wire: dict[str, Any]):
    with pytest.raises(ValueError, match="this one has version"):
        ReferenceRecording.from_wire(wire)


def test_a_chunk_that_holds_no_event_is_left_out():
    chunks = [7, {"chunk": 7}, {"chunk": EVENT}]
    recording = ReferenceRecording.from_wire({"version": "1.0", "chunks": chunks})
    assert list(recording.events) == [EVENT]
    assert recording.result is None
