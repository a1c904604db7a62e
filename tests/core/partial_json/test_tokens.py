from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.partial_json.tokens import (
    NUMBER_LIMIT,
    decode_run,
    grow_text,
    is_plain,
    match_number_start,
    match_string_run,
    read_number,
    scan_value,
)
from aistream_nb.core.values import ABSENT


@pytest.mark.parametrize(
    "token",
    ["", "-", "01", "-01", "1.", ".5", "1e", "1e+", "+1", "1_0", "²", "1 ", "1.e5"],
)
def test_what_is_no_number_is_absent(token: str):
    assert read_number(token) is ABSENT


def test_numbers_keep_their_kind():
    assert repr(read_number("-0")) == "0"
    assert repr(read_number("-0.0")) == "-0.0"
    assert repr(read_number("1e2")) == "100.0"
    assert read_number("9" * NUMBER_LIMIT) == 10**NUMBER_LIMIT - 1
    assert read_number("9" * (NUMBER_LIMIT + 1)) is ABSENT


@pytest.mark.parametrize(
    ("text", "begun"),
    [("-", "-"), ("-1.5e+", "-1.5e+"), ("1.e5", "1."), ("012", "0"), ("1.5.5", "1.5")],
)
def test_a_number_begins_as_far_as_one_can_come_of_it(text: str, begun: str):
    assert match_number_start(text, 0)[0] == begun


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('ab"c', "ab"),
        ("ab\\", "ab"),
        ("ab\\u00e", "ab"),
        ("ab\\u00e9\\n\\x", "ab\\u00e9\\n"),
        ("a\x1fb", "a"),
        ("a\x7fb", "a\x7fb"),
    ],
)
def test_a_run_ends_before_what_is_not_whole(text: str, whole: str):
    assert match_string_run(text, 0)[0] == whole


def test_a_run_is_decoded_and_its_halves_are_joined():
    assert decode_run("plain é") == "plain é"
    assert decode_run('a\\"\\u00e9\\ud83d\\ude00') == 'a"é\U0001f600'
    assert decode_run("\ud83d\\ude00") == "\U0001f600"
    assert decode_run("\\ud83d") == "\ud83d"


@pytest.mark.parametrize("container", [{"k": "a"}, ["x", "a"]])
def test_text_grows_in_its_slot(container: Any):
    slot = "k" if isinstance(container, dict) else -1
    grow_text(container, slot, "b")
    grow_text(container, slot, "é\ud83d")
    grow_text(container, slot, "\ude00c")
    assert container[slot] == "abé\U0001f600c"


def test_a_half_that_comes_first_stays():
    container = {"k": ""}
    grow_text(container, "k", "\ude00")
    grow_text(container, "k", "\ude00")
    assert container["k"] == "\ude00\ude00"


def test_whole_values_are_scanned_and_others_are_not():
    assert scan_value("x[1, 2]y", 1) == ([1, 2], 7)
    for text in ("[1, 2", "[NaN]", "[" * 100_000 + "]" * 100_000, "[1,]", "]"):
        assert scan_value(text, 0) is None


def test_the_scanner_is_not_asked_where_it_would_read_otherwise():
    assert is_plain('["é"]')
    assert not is_plain('["\ud83d"]')
    assert is_plain('["' + "x" * 5_000)
    assert not is_plain("[1." + "0" * NUMBER_LIMIT)
