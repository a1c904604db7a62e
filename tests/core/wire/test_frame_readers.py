"""Both readers behind one door: whatever comes, in whatever pieces."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from agui_binary import BINARY, binary, framed
from hypothesis import given, settings, strategies as st

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.wire.frame_readers import (
    FrameReader,
    body_type,
    frames_of_body,
    frames_of_type,
    is_binary,
)
from aistream_nb.core.wire.frames import AGUIFrames, Frame
from aistream_nb.core.wire.proto import ProtoFrames

IDS = {"threadId": "t1", "runId": "r1"}
EVENTS = [
    {"type": "RUN_STARTED", **IDS, "protocolVersion": "1.0"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "héllo"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
    {"type": "RUN_FINISHED", **IDS, "outcome": {"type": "success"}},
]
BODY = binary(*EVENTS)
OFFICIAL = b"".join(
    framed(bytes.fromhex(json.loads(line)["hex"]))
    for line in (Path(__file__).parents[1] / "fixtures" / "agui_proto.jsonl")
    .read_text("utf-8")
    .splitlines()
)


def read(frames: FrameReader, *pieces: bytes) -> list[Frame]:
    return [
        *(frame for piece in pieces for frame in frames.receive(piece)),
        *frames.close(),
    ]


@pytest.mark.parametrize(
    ("content_type", "reader"),
    [
        (BINARY, ProtoFrames),
        (f"{BINARY}; charset=utf-8", AGUIFrames),
        (BINARY.upper(), AGUIFrames),
        ("text/event-stream", AGUIFrames),
        ("application/x-protobuf", AGUIFrames),
        ("", AGUIFrames),
        (None, AGUIFrames),
    ],
)
def test_the_content_type_says_it_to_the_letter(
    content_type: str | None, reader: type[FrameReader]
):
    assert type(frames_of_type(content_type)) is reader


def test_without_a_content_type_the_first_byte_says_it():
    assert body_type(BODY) == BINARY
    assert body_type(b"") == "text/event-stream"
    assert type(frames_of_body(BODY)) is ProtoFrames
    assert type(frames_of_body(BODY, "text/plain")) is AGUIFrames
    assert type(frames_of_body(b": hello\n\n")) is AGUIFrames
    assert not is_binary(b"\xef\xbb\xbfdata: 1")


def test_a_body_is_the_same_at_every_cut():
    at_once = read(ProtoFrames(), BODY)
    assert [frame.event for frame in at_once] == EVENTS
    for place in range(len(BODY) + 1):
        assert read(ProtoFrames(), BODY[:place], BODY[place:]) == at_once
    by_byte = [BODY[place : place + 1] for place in range(len(BODY))]
    assert read(ProtoFrames(), *by_byte) == at_once


def test_what_is_between_good_frames_is_told_and_the_rest_is_read():
    head, tail = binary(*EVENTS[:2]), binary(*EVENTS[2:])
    frames = read(ProtoFrames(), head + framed(b"\x00") + framed(b"") + tail)
    assert [frame.event for frame in frames if frame.event] == EVENTS
    told = [(frame.index, f.rule) for frame in frames for f in frame.faults]
    assert told == [(2, "frame.bad_proto"), (3, "frame.bad_proto")]


def test_behind_a_frame_that_is_too_long_nothing_is_kept():
    frames = ProtoFrames(max_frame=64)
    (found,) = [*frames.receive(b"\x7f\xff\xff\xff"), *frames.receive(b"x" * 100_000)]
    assert [fault.rule for fault in found.faults] == ["frame.too_big"]
    assert frames.close() == ()
    assert frames._rest == b""


def test_the_end_is_told_once():
    frames = ProtoFrames()
    assert frames.receive(BODY[:-1])[-1].event == EVENTS[-2]
    assert [f.rule for frame in frames.close() for f in frame.faults] == [
        "frame.truncated_proto"
    ]
    assert frames.close() == ()


def test_check_ordering_reads_the_same_bytes():
    assert check_ordering(BODY, content_type=BINARY).ok
    assert check_ordering(BODY).ok
    report = check_ordering(BODY[:-1], content_type=BINARY)
    assert [found.rule for found in report.violations] == [
        "frame.truncated_proto",
        "stream.truncated",
    ]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(OFFICIAL) - 1), st.integers(0, 255)), max_size=6
    ),
    st.lists(st.integers(0, len(OFFICIAL)), max_size=4),
    st.integers(0, len(OFFICIAL)),
)
def test_broken_bytes_are_told_and_never_raise_in_any_pieces(
    changes: list[tuple[int, int]], cuts: list[int], end: int
):
    body = bytearray(OFFICIAL)
    for place, byte in changes:
        body[place] = byte
    data = bytes(body[:end])
    at_once = read(frames_of_type(BINARY), data)
    places = [0, *sorted(cuts), len(data)]
    pieces = [data[a:b] for a, b in pairwise(places)]
    assert repr(read(frames_of_type(BINARY), *pieces)) == repr(at_once)
    for frame in at_once:
        assert (frame.event is None) == bool(frame.faults)
    assert [frame.index for frame in at_once] == list(range(len(at_once)))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_by_either_reader(data: bytes):
    for content_type in (BINARY, "text/event-stream"):
        for frame in read(frames_of_type(content_type), data):
            assert frame.event is not None or frame.faults or frame.is_done
