"""The lenient reader against a plain transcription of the specification.

The transcription below works on whole text, recurses and looks ahead as it likes; the
reader gets the same text in pieces and is asked after each.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.json_text import JS_WHITESPACE, join_surrogates
from aistream_nb.core.partial_json.lenient import LenientReader
from aistream_nb.core.partial_json.parsers import PartialJSONParser, parse_partial_json
from aistream_nb.core.values import ABSENT

WORDS = {
    "null": None,
    "true": True,
    "false": False,
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
    "NaN": float("nan"),
}


class FailError(Exception):
    """FAIL of section 10."""


def refuse(word: str) -> NoReturn:
    raise ValueError(word)


def strict(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        raise FailError from None


class Transcription:
    """Section 10, line by line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def left(self) -> str:
        return self.text[self.at :]

    def skip(self, characters: str) -> None:
        while self.left and self.left[0] in characters:
            self.at += 1

    def value(self) -> Any:
        self.skip(" \t\n\r")
        if not self.left:
            raise FailError
        readers = {'"': self.string, "{": self.object, "[": self.array}
        if self.left[0] in readers:
            return readers[self.left[0]]()
        for word, meant in WORDS.items():
            is_cut = len(self.left) < len(word) and word.startswith(self.left)
            if self.left.startswith(word) or (is_cut and self.left != "-"):
                self.at += len(word)
                return meant
        return self.number()

    def number(self) -> Any:
        start = self.at
        if start:
            self.at += len(re.split(r"[,\]}]", self.left)[0])
        try:
            return strict(self.text[start : self.at] if start else self.text)
        except FailError:
            last_e = self.text.rfind("e")
            if last_e < start:
                raise
            return strict(self.text[start:last_e])

    def string(self) -> Any:
        start = self.at
        self.at += 1
        while self.left and self.left[0] != '"':
            self.at += 2 if self.left[0] == "\\" else 1
        if self.left:
            self.at += 1
            return strict(self.text[start : self.at])
        is_dangling = self.at > len(self.text)
        self.at = len(self.text)
        try:
            return strict(self.text[start : -1 if is_dangling else None] + '"')
        except FailError:
            return strict(self.text[start : max(self.text.rfind("\\"), start)] + '"')

    def object(self) -> Any:
        members: dict[str, Any] = {}
        self.at += 1
        self.skip(" \t\n\r")
        try:
            while self.left[:1] != "}":
                self.skip(" \t\n\r")
                key = self.string() if self.left else self.value()
                self.skip(" \t\n\r")
                self.at += self.left[:1] < "\U00010000"
                members[key] = self.value()
                self.skip(" \t\n\r")
                self.at += self.left[:1] == ","
        except FailError:
            return members
        self.at += 1
        return members

    def array(self) -> Any:
        items: list[Any] = []
        self.at += 1
        try:
            while self.left[:1] != "]":
                items.append(self.value())
                self.skip(" \t\n\r")
                self.at += self.left[:1] == ","
        except FailError:
            return items
        self.at += 1
        return items


def transcribed(text: str) -> Any:
    text = text.strip(JS_WHITESPACE)
    try:
        return strict(text)
    except FailError:
        pass
    try:
        return Transcription(text).value()
    except FailError:
        return ABSENT


def said(value: Any) -> str:
    """Text that tells apart 1, 1.0 and true, and that NaN equals."""
    if value is ABSENT:
        return "absent"
    return join_surrogates(json.dumps(value, ensure_ascii=False))


PIECES = [
    *'{}[]",:\\ entfIN-+.0123456789\n\t\x01uxE',
    *("é", "\U0001f600", "\ud83d", "\ude00", "\u00a0", "1e", "1e5", "0.5", "-Infinity"),
    *("\\u00", "\\ud83d", "\\ude00", "\\n", "\\\\", '\\"', "null", "true", "NaN"),
    *('"a":', ', "', '"e": ', "[1e,", '{"k":', "}, ", "]] "),
]
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('ae\\"\n é\U0001f600\ud83d\ude00{}[]:,', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["a", "e", "key", "", "é\n"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)
SPACINGS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {"indent": 1},
        {"separators": (",", ":")},
        {"ensure_ascii": False},
        {"ensure_ascii": False, "indent": 2},
    ]
)


@st.composite
def garbage(draw: st.DrawFn) -> str:
    """JSON text with some of it cut out and some garbage put in; or only garbage."""
    text = json.dumps(draw(JSON_VALUES), **draw(SPACINGS))
    if draw(st.integers(0, 3)) == 0:
        text = ""
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        stop = start + draw(st.integers(0, 3))
        inserted = draw(st.lists(st.sampled_from(PIECES), max_size=6))
        text = text[:start] + "".join(inserted) + text[stop:]
    return text


