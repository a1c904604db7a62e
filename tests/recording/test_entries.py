from __future__ import annotations

from aistream_nb.recording.entries import (
    Entry,
    Lines,
    count_rounds,
    text_of,
    wire_rounds,
)
from aistream_nb.recording.request_bodies import Grown


def test_an_entry_knows_what_it_is():
    event = Entry(0.5, "event", {"type": "RUN_STARTED"})
    wire = Entry(0.5, "wire", {"round": 1})
    assert (event.event, event.wire) == ({"type": "RUN_STARTED"}, None)
    assert (wire.event, wire.wire) == (None, {"round": 1})
    assert Entry(0.5, "event", "text").event is None


def test_the_exchanges_of_a_run_are_put_together():
    entries = [
        Entry(0.0, "wire", {"round": 1, "request": {"url": "u"}}),
        Entry(0.1, "wire", {"round": 1, "response": {"status": 200}}),
        Entry(0.2, "wire", {"round": 1, "text": "é"}),
        Entry(0.3, "event", {"type": "RUN_STARTED"}),
        Entry(0.4, "wire", {"round": 2, "text": "x"}),
        Entry(0.5, "wire", {"round": 1, "base64": "/w=="}),
    ]
    first, second = wire_rounds(entries)
    assert first.request == {"url": "u"}
    assert first.response == {"status": 200}
    assert first.chunks == [(0.2, "é".encode()), (0.5, b"\xff")]
    assert first.body == "é".encode() + b"\xff"
    assert (second.round, second.request, second.body) == (2, None, b"x")


def test_odd_members_of_the_wire_are_passed_over():
    entries = [
        Entry(0.0, "wire", {"text": "no round"}),
        Entry(0.0, "wire", {"round": 1, "request": "text", "base64": "???"}),
        Entry(0.0, "wire", {"round": 1, "text": 3}),
    ]
    (one,) = wire_rounds(entries)
    assert (one.request, one.chunks) == (None, [])


def asked(number: object, body: object) -> Entry:
    return Entry(0.0, "wire", {"round": number, "request": {"body": body}})


def test_an_entry_is_seen_whole_whatever_it_shares():
    entry = asked(2, {"messages": Grown(["a"], 1, ["b"]), "model": "m"})
    whole = {"round": 2, "request": {"body": {"messages": ["a", "b"], "model": "m"}}}

    assert entry.value == entry.wire == whole
    assert isinstance(entry.value["request"]["body"]["messages"], list)
    assert entry.to_line() == (
        '{"t":0,"wire":{"round":2,"request":{"body":'
        '{"messages":["a","b"],"model":"m"}}}}'
    )


def test_only_an_object_that_follows_a_numbered_one_tells_less():
    lines = Lines()
    told = [
        asked(1, "text"),
        asked(1, {"a": 1}),
        asked(2, "text"),
        asked("x", {"a": 1}),
        asked(3, {"a": 1}),
        asked(4, {"b": 1}),
        Entry(0.0, "wire", "odd"),
        Entry(0.0, "note", {"a": 1}),
        asked(5, {"b": 1}),
    ]
    repeated = ["as_before" in lines.line(one) for one in told]
    assert [at for at, is_one in enumerate(repeated) if is_one] == [3, 8]


def test_the_text_of_a_file_goes_on_where_it_ended():
    lines = Lines()
    assert text_of({}, [asked(1, {"a": 1})], lines=lines).count("\n") == 2
    assert '"as_before":{"round":1,"body":{"a":true}}' in lines.line(asked(2, {"a": 1}))


def test_rounds_are_counted_as_they_are_found():
    entries = [
        asked(1, {}),
        asked(1, {}),
        asked(2, {}),
        asked("x", {}),
        Entry(0.0, "event", {"round": 9}),
        Entry(0.0, "wire", "odd"),
    ]
    assert count_rounds(entries) == len(wire_rounds(entries)) == 2
