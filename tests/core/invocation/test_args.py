"""Text that only grows: when it is whole, and what a new text is to the old one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core.invocation.args import ArgumentText, Reading, WholeJSON
from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import ABSENT

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)
NASTY = st.text(alphabet='{}[]":,\\ \n1a"', max_size=24)


def is_whole(text: str) -> bool:
    try:
        parse_json(text)
    except ValueError:
        return False
    return True


def cuts(text: str, sizes: list[int]) -> list[str]:
    """The text after each of several growths, whole at last."""
    ends, at = [], 0
    for size in sizes:
        at = min(len(text), at + size)
        ends.append(at)
    return [text[:end] for end in (*ends, len(text))]


@given(value=JSON, sizes=st.lists(st.integers(0, 9), max_size=30), pretty=st.booleans())
def test_whole_json_agrees_with_the_parser_after_every_growth(
    value: Any, sizes: list[int], *, pretty: bool
) -> None:
    text = json.dumps(value, indent=1 if pretty else None, ensure_ascii=False) + " "
    whole = WholeJSON()
    for prefix in cuts(text, sizes):
        assert whole.read(prefix) is is_whole(prefix)
    assert whole.value == value


@given(NASTY, st.lists(st.integers(0, 4), max_size=24))
def test_whole_json_agrees_with_the_parser_about_garbage(
    text: str, sizes: list[int]
) -> None:
    whole = WholeJSON()
    for prefix in cuts(text, sizes):
        assert whole.read(prefix) is is_whole(prefix)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\ufeff{}",
        "NaN",
        "Infinity",
        "{}x",
        "[1,]",
        "{]",
        "nul",
        '"a',
        "[" * 5000,
    ],
)
def test_what_is_not_strict_json_is_never_whole(text: str) -> None:
    assert not WholeJSON().read(text)


@pytest.mark.parametrize("text", ["1", '"a"', "null", " {} \r\n\t", "[]", "-0.5e3"])
def test_any_json_value_is_whole_and_space_around_it_does_not_matter(
    text: str,
) -> None:
    assert WholeJSON().read(text)


def test_an_escape_that_is_cut_in_two_does_not_end_the_string() -> None:
    whole = WholeJSON()
    texts = ('{"a":"}', '{"a":"}\\', '{"a":"}\\"', '{"a":"}\\"}', '{"a":"}\\"}"}')
    assert [whole.read(text) for text in texts] == [False, False, False, False, True]


def test_a_text_that_grows_is_read_once_and_not_from_the_start() -> None:
    text = json.dumps({"rows": [{"n": n, "s": "}" * 5} for n in range(20_000)]})
    whole = WholeJSON()
    for end in range(0, len(text), 100):
        assert not whole.read(text[:end])
    assert whole.read(text)


# ---------------------------------------------------------------- the text


def test_a_longer_text_adds_its_end() -> None:
    text = ArgumentText()
    assert text.receive('{"a"') is Reading.GREW
    assert text.receive('{"a"') is Reading.SAME
    assert text.receive('{"a":1}') is Reading.GREW
    assert (text.delta, text.complete, text.value) == (":1}", True, {"a": 1})


def test_another_text_changes_nothing() -> None:
    text = ArgumentText()
    text.receive('{"a":1')
    assert text.receive('{"b":1}') is Reading.OTHER
    assert (text.tracked, text.streamed) == ('{"a":1', '{"a":1')
    assert text.receive('{"a":12}') is Reading.GREW
    assert text.delta == "2}"


def test_the_same_value_in_another_way_is_tracked_and_not_streamed() -> None:
    text = ArgumentText()
    text.receive('{"a":1,"b":2}')
    assert text.receive('{"b":2,"a":1}') is Reading.EQUIVALENT
    assert text.receive('{"b":2,"a":1} ') is Reading.GREW
    assert text.streamed == '{"a":1,"b":2} '
    assert text.value == {"a": 1, "b": 2}
    assert list(text.value) == ["a", "b"]  # pyright: ignore[reportArgumentType] -- it is a dict


def test_unfinished_text_is_equivalent_to_nothing() -> None:
    text = ArgumentText()
    text.receive('{"a":1')
    assert not text.same_value('{"a":1')
    assert not text.same_value('{"a":1}')


def test_replacing_says_whether_the_value_stays() -> None:
    text = ArgumentText()
    text.receive('{"a":1}')
    assert text.replace('{"a":1.0}')
    assert not text.replace('{"a":2}')
    assert text.replace('{"a":2}')
    assert (text.tracked, text.streamed) == ('{"a":2}', '{"a":1}')


def test_empty_text_is_not_complete() -> None:
    text = ArgumentText()
    assert not text.complete
    assert text.value is ABSENT


def test_what_grows_after_it_was_written_in_another_way_is_streamed_too() -> None:
    text = ArgumentText()
    text.receive('{"a":1}')
    assert text.receive('{"a": 1}') is Reading.EQUIVALENT
    assert text.complete
    assert text.grow('{"a": 1} x') == " x"
    assert (text.streamed, text.tracked) == ('{"a":1} x', '{"a": 1} x')


@pytest.mark.parametrize("text", [None, 7, "", "{", '{"b"', '{"a":1}', '{"a":}\n'])
def test_what_takes_more_than_a_look_is_not_taken(text: object) -> None:
    known = ArgumentText()
    known.receive('{"a":')
    assert not known.complete
    assert known.grow(text) is None
    assert known.tracked == '{"a":'
    assert known.grow('{"a": ') == " "
