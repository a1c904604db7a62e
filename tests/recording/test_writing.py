from __future__ import annotations

import json
from pathlib import Path

import pytest

from aistream_nb.core.processor.reference_recording import ReferenceRecording
from aistream_nb.recording import Recording
from aistream_nb.recording.writing import FORMS, encode_recording

GOLDEN = Path(__file__).parents[1] / "golden" / "anthropic" / "denied.jsonl"


@pytest.mark.parametrize("form", sorted(FORMS))
def test_every_format_can_be_read_again(form: str):
    recording = Recording.load(GOLDEN)

    again = Recording.read(encode_recording(recording, form).encode())

    assert again.events == recording.events
    assert [e.t for e in again.entries if e.event] == pytest.approx(
        [e.t for e in recording.entries if e.event], abs=0.001
    )


def test_ours_keeps_everything():
    recording = Recording.load(GOLDEN)

    assert encode_recording(recording, "jsonl") == GOLDEN.read_text("utf-8")


def test_the_references_file_holds_times_and_the_result():
    told = json.loads(encode_recording(Recording.load(GOLDEN), "reference"))

    assert ReferenceRecording.from_wire(told).provider == "anthropic"
    assert told["result"]["content"]
    assert told["chunks"][0]["index"] == 0


def test_nothing_can_be_written_too():
    assert json.loads(encode_recording(Recording.of([]), "reference"))["chunks"] == []
    assert encode_recording(Recording.of([]), "json") == "[]\n"
