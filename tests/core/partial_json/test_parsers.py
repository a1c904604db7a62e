from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from aistream_nb.core.json_text import join_surrogates, parse_json
from aistream_nb.core.partial_json.parsers import (
    ArgumentsParser,
    PartialJSONParser,
    parse_partial_json,
    read_partial_arguments,
)
from aistream_nb.core.values import ABSENT

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('ae\\"\n é\U0001f600\ud83d\ude00{}[]:,', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text('ae\\"é\ud83d', max_size=3), inner, max_size=4)
    ),
    max_leaves=15,
)
SPACINGS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {"indent": 1},
        {"separators": (",", ":")},
        {"ensure_ascii": False},
        {"ensure_ascii": False, "separators": (" , ", " : ")},
    ]
)


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    return json.dumps(draw(JSON_VALUES), **draw(SPACINGS))


def said(value: Any) -> str:
    """Text that tells apart 1, 1.0 and true."""
    if value is ABSENT:
        return "absent"
    return join_surrogates(json.dumps(value, ensure_ascii=False))


def is_strict(text: str) -> bool:
    try:
        parse_json(text)
    except ValueError:
        return False
    return True


def repaired(text: str) -> Any:
    """The tracker's rule by brute force: cut back until closing what is open helps."""
    for end in range(len(text), 0, -1):
        cut = text[:end]
        is_in_string = close(cut)[end : end + 1] == '"'
        for rest in ("",) if is_in_string else ("", *rests_of_words(cut)):
            closed = close(cut + rest)
            if is_strict(closed):
                return json.loads(join_surrogates(closed))
    return {}


def rests_of_words(text: str) -> list[str]:
    words = [
        (w[:cut], w[cut:]) for w in ("true", "false", "null") for cut in (1, 2, 3, 4)
    ]
    return [rest for begun, rest in words if text.endswith(begun)]


def close(text: str) -> str:
    """``text`` with the quote and the brackets that are missing."""
    closers: list[str] = []
    in_string = escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif in_string:
            escaped, in_string = character == "\\", character != '"'
        elif character == '"':
            in_string = True
        elif character in "{[":
            closers.append("}" if character == "{" else "]")
        elif character in "}]":
            closers.pop()
    return text + '"' * in_string + "".join(reversed(closers))


# ---------------------------------------------------------------- every prefix


@settings(max_examples=150, deadline=None)
@given(json_texts(), st.integers(1, 9))
@example('{"a": -1.5e+10, "b": [-2, 30, 4E2], "b": {"c": "\\ud83d\\ude00"}}', 1)
@example('["\ud83d', 1)
@example('["\\ud83d\ude00\\udE00", [ ], { } ]', 1)
def test_pieces_give_what_the_whole_prefix_gives(text: str, size: int):
    preview, arguments = PartialJSONParser(), ArgumentsParser()
    for start in range(0, len(text), size):
        prefix = text[: start + size]
        preview.receive(text[start : start + size])
        arguments.receive(text[start : start + size])
        assert said(preview.value) == said(parse_partial_json(prefix))
        whole = read_partial_arguments(prefix)
        assert whole.path == arguments.path
        assert whole.state == arguments.state
        assert (whole.value is not ABSENT) == arguments.readable
        if arguments.readable:
            assert said(arguments.value) == said(whole.value)
        assert arguments.complete == is_strict(prefix)


@settings(max_examples=60, deadline=None)
@given(st.lists(JSON_VALUES, max_size=3), SPACINGS, st.integers(1, 5))
def test_arguments_are_what_cutting_back_and_closing_gives(
    value: list[Any], spacing: dict[str, Any], size: int
):
    text = json.dumps(value, **spacing)[:150]
    parser = ArgumentsParser()
    for start in range(0, len(text), size):
        parser.receive(text[start : start + size])
        assert said(parser.value) == said(repaired(text[: start + size]))


@settings(max_examples=100, deadline=None)
@given(json_texts(), st.integers(1, 80))
def test_a_whole_text_is_what_strict_json_says_it_is(text: str, size: int):
    preview, arguments = PartialJSONParser(), ArgumentsParser()
    for start in range(0, len(text), size):
        preview.receive(text[start : start + size])
        arguments.receive(text[start : start + size])
    expected: Any = json.loads(join_surrogates(text))
    assert said(preview.value) == said(expected)
    assert arguments.complete
    if isinstance(expected, (dict, list)):
        assert said(arguments.value) == said(expected)


@settings(max_examples=100, deadline=None)
@given(json_texts(), st.integers(0, 200), st.text('{}[]",:\\e1 \nx', max_size=4))
def test_no_garbage_makes_the_arguments_raise_or_take_back(
    text: str, at: int, inserted: str
):
    text = text[:at] + inserted + text[at:]
    parser = ArgumentsParser()
    for end in range(1, len(text) + 1):
        parser.receive(text[end - 1])
        whole = read_partial_arguments(text[:end])
        assert parser.complete == is_strict(text[:end])
        assert (whole.value is not ABSENT) == parser.readable
        if parser.readable:
            assert said(parser.value) == said(whole.value)


# ---------------------------------------------------------------- the preview


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", ABSENT),
        ("\u00a0\ufeff\n", ABSENT),
        ("\u00a0[1]\u00a0", [1]),
        ('{"a": "x ', {"a": "x"}),
        ('{"a":[ ],"b":1}', {"a": [], "b": 1}),
        ('{"a":[ ],"b":1', {"a": [], "b": 1}),
        ('{"a":1.', {}),
        ('{"a":1,"a":2.', {"a": 1}),
        ('{"a":1E', {}),
        ('{"a":1.5e-', {"a": 1.5}),
        ("-", ABSENT),
        ("nul", None),
        ('{"a":1} tail', {"a": 1}),
        ("1 tail", ABSENT),
        ('{"__proto__":1', {"__proto__": 1}),
    ],
)
def test_the_preview_says_what_the_processor_wants(text: str, value: object):
    assert said(parse_partial_json(text)) == said(value)


