from __future__ import annotations

from aistream_nb.testing.words import parting, short, words


def test_a_value_that_is_no_json_is_shown_somehow():
    assert words({1, 2}) == "{1, 2}"


def test_what_is_long_is_cut():
    assert short("x" * 5000) == "x" * 300 + "…"
    assert short("x") == "x"


def test_texts_are_shown_from_shortly_before_the_place_where_they_part():
    was, now = parting("a" * 500 + "b", "a" * 500 + "c").splitlines()

    assert was == f"  was: …{'a' * 40 + 'b'!r}"
    assert now == f"  now: …{'a' * 40 + 'c'!r}"
    assert parting("same", "same and more").endswith("now: 'same and more'")
