from __future__ import annotations

import json
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from agui_binary import field
from hypothesis import given, settings, strategies as st

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.wire.proto import ProtoError, ProtoFrames, read_proto

# Each line was written by the official encoder (@ag-ui/proto 1.0.0).
SAMPLES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "fixtures" / "agui_proto.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def bytes_of(sample: dict[str, Any]) -> bytes:
    return bytes.fromhex(sample["hex"])


def framed(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["event"]["type"])
def test_what_the_official_encoder_wrote_is_read_as_it_was(sample: dict[str, Any]):
    assert read_proto(bytes_of(sample)) == sample["event"]


def test_frames_may_be_cut_anywhere():
    body = b"".join(framed(bytes_of(sample)) for sample in SAMPLES)
    for size in (1, 7, len(body)):
        frames = ProtoFrames()
        read = [
            frame
            for start in range(0, len(body), size)
            for frame in frames.receive(body[start : start + size])
        ]
        assert [frame.event for frame in read] == [s["event"] for s in SAMPLES]
        assert [frame.index for frame in read] == list(range(len(SAMPLES)))
        assert frames.close() == ()


def test_an_event_of_the_future_is_dropped_and_told():
    later = bytes([0x82, 0x02, 0x00])  # field 32
    assert read_proto(later) is None
    (frame,) = ProtoFrames().receive(framed(later))
    assert frame.event is None
    assert [found.rule for found in frame.faults] == ["schema.unknown_type"]


def test_a_field_of_the_future_is_skipped():
    error = field(14, field(3, b"gone") + field(9, b"new"))
    assert read_proto(error) == {"type": "RUN_ERROR", "message": "gone"}


ERROR = field(14, field(3, b"gone"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        ERROR + ERROR,
        b"\x00",
        b"\x72",
        b"\x72\x05a",
        b"\x73",
        b"\x70\x01",
        b"\x80" * 11,
        b"\x71\x01\x02\x03\x04\x05\x06\x07",
        field(14, field(3, b"\xff")),
        field(14, b"\x18\x01"),
        field(12, field(1, field(2, b"x"))),
        field(7, field(2, field(2, b"short"))),
        field(23, field(6, b"x")),
        field(8, field(2, field(1, b"x"))),
    ],
)
def test_broken_bytes_are_no_event(data: bytes):
    with pytest.raises(ProtoError):
        read_proto(data)


def test_a_value_that_is_nested_too_deeply_is_no_event():
    data = b""
    for _ in range(120):
        inner = field(1, data)
        data = field(6, inner)
    snapshot = field(2, data)
    with pytest.raises(ProtoError, match="too deeply"):
        read_proto(field(7, snapshot))


def test_a_number_of_four_bytes_is_skipped_where_nobody_knows_it():
    assert read_proto(field(14, b"\x4d\x00\x00\x00\x00" + field(3, b"x"))) == {
        "type": "RUN_ERROR",
        "message": "x",
    }


def test_an_operation_that_has_no_name_is_its_number():
    delta = field(8, field(2, b"\x08\x09" + field(2, b"/a")))
    assert read_proto(delta) == {
        "type": "STATE_DELTA",
        "delta": [{"op": "9", "path": "/a"}],
    }


def test_a_part_of_the_future_has_no_type():
    result = field(22, field(7, field(9, b"")))
    read = read_proto(result)
    assert read is not None
    assert read["content"] == [{"type": ""}]


def test_fields_that_json_values_do_not_have_are_skipped():
    snapshot = field(7, field(2, field(9, b"") + field(3, b"x")))
    assert read_proto(snapshot) == {"type": "STATE_SNAPSHOT", "snapshot": "x"}
    shown = field(23, field(5, field(9, b"")))
    read = read_proto(shown)
    assert read is not None
    assert read["content"] == {}


def test_a_negative_number_is_one():
    time = b"\x10" + b"\xff" * 9 + b"\x01"
    read = read_proto(field(3, field(1, time)))
    assert read == {"type": "TEXT_MESSAGE_END", "messageId": "", "timestamp": -1}


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (framed(b"\x00"), "frame.bad_proto"),
        (framed(ERROR)[:-1], "frame.truncated_proto"),
        (b"\x00\x00", "frame.truncated_proto"),
        (struct.pack(">I", 101) + b"x", "frame.too_big"),
    ],
)
def test_what_is_wrong_with_a_frame_is_told(body: bytes, rule: str):
    frames = ProtoFrames(max_frame=100)
    read = [*frames.receive(body), *frames.receive(b""), *frames.close()]
    assert [found.rule for frame in read for found in frame.faults] == [rule]


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=60)
    | st.sampled_from(SAMPLES)
    .map(bytes_of)
    .flatmap(
        lambda data: st.integers(0, max(len(data) - 1, 0)).map(
            lambda place: data[:place] + b"\x7f" + data[place + 1 :]
        )
    )
)
def test_no_bytes_break_the_frames(data: bytes):
    frames = ProtoFrames()
    for frame in (*frames.receive(framed(data)), *frames.close()):
        assert (frame.event is None) == bool(frame.faults)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (5.0, "5"),
        (-0.5, "-0.5"),
        (1e17, "100000000000000000"),
        (1e21, "1e+21"),
        (float("inf"), "null"),
        (float("nan"), "null"),
    ],
)
def test_a_number_is_whole_where_javascript_writes_it_so(number: float, text: str):
    snapshot = field(7, field(2, b"\x11" + struct.pack("<d", number)))
    read = read_proto(snapshot)
    assert read is not None
    assert encode_json(read["snapshot"]) == text


def test_a_text_within_many_levels_is_copied_once():
    text = b"x" * 100_000
    data = field(3, text)
    for _ in range(45):
        data = field(6, field(1, data))
    body = field(7, field(2, data))
    tracemalloc.start()
    try:
        assert read_proto(body) is not None
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 3 * len(text)