def test_white_space_at_the_end_waits_for_what_follows():
    parser = PartialJSONParser()
    for piece in ('["a', " ", "\u00a0", ""):
        parser.receive(piece)
        assert parser.value == ["a"]
    parser.receive(" b")
    assert parser.value == ["a \u00a0 b"]


def test_nothing_is_read_before_the_value_is_asked_for():
    parser = PartialJSONParser()
    for piece in ("\n", '{"a"', ": 1", "2}"):
        parser.receive(piece)
    assert parser.value == {"a": 12}
    assert parser.value == {"a": 12}


def test_the_value_is_a_live_view_and_a_snapshot_is_not():
    for parser in (PartialJSONParser(), ArgumentsParser()):
        parser.receive('{"a": [1, {"b": "x')
        live, snapshot = parser.value, parser.snapshot()
        parser.receive('y"}, 2], "c": 1')
        assert parser.value is live
        assert live == {"a": [1, {"b": "xy"}, 2], "c": 1}
        assert snapshot == {"a": [1, {"b": "x"}]}


def test_a_text_that_is_held_is_not_changed():
    parser = PartialJSONParser()
    parser.receive('["abc')
    value: Any = parser.value
    held = value[0]
    parser.receive('def"]')
    assert parser.value == ["abcdef"]
    assert held == "abc"


# ---------------------------------------------------------------- the arguments


def read(text: str) -> ArgumentsParser:
    parser = ArgumentsParser()
    for character in text:
        parser.receive(character)
        parser.value  # noqa: B018  # reading is what moves it
    return parser


def test_a_lone_minus_is_a_number_that_is_not_there_yet():
    parser = read('{"a":-')
    assert (parser.value, parser.path) == ({}, ("a",))
    parser.receive("1,")
    assert (parser.value, parser.path) == ({"a": -1}, ())
    assert read("[1,-").path == ("1",)


@pytest.mark.parametrize(
    ("text", "path", "state"),
    [
        ('{"a":"x"', ["a"], "complete"),
        ('{"a":"x"', ["a", "b"], "complete"),  # below a scalar: the scalar's
        ('{"a":"x', ["a", "b"], "partial"),
        ('{"a":1', ["a"], "partial"),
        ('{"a":1,', ["a"], "complete"),
        ('{"a":[[1],2', ["a", 0], "complete"),
        ('{"a":[[1],2', ["a", 0, "0"], "complete"),
        ('{"a":[[1],2', ["a", 1], "partial"),
        ('{"a":[[1],2', ["a", "x"], "partial"),
        ('{"a":[[1],2', ["a", 7], "partial"),
        ('{"a":{}', ["a", "b"], "partial"),  # absent: can come until all is complete
        ('{"a":{}}', ["a", "b"], "complete"),
        ('{"a":1,"a":[', ["a"], "partial"),
        ("12", [], "complete"),
        ("nul", [], "partial"),
        ("true", ["x"], "complete"),
        ("", [], "partial"),
    ],
)
def test_a_field_is_final_when_it_cannot_change(text: str, path: list[Any], state: str):
    assert read(text).field_state(path) == state


def test_fields_are_found_by_key_and_by_index():
    parser = read('{"a":[{"b":"x"}],"0":null')
    assert parser.get(["a", 0, "b"]) == "x"
    assert parser.get(["a", "0", "b"]) == "x"
    assert parser.get([0]) is None
    assert parser.get([]) == parser.value
    for nowhere in (["x"], ["a", 1], ["a", "-1"], ["a", "²"], ["a", 0, "b", "c"]):
        assert parser.get(nowhere) is ABSENT


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":1} x', {"a": 1}),
        ('{"a":"x\ny', {"a": "x"}),
        ('{"a":"x\\qy', {"a": "x"}),
        ('{"a":12x', {"a": 12}),
        ('{"a":1.x', {"a": 1}),
        ('{"a":-x', {}),
        ('{"a":trx', {"a": True}),
        ("{'a", {}),
        ('{"a"}'[:-1] + "x", {}),
    ],
)
def test_broken_text_keeps_what_stood_before_the_break(text: str, value: object):
    parser = read(text)
    assert parser.value == value
    assert parser.readable
    assert parser.state == "partial"
    parser.receive('"b": 2')
    assert parser.value == value


def test_broken_text_that_closes_gives_no_value_and_the_last_one_stays():
    parser = read('{"a":1, b')
    assert parser.readable
    parser.receive(":2}")
    assert not parser.readable
    assert parser.value == {"a": 1}
    assert read_partial_arguments('{"a":1, b:2}').value is ABSENT
    parser.receive("]")
    assert not parser.readable


def test_scalars_are_complete_but_no_arguments():
    parser = read('"x"')
    assert (parser.value, parser.readable, parser.complete) == ({}, False, True)
    parser.receive(" ")
    assert parser.complete
    parser.receive("1")
    assert not parser.complete
    assert not read(" ").readable
    assert not read("\ufeff1").complete
    assert not read("NaN").complete
    assert read("").readable


def test_the_parts_of_a_reading_are_there_at_once():
    reading = read_partial_arguments('{"a":{"b":"x', [["a"], ["a", "b"], ["c"]])
    assert reading.value == {"a": {"b": "x"}}
    assert reading.state == "partial"
    assert reading.path == ("a", "b")
    assert set(reading.fields.values()) == {"partial"}
    assert read_partial_arguments("[]").fields == {}
