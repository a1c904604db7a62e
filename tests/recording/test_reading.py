from __future__ import annotations

import contextlib
import gzip
import json
from typing import Any

import pytest
from agui_binary import binary
from hypothesis import given, settings, strategies as st

from aistream_nb.errors import RecordingError
from aistream_nb.recording.entries import Entry, header_line
from aistream_nb.recording.reading import Loaded, read_recording

EVENTS: list[dict[str, Any]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "é"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]


def read(content: str | bytes) -> Loaded:
    raw = content.encode() if isinstance(content, str) else content
    return read_recording(raw, path="x.jsonl")


def own(*lines: object) -> str:
    def text(line: object) -> str:
        return line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)

    return "".join(f"{text(line)}\n" for line in lines)


def events_of(loaded: Loaded) -> list[Any]:
    return [one.event for one in loaded.entries]


LINES = own(
    header_line({"model": "m"}),
    *({"t": at / 10, "event": event} for at, event in enumerate(EVENTS)),
)


def test_our_own_lines_come_back():
    loaded = read(LINES)
    assert loaded.header == {"model": "m"}
    assert events_of(loaded) == EVENTS
    assert [one.t for one in loaded.entries] == [0.0, 0.1, 0.2]
    assert loaded.notices == []


def test_an_answer_in_the_binary_form_is_read_and_what_only_begins_like_one_is_none():
    events = [EVENTS[0], {"type": "TEXT_MESSAGE_END", "messageId": "é"}, EVENTS[2]]
    body = binary(*events)
    assert events_of(read(body)) == events
    assert events_of(read(gzip.compress(body))) == events
    assert events_of(read(body[:-1])) == events[:-1]
    with pytest.raises(RecordingError, match="is no recording"):
        read(b"\0" + LINES.encode())


