from __future__ import annotations

from typing import Any

from aistream_nb.recording.compaction import compact_entries
from aistream_nb.recording.entries import Entry


def said(delta: object, **more: Any) -> Entry:
    event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta, **more}
    return Entry(0.0, "event", event)


def compacted(*entries: Entry) -> list[Any]:
    return [one.value for one in compact_entries(entries)]


def test_neighbouring_deltas_of_one_item_are_joined():
    (one,) = compacted(said("a"), said("b", timestamp=3), said("c"))
    assert one["delta"] == "abc"


def test_the_first_time_counts():
    first = Entry(0.5, "event", said("a").value)
    second = Entry(0.9, "event", said("b").value)
    assert compact_entries([first, second])[0].t == 0.5


def test_what_is_not_alike_stays_apart():
    other = said("b", messageId="n")
    assert len(compacted(said("a"), other, said("c"))) == 3
    assert len(compacted(said("a"), said("b", metadata=1))) == 2
    assert len(compacted(said("a"), said(None))) == 2
    ended = Entry(0.0, "event", {"type": "TEXT_MESSAGE_END", "messageId": "m"})
    assert len(compacted(ended, ended)) == 2
    odd = Entry(0.0, "event", "text")
    assert len(compacted(odd, odd)) == 2
    assert len(compacted(Entry(0.0, "note", 1), Entry(0.0, "note", 1))) == 2


def test_the_older_dialect_keeps_its_running_text():
    (one,) = compacted(said("a", content="a"), said("b", content="ab"))
    assert (one["delta"], one["content"]) == ("ab", "ab")


def test_a_character_in_two_halves_is_whole_afterwards():
    (one,) = compacted(said("\ud83d"), said("\ude00"))
    assert one["delta"] == "\U0001f600"


def test_wire_and_events_are_joined_each_for_itself():
    def wire(text: str, number: int = 1, **more: Any) -> Entry:
        return Entry(0.0, "wire", {"round": number, "text": text, **more})

    made = compacted(wire("a"), said("x"), wire("b"), said("y"), wire("c", 2))
    assert [one.get("text") or one["delta"] for one in made] == ["ab", "xy", "c"]
    assert len(compacted(wire("a"), wire("b", request={}))) == 2


def test_members_of_another_kind_are_left_as_they_are():
    entries = [
        Entry(0.0, "event", {"type": ["TEXT_MESSAGE_CONTENT"], "delta": "a"}),
        Entry(0.0, "event", {"type": ["TEXT_MESSAGE_CONTENT"], "delta": "b"}),
        Entry(0.0, "wire", {"round": 1, "text": None}),
        Entry(0.0, "wire", {"round": 1, "text": "b"}),
    ]
    assert compact_entries(entries) == entries
