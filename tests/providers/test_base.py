"""What the adapters share."""

from __future__ import annotations

import pytest

from aistream_nb.providers.base import (
    WireRequest,
    parse_arguments,
    parse_object,
    scan_string,
    usage_from,
    whole_text,
)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ('{"a":1}', {"a": 1}),
        ('{"a":"\\ud83d"}', {"a": "\ud83d"}),
        ('{"a":12345678901234567890123}', {"a": 12345678901234567890123}),
        ("[1]", None),
        ("[DONE]", None),
        ('{"a":NaN}', None),
        ('{"a":1} x', None),
    ],
)
def test_an_object_is_read_strictly_and_generously(data, value):
    assert parse_object(data) == value


def test_deep_nesting_is_read_as_far_as_python_can():
    deep = f'{{"a":{"[" * 300}{"]" * 300}}}'
    assert parse_object(deep) is not None
    assert parse_object(f'{{"a":{"[" * 100_000}{"]" * 100_000}}}') is None


def test_arguments_are_an_object_or_a_problem():
    assert parse_arguments('{"a": 1.0}') == ({"a": 1.0}, None)
    assert parse_arguments("")[1] is None
    assert parse_arguments("null")[0] == {}
    assert "not a JSON object" in str(parse_arguments("null")[1])


def test_usage_reads_numbers_where_they_are_said_to_be():
    names = {"input_tokens": "a.b", "output_tokens": "c"}
    usage = usage_from({"a": {"b": 3}, "c": True}, names)
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (3, None)
    assert usage_from(None, names) is None


def test_a_string_is_scanned_from_its_first_character():
    assert scan_string('"a\\n" rest', 1) == ("a\n", 5)


def test_halves_of_a_character_meet():
    assert whole_text(["a\ud83d", "\ude00"]) == "a\U0001f600"


def test_private_members_are_not_shown():
    wire = WireRequest(url="u", body={"key": "k", "a": 1}, private=("key",))
    assert wire.shown_body == {"a": 1}
    assert "'k'" not in repr(wire)
