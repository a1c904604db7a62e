from __future__ import annotations

import pytest

from aistream_nb.core.partial_json.grammar import GrammarReader
from aistream_nb.core.values import ABSENT, Absent


def nothing(_token: str) -> Absent:
    return ABSENT


def read(*pieces: str) -> GrammarReader:
    reader = GrammarReader(unfinished=nothing)
    for piece in pieces:
        reader.receive(piece)
    return reader


def test_there_is_no_value_before_one_begins():
    assert read().root == []
    assert read(" \n", "", "-").root == []
    assert read('"').root == [""]


@pytest.mark.parametrize(
    ("text", "fault", "unread"),
    [
        ("[1}", "broken", "}"),
        ("[1 2]", "broken", "2]"),
        ('{"a" 1', "broken", "1"),
        ('{"a":1,}', "broken", "}"),
        ("[,", "broken", ","),
        ("[tx", "broken", "tx"),
        ("[1.]", "broken", "1.]"),
        ('["\x01', "broken", "\x01"),
        ('["\\q', "broken", "\\q"),
        ('["\\u00g', "broken", "\\u00g"),
        ("[] ]", "overrun", "]"),
        ("1 1", "overrun", "1"),
    ],
)
def test_a_fault_tells_what_was_not_read_and_lasts(text: str, fault: str, unread: str):
    reader = GrammarReader(unfinished=nothing)
    assert reader.receive(text) == unread
    assert reader.fault == fault
    root = list(reader.root)
    assert reader.receive("more") == "more"
    assert reader.root == root
    assert not reader.complete


def test_a_value_that_covers_another_gives_it_back():
    reader = read('{"a":"first","b":0,"a":1')
    assert reader.root == [{"a": 1, "b": 0}]
    reader.receive(".")
    assert reader.root == [{"a": "first", "b": 0}]
    reader.receive("5")
    assert reader.root == [{"a": 1.5, "b": 0}]


@pytest.mark.parametrize("cut", range(1, 120))
def test_a_long_piece_is_read_the_same_wherever_it_is_cut(cut: int):
    text = (
        '{"rows": [{"id": 1, "n": null, "ok": [true, []]}, {"id": 2}], '
        '"é": "\\ud83d\\ude00" ,"o":{ }, "long": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'
        'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"} '
    )
    reader = read(text[:cut], text[cut:])
    assert reader.complete
    assert reader.root == read(*text).root


def test_vain_tries_with_the_scanner_are_bounded():
    reader = read("[" * 50_000)
    assert len(reader.path) == 49_999
    reader = read('[{"a": [NaN]}, ' + " " * 100)
    assert reader.fault == "broken"
    assert reader.root == [[{"a": []}]]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ()),
        ("[", ()),
        ("[[", ("0",)),
        ("[1", ("0",)),
        ("[1,-", ("1",)),
        ("[t", ()),
        ('{"a', ()),
        ('{"a\\', ()),
        ('{"a":"\\', ("a",)),
        ('{"a":[0,{"b":"', ("a", "1", "b")),
        ('"text', ()),
        ("12", ()),
    ],
)
def test_the_path_leads_to_what_may_still_grow(text: str, path: tuple[str, ...]):
    assert read(text).path == path
    assert read(*text).path == path