def has_spaced_empty_array(text: str) -> bool:
    # The one place where text that may become JSON is read better than section 10.
    return re.search(r"\[[ \t\n\r]+\]", text) is not None


@settings(max_examples=300, deadline=None)
@given(garbage(), st.integers(1, 7))
def test_any_text_in_any_pieces_is_read_as_the_specification_reads_it(
    text: str, size: int
):
    parser = PartialJSONParser()
    for start in range(0, len(text), size):
        prefix = text[: start + size]
        parser.receive(text[start : start + size])
        if not has_spaced_empty_array(prefix):
            assert said(parser.value) == said(transcribed(prefix)), ascii(prefix)
        assert said(parser.value) == said(parse_partial_json(prefix)), ascii(prefix)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1e,"b":"x","key":[1e,2],"c":1e}',
        "[[1e,[1e,[1e,[1e,1e],e],{},tr",
        '{"o":{"a":1,"a":1e},"b":[1e]} and an e, long after',
        '[1, {"a": 1e, "b": [2, 3], "c": "xx',
        '{"a":"b\\x and \\" more", "c": 1}',
        '["a\\\\\x01 b\\n", 1]',
        '["a\\u0041\x01 b\\n", 1]',
        '["\\ud83d\\ude00\x01 b',  # cut between the halves of one character
        '{"a" "b": "kept", "c": "grown and grown',
        "{'a': 1}",
        '{"a"\U0001f600"b", "c": 1}',
        '{"a"  x  1, "b"',
        "- -I -Infinity",
        "[-, -I, 1]",
        "[-Infinity, NaN, Infinityx, nul",
        "12 e3 e",
        "12e5e and no more",
        "x",
        '"a" "b"',
        "{} e [",
        '{\\"a": 1}',
        '{"a":1,"a":"\x01"}',
        '{"a":1,"a":tx}',
        '{"a\x01b":1, "c": 2}',
        '{"a":[ ],"b":1} x',
        "\u00a0 [1, \u00a02]\u00a0",
        '["a \u00a0',
    ],
)
def test_odd_texts_are_read_character_by_character_as_when_they_are_whole(text: str):
    parser = PartialJSONParser()
    reader = LenientReader()
    for end in range(1, len(text) + 1):
        parser.receive(text[end - 1])
        assert said(parser.value) == said(parse_partial_json(text[:end]))
        if not has_spaced_empty_array(text[:end]):
            assert said(parser.value) == said(transcribed(text[:end]))
    for piece in re.findall(r"\S\s*", text.strip(JS_WHITESPACE)):
        assert reader.receive(piece.rstrip(JS_WHITESPACE)) == ""


def test_each_e_undoes_the_last_guess_and_nothing_more():
    parser = PartialJSONParser()
    parser.receive('{"kept":[0],"a":[1,{"b":1e},"x')
    assert parser.value == {"kept": [0], "a": [1, {"b": 1}, "x"]}
    parser.receive("e")
    assert parser.value == {"kept": [0], "a": [1, {}]}


def steps_of(text: str, size: int) -> int:
    """How many function calls the reader spends on ``text``: a clock without noise."""
    parser = PartialJSONParser()
    count = 0

    def count_call(_frame: Any, _event: str, _argument: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(count_call)
    try:
        for start in range(0, len(text), size):
            parser.receive(text[start : start + size])
            assert parser.value is not None
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "unit",
    ["[1e,", '{"a":1e,', '["x" "y",', '{"a" 1},', "x", "[[1e]", '"a\\x', "1e", "[- "],
)
def test_garbage_costs_as_much_as_its_length(unit: str):
    small, large = (steps_of("[" + unit * n, 3) for n in (300, 1200))
    assert large < 5 * small


def test_ten_thousand_levels_of_garbage_are_no_deeper_than_one():
    parser = PartialJSONParser()
    parser.receive('{"a" "b":' + "[" * 10_000 + '"x" "y')
    parser.receive("z")
    value: Any = parser.value
    assert value == {}
    parser = PartialJSONParser()
    parser.receive('["a" "b",' + "[" * 10_000 + '"x" "y')
    parser.receive("z")
    value = parser.value
    assert value[:2] == ["a", "b"]
    depth = 0
    while value[-1] != "yz":
        value, depth = value[-1], depth + 1
    assert depth == 10_000
