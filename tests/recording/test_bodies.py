from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from agui_binary import binary, framed
from hypothesis import given, settings, strategies as st

from aistream_nb.core.redaction import REDACTED, Redactor
from aistream_nb.core.wire.proto import ProtoFrames
from aistream_nb.recording.bodies import BinaryBody, TextBody, body_of

SECRET = "großes-Geheimnis"  # noqa: S105 made up
EVENTS: list[dict[str, Any]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": f"say {SECRET}!"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"password":"'},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": 'open"}'},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]
OFFICIAL = [
    bytes.fromhex(json.loads(line)["hex"])
    for line in (Path(__file__).parents[1] / "core/fixtures/agui_proto.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def kept(*pieces: bytes, secrets: tuple[str, ...] = (SECRET,)) -> bytes:
    body = body_of(pieces[0], Redactor(secrets))
    return b"".join([*map(body.receive, pieces), body.pending])


def events_of(body: bytes) -> list[Any]:
    frames = ProtoFrames()
    return [f.event for f in (*frames.receive(body), *frames.close())]


def test_the_first_byte_says_how_a_body_is_read():
    assert type(body_of(b"data: 1", Redactor())) is TextBody
    assert type(body_of(binary(*EVENTS), Redactor())) is BinaryBody


def test_a_binary_body_can_be_read_without_its_secrets_whatever_the_cut():
    whole = binary(*EVENTS)
    clean = kept(whole)

    events = events_of(clean)
    assert SECRET.encode() not in clean
    assert events[2]["delta"] == f"say {REDACTED}!"
    assert [events[i] for i in (0, 1, 4, 5)] == [EVENTS[i] for i in (0, 1, 4, 5)]
    for place in range(1, len(whole)):
        assert kept(whole[:place], whole[place:]) == clean


@pytest.mark.parametrize("data", OFFICIAL)
def test_what_holds_no_secret_is_kept_to_the_byte(data: bytes):
    assert kept(framed(data)) == framed(data)


def test_what_ends_within_a_frame_is_kept_so_far_without_what_begins_a_secret():
    whole = binary(EVENTS[0], EVENTS[2])
    cut = whole.index(SECRET.encode()) + 12

    clean = kept(whole[:cut])

    assert clean.startswith(binary(EVENTS[0]))
    assert SECRET.encode()[:8] not in clean
    assert clean.endswith(REDACTED.encode())


def test_what_is_no_message_is_cleaned_as_it_stands():
    clean = kept(framed(b"\x00" + SECRET.encode()) + binary(EVENTS[0]))
    assert clean == framed(b"\x00" + REDACTED.encode()) + binary(EVENTS[0])


def test_behind_a_frame_that_is_too_long_nothing_waits():
    body = BinaryBody(Redactor([SECRET]))
    start = binary(EVENTS[0]) + b"\x7f\xff\xff\xff"
    assert body.receive(start) == start
    assert body.receive(b"x" * 50) == b"x" * 50
    assert body.receive(f"{SECRET} {SECRET[:6]}".encode()) == REDACTED.encode() + b" "
    assert body.pending == SECRET[:6].encode()


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80), st.lists(st.integers(0, 80), max_size=3))
def test_any_bytes_are_kept_in_any_pieces(data: bytes, cuts: list[int]):
    places = [0, *sorted(cuts), len(data) + 1]
    content = b"\0" + data
    pieces = [content[a:b] for a, b in pairwise(places)]
    body = BinaryBody(Redactor())
    told = b"".join([*map(body.receive, pieces), body.pending])
    assert told == kept(content, secrets=())
