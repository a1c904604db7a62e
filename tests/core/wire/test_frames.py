from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.wire.frames import AGUIFrames, Frame, check_answer

GOOD = b'data: {"type":"RAW","event":1}\n\n'


def read(body: bytes, *, size: int | None = None, max_frame: int = 1000) -> list[Frame]:
    frames = AGUIFrames(max_frame=max_frame)
    step = size or len(body) or 1
    made = [
        frame
        for start in range(0, len(body), step)
        for frame in frames.receive(body[start : start + step])
    ]
    return [*made, *frames.close()]


def rules(body: bytes, **options: int) -> list[tuple[int, str]]:
    return [(f.index, s.rule) for f in read(body, **options) for s in f.faults]


@pytest.mark.parametrize(
    ("frame", "rule"),
    [
        (b"data: {oops}\n\n", "frame.bad_json"),
        (b'data: {"type":"RAW","event":NaN}\n\n', "frame.bad_json"),
        (b"data: [DONE]\n\n", "frame.bad_json"),
        (b"data: null\n\n", "frame.not_object"),
        (b"data: [1]\n\n", "frame.not_object"),
        (b'data: "x"\n\n', "frame.not_object"),
        (b"data: {}\n\n", "frame.no_type"),
        (b'data: {"type":""}\n\n', "frame.no_type"),
        (b'data: {"type":7}\n\n', "frame.no_type"),
    ],
)
def test_a_frame_that_is_no_event_is_told_and_the_rest_is_read(frame: bytes, rule: str):
    assert rules(GOOD + frame + GOOD) == [(1, rule)]
    assert [f.index for f in read(GOOD + frame + GOOD) if f.event] == [0, 2]


def test_a_frame_without_data_or_without_data_lines_is_told_and_not_counted():
    body = b'data:\n\n{"type":"RAW"}\n\n: comment\n\nevent: x\n\n' + GOOD
    assert rules(body) == [
        (0, "transport.empty_data"),
        (0, "transport.json_line_without_data"),
    ]
    assert [f.index for f in read(body) if f.event] == [0]


def test_a_lost_line_beside_data_is_told_with_the_event():
    (frame,) = read(b'{"a":1}\n' + GOOD)
    assert frame.event == {"type": "RAW", "event": 1}
    assert [s.rule for s in frame.faults] == ["transport.json_line_without_data"]


def test_crlf_is_read_and_told_once():
    body = (GOOD * 3).replace(b"\n", b"\r\n")
    assert rules(body) == [(-1, "transport.crlf")]
    assert len([f for f in read(body) if f.event]) == 3


def test_done_is_marked():
    assert [f.is_done for f in read(GOOD + b"data: [DONE]\n\n")] == [False, True]


def test_after_a_frame_that_is_too_big_nothing_more_is_read():
    body = GOOD + b"data: " + b"x" * 99 + b"\n\n" + GOOD
    for size in (1, 7, 40):
        found = read(body, size=size, max_frame=60)
        assert [s.rule for f in found for s in f.faults] == ["frame.too_big"]
        assert [f.index for f in found] == [0, 1]


def test_the_last_frame_may_lack_its_empty_line():
    assert [f.event for f in read(GOOD.strip())] == [{"type": "RAW", "event": 1}]


@pytest.mark.parametrize(
    ("status", "content_type", "told"),
    [
        (200, "text/event-stream", []),
        (204, "Text/Event-Stream; charset=utf-8", []),
        (200, None, []),
        (200, "application/json", ["transport.content_type"]),
        (404, "text/html", ["http.status"]),
        (302, None, ["http.status"]),
    ],
)
def test_an_answer_is_judged_before_its_body(
    status: int, content_type: str | None, told: list[str]
):
    found = check_answer(status=status, content_type=content_type)
    assert [one.rule for one in found] == told


PIECES = st.sampled_from(
    [GOOD, b"data: {oops}\n\n", b"\r\n", b": x\n\n", b"data:\n\n", "é\u2028".encode()]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES, max_size=6), st.integers(1, 9))
def test_the_cuts_between_reads_make_no_difference(pieces: list[bytes], size: int):
    body = b"".join(pieces)
    whole, cut = read(body), read(body, size=size)
    assert [(f.index, f.event) for f in whole] == [(f.index, f.event) for f in cut]
    assert sorted(rules(body)) == sorted(rules(body, size=size))