FORMS: dict[str, str] = {
    "JSON array": json.dumps(EVENTS),
    "pretty JSON array": json.dumps(EVENTS, indent=2),
    "JSON lines": own(*EVENTS),
    "JSON lines with blank ones": "\n" + "\n\n".join(json.dumps(one) for one in EVENTS),
    "server-sent events": "".join(f"data: {json.dumps(one)}\n\n" for one in EVENTS),
    "server-sent events with comments": ": hi\r\n\r\n"
    + "".join(f"event: e\r\ndata: {json.dumps(one)}\r\n\r\n" for one in EVENTS),
    "reference": json.dumps(
        {
            "version": "1.0",
            "timestamp": 1,
            "chunks": [
                {"chunk": one, "timestamp": 1000 + 20 * at, "index": at}
                for at, one in enumerate(EVENTS)
            ],
        }
    ),
    "with a byte order mark": "\ufeff" + json.dumps(EVENTS),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_events(form):
    assert events_of(read(FORMS[form])) == EVENTS
    assert events_of(read(gzip.compress(FORMS[form].encode()))) == EVENTS


def test_the_reference_tells_times_provider_and_model():
    document = json.loads(FORMS["reference"]) | {"provider": "p", "model": "m"}
    loaded = read(json.dumps(document))
    assert [one.t for one in loaded.entries] == [0.0, 0.02, 0.04]
    assert loaded.header == {"provider": "p", "model": "m"}


def test_times_are_taken_from_the_events_or_assumed():
    stamped = [{**one, "timestamp": 5000 + 100 * at} for at, one in enumerate(EVENTS)]
    assert [one.t for one in read(json.dumps(stamped)).entries] == [0.0, 0.1, 0.2]
    assumed = read(json.dumps(EVENTS))
    assert [one.t for one in assumed.entries] == [0.0, 0.03, 0.06]
    assert assumed.header == {"times": "assumed"}


def test_times_never_go_back():
    stamped = [{**one, "timestamp": 100 - at} for at, one in enumerate(EVENTS)]
    assert [one.t for one in read(json.dumps(stamped)).entries] == [0.0, 0.0, 0.0]
    lines = own(header_line({}), {"t": 2, "event": {}}, {"t": 1, "event": {}})
    assert [one.t for one in read(lines).entries] == [2.0, 2.0]


def test_a_single_event_is_a_recording():
    assert events_of(read(json.dumps(EVENTS[0]))) == [EVENTS[0]]


def test_lines_without_a_header_are_read():
    assert events_of(read(own({"t": 0, "event": EVENTS[0]}))) == [EVENTS[0]]


def test_unknown_kinds_and_later_headers_are_kept():
    loaded = read(
        own(
            header_line({"a": 1}),
            {"t": 0, "novelty": [1]},
            {"t": 0, "header": {"b": 2}},
            {"t": 0, "header": "text"},
            {"t": 1, "more": 1, "event": {"type": "X"}},
        )
    )
    assert loaded.header == {"a": 1, "b": 2}
    assert loaded.entries == [
        Entry(0.0, "novelty", [1]),
        Entry(0.0, "header", "text"),
        Entry(1.0, "event", {"type": "X"}),
    ]


def test_a_torn_last_line_is_left_out_with_a_notice():
    for cut in (1, 5, 40):
        loaded = read(LINES.rstrip("\n").encode()[:-cut])
        assert events_of(loaded) == EVENTS[:2]
        assert loaded.notices == ["line 4 was torn by a crash and is left out"]


def test_a_last_line_without_its_end_is_kept_when_it_is_whole():
    assert events_of(read(LINES.rstrip("\n"))) == EVENTS


def test_a_line_may_be_torn_inside_a_character():
    content = LINES.encode()
    at = content.index("é".encode()) + 1
    assert events_of(read(content[:at])) == EVENTS[:1]


def test_torn_lines_of_events_are_left_out_too():
    loaded = read(FORMS["JSON lines"][:-8])
    assert events_of(loaded) == EVENTS[:2]
    assert len(loaded.notices) == 1


def test_a_compressed_file_that_breaks_off_is_read_to_there():
    lines = own(header_line({}), *({"t": n, "event": {"n": n}} for n in range(400)))
    whole = gzip.compress(lines.encode())
    loaded = read(whole[:-200])
    assert 0 < len(loaded.entries) < 400
    assert loaded.notices[0] == "the compressed file breaks off"


def test_a_compressed_file_that_is_damaged_later_is_read_to_there():
    loaded = read(gzip.compress(LINES.encode()) + b"rubbish at the end")
    assert events_of(loaded) == EVENTS
    assert loaded.notices == ["the compressed file is damaged at its end"]


PROVIDER = 'event: message_start\ndata: {"type":"message_start"}\n\n'


def test_a_dump_of_a_provider_is_kept_as_its_wire():
    loaded = read(PROVIDER)
    assert loaded.entries == [Entry(0.0, "wire", {"round": 1, "text": PROVIDER})]
    assert len(loaded.notices) == 1


HEAD = header_line({})
WRONG: dict[str, tuple[str | bytes, str, int | None]] = {
    "nothing": ("", "x.jsonl is empty", None),
    "blanks": (" \n\n", "x.jsonl is empty", None),
    "prose": ("hello", "x.jsonl is no recording", 1),
    "a picture": (b"\x89PNG\r\n\x1a\n\xff\xfe", "is no recording", 1),
    "a number": ("3", "is no recording", 1),
    "no gzip": (b"\x1f\x8b\x00\x00", "is no gzip file", None),
    "an object": ('{"a": 1}', "neither a recording nor an event", None),
    "an array of numbers": ("[1]", "event 0 is no object", None),
    "chunks of nothing": ('{"chunks": [{}]}', "chunk 0 holds no event", None),
    "a newer format": (
        own({"kind": "aistream_nb recording", "format": 2}),
        "upgrade",
        1,
    ),
    "no format": (own({"kind": "aistream_nb recording"}), "names no format", 1),
    "an odd format": (
        own({"kind": "aistream_nb recording", "format": True}),
        "names no format",
        1,
    ),
    "a bad line": (
        own(HEAD, "{nonsense", {"t": 0, "event": {}}),
        "line 2: not JSON",
        2,
    ),
    "NaN": (own(HEAD, '{"t": NaN, "event": {}}', "{}"), "line 2: not JSON", 2),
    "a number for a line": (own(HEAD, "3"), "an object was due", 2),
    "no time": (own(HEAD, {"event": {}}), '"t" must be a number', 2),
    "a time before": (own(HEAD, {"t": -1, "event": {}}), '"t" must be a number', 2),
    "a boolean time": (own(HEAD, {"t": True, "event": {}}), '"t" must be a number', 2),
    "an endless time": (own(HEAD, {"t": 10**400, "event": {}}), '"t" must be', 2),
    "nothing happened": (own(HEAD, {"t": 0}), "nothing that happened", 2),
    "an event of text": (own(HEAD, {"t": 0, "event": "x"}), "must be an object", 2),
    "too deep": (own(HEAD, "[" * 100_000, "{}"), "line 2: not JSON", 2),
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_told_with_path_and_line(what):
    content, words, line = WRONG[what]
    with pytest.raises(RecordingError) as caught:
        read(content)
    assert words in str(caught.value)
    assert (caught.value.path, caught.value.line) == ("x.jsonl", line)


def test_a_huge_line_is_just_a_line():
    event = {"type": "X", "text": "x" * 3_000_000}
    assert events_of(read(own(HEAD, {"t": 0, "event": event}))) == [event]


@settings(max_examples=150)
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_rubbish_is_read_or_refused_and_nothing_else(content):
    with contextlib.suppress(RecordingError):
        read(content)


@settings(max_examples=60)
@given(st.integers(0, len(LINES.encode())))
def test_a_recording_cut_anywhere_is_read_to_there(at):
    content = LINES.encode()[:at]
    try:
        loaded = read(content)
    except RecordingError:
        assert content.count(b"\n") == 0
    else:
        assert events_of(loaded) == EVENTS[: len(loaded.entries)]
