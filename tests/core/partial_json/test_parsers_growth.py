"""What partial JSON costs, and how deep it may be."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from aistream_nb.core.partial_json.parsers import (
    ArgumentsParser,
    PartialJSONParser,
    parse_partial_json,
)
from aistream_nb.core.values import ABSENT


def test_ten_thousand_levels_are_no_deeper_than_one():
    text = '{"a":[' * 10_000 + "1" + "]}" * 10_000
    preview, arguments = PartialJSONParser(), ArgumentsParser()
    for half in (text[:50_000], text[50_000:]):
        preview.receive(half)
        arguments.receive(half)
        assert preview.value is not ABSENT
        assert len(arguments.path) <= 20_000
    assert arguments.complete
    value: Any = preview.snapshot()
    for _ in range(10_000):
        value = value["a"][0]
    assert value == 1


def test_ten_million_characters_of_one_string_are_read_in_one_go_and_in_pieces():
    text = '{"content": "' + "0123456789" * 1_000_000
    value: Any = parse_partial_json(text)
    assert len(value["content"]) == 10_000_000
    parser = ArgumentsParser()
    for start in range(0, len(text), 50_000):
        parser.receive(text[start : start + 50_000])
        assert parser.path == ("content",)
    assert parser.value == value


def calls_of(pieces: list[str], parser: PartialJSONParser | ArgumentsParser) -> int:
    """How many function calls it costs to read after every piece: an exact clock."""
    count = 0

    def count_call(_frame: Any, _event: str, _argument: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(count_call)
    try:
        for piece in pieces:
            parser.receive(piece)
            parser.value  # noqa: B018  # reading is what costs
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("make", [PartialJSONParser, ArgumentsParser])
@pytest.mark.parametrize(
    "unit",
    [
        '{"id": 12, "name": "a b\\n", "x": [1.5, true]}, ',
        "[",
        '"long text ',
        "1",
        "   ",
        '"a\\u00e9',
        '{"k',
    ],
)
def test_a_stream_costs_as_much_as_its_length(unit: str, make: type[Any]):
    costs: list[int] = []
    for length in (3_000, 12_000):
        text = ("[" + unit * length)[:length]
        pieces = [text[start : start + 7] for start in range(0, length, 7)]
        costs.append(calls_of(pieces, make()))
    assert costs[1] < 5 * costs[0]


def test_a_piece_is_read_once_also_when_it_is_long():
    cut = '[[[{"a": [' * 2_000
    assert calls_of([cut], PartialJSONParser()) < 60 * 10_000


def test_a_number_longer_than_any_number_is_refused_and_bounded():
    parser = ArgumentsParser()
    for _ in range(1_000):
        parser.receive("[1" if not parser.path else "1234567890")
    assert parser.value == []
    assert not parser.complete
    assert parse_partial_json("[" + "1" * 5_000 + "]") == []
