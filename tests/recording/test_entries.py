from __future__ import annotations

from aistream_nb.recording.entries import Entry, wire_rounds


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
