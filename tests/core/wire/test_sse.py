"""The decoder of server-sent events, tried whole, byte by byte, and cut anywhere."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core.wire.sse import (
    FrameSplitter,
    FrameTooLongError,
    ServerSentEvent,
    SSEDecoder,
    parse_frame,
)


def event(data: str, name: str = "", ident: str | None = None) -> ServerSentEvent:
    return ServerSentEvent(event=name, data=data, id=ident)


def decode(*pieces: bytes) -> list[ServerSentEvent]:
    decoder = SSEDecoder()
    found = [found for piece in pieces for found in decoder.receive(piece)]
    return found + decoder.close()


def singly(body: bytes) -> list[bytes]:
    return [body[at : at + 1] for at in range(len(body))]


STREAMS = {
    "one event": (b"data: 1\n\n", [event("1")]),
    "a named event": (b"event: greet\ndata: hi\n\n", [event("hi", "greet")]),
    "the name never carries over": (
        b"event: a\ndata: 1\n\ndata: 2\n\n",
        [event("1", "a"), event("2")],
    ),
    "the last name wins, trimmed": (
        b"event: a\nevent:  b \ndata: 1\n\n",
        [event("1", "b")],
    ),
    "data lines are joined": (b"data: 1\ndata:\ndata:  2\n\n", [event("1\n\n 2")]),
    "only one space is removed": (b"data:  x\n\n", [event(" x")]),
    "no space is needed": (b"data:x\n\n", [event("x")]),
    "a field without a colon is empty": (b"data\n\n", [event("")]),
    "an event without data is dropped": (b"event: lost\n\ndata: 1\n\n", [event("1")]),
    "comments and unknown fields are ignored": (
        b": ping\n\n:\nretry: 3\nfoo: bar\ndata: 1\n\n",
        [event("1")],
    ),
    "an id is kept": (b"id: 7\ndata: 1\n\n", [event("1", ident="7")]),
    "an id with NUL is not": (b"id: 7\0\ndata: 1\n\n", [event("1")]),
    "CRLF": (
        b"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n",
        [event("1", "a"), event("2")],
    ),
    "CR": (b"event: a\rdata: 1\r\rdata: 2\r\r", [event("1", "a"), event("2")]),
    "mixed line ends": (
        b"data: 1\r\n\ndata: 2\n\r\ndata: 3\n\r",
        [event(n) for n in "123"],
    ),
    "runs of empty lines": (
        b"\n\n\ndata: 1\n\n\n\n\ndata: 2\n\n\n",
        [event("1"), event("2")],
    ),
    "a last event without its empty line": (
        b"data: 1\n\ndata: 2",
        [event("1"), event("2")],
    ),
    "a last event with only its line end": (b"data: 1\n", [event("1")]),
    "a byte order mark is dropped once": (
        b"\xef\xbb\xbfdata: \xef\xbb\xbf1\n\n",
        [event("\ufeff1")],
    ),
    "other separators are data": (
        "data: a\u2028b\u2029c\u0085d\ve\ff\x1cg\n\n".encode(),
        [event("a\u2028b\u2029c\u0085d\ve\ff\x1cg")],
    ),
    "bad bytes are replaced": (b"data: \xff\xe2\x82|\n\n", [event("\ufffd\ufffd|")]),
    "a character cut by the end is replaced": (b"data: \xe2\x82", [event("\ufffd")]),
    "wide characters": (
        "data: \u00e9\u4f60\U0001f642\n\n".encode(),
        [event("\u00e9\u4f60\U0001f642")],
    ),
    "nothing": (b"", []),
}


@pytest.mark.parametrize(("body", "expected"), STREAMS.values(), ids=STREAMS)
def test_the_pieces_do_not_matter(body, expected):
    assert decode(body) == expected
    assert decode(*singly(body)) == expected
    for at in range(len(body)):
        assert decode(body[:at], b"", body[at:]) == expected


@given(
    st.lists(
        st.sampled_from(
            [
                b"data: x",
                b"event: e",
                b"\n",
                b"\r",
                b"\r\n",
                b":",
                b"\xe2\x80\xa8",
                b"\xff",
            ]
        )
    ),
    st.lists(st.integers(0, 60), max_size=4),
)
def test_any_cut_of_any_bytes_gives_the_same(parts, cuts):
    body = b"".join(parts)
    edges = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    pieces = [body[a:b] for a, b in itertools.pairwise(edges)]
    assert decode(*pieces) == decode(body) == decode(*singly(body))


def test_an_event_is_given_as_soon_as_its_empty_line_came():
    decoder = SSEDecoder()
    assert decoder.receive(b"data: 1\r\n\r") == [event("1")]
    assert decoder.receive(b"\ndata: 2\r\r") == [event("2")]


@pytest.mark.parametrize("body", [b"data: 1\r\n\r\n", b"data: 1\r\r", b"data: 1\n\r"])
def test_carriage_returns_are_noted(body):
    decoder = SSEDecoder()
    decoder.receive(body)
    assert decoder.saw_carriage_returns
    assert not SSEDecoder().saw_carriage_returns


@pytest.mark.parametrize(
    ("body", "unterminated"),
    [(b"data: 1\n\n", False), (b"data: 1\n", True), (b"data: 1", True), (b"\n", False)],
)
def test_a_last_frame_without_its_end_is_noted(body, unterminated):
    decoder = SSEDecoder()
    decoder.receive(body)
    decoder.close()
    assert decoder.ended_unterminated is unterminated


def test_a_frame_without_end_stops_at_the_limit():
    decoder = SSEDecoder(max_frame_length=10)
    assert decoder.receive(b"data: 123\n\ndata: 456\n\n") == [
        event("123"),
        event("456"),
    ]
    decoder.receive(b"data: 7")
    with pytest.raises(FrameTooLongError, match="longer than 10 bytes") as caught:
        decoder.receive(b"89..")
    assert caught.value.limit == 10


def test_a_complete_frame_may_be_longer_than_the_limit():
    decoder = SSEDecoder(max_frame_length=3)
    assert decoder.receive(b"data: 123\n\n") == [event("123")]


def test_a_long_frame_in_small_pieces_is_joined_once():
    splitter = FrameSplitter()
    for _ in range(50_000):
        assert splitter.receive(b"data: x\n") == []
    (frame,) = splitter.receive(b"\n")
    assert parse_frame(frame) == event("\n".join(["x"] * 50_000))
