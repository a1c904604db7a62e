from __future__ import annotations

from aistream_nb.core.normalise.fields import (
    id_text,
    json_of,
    usage_entry,
    with_tanstack,
)


def test_usage_has_today_s_names_and_only_what_was_counted():
    assert usage_entry({"promptTokens": 1, "totalTokens": 3, "other": 4}) == {
        "inputTokens": 1,
        "totalTokens": 3,
    }


def test_what_is_moved_stands_among_what_is_there():
    assert with_tanstack({"k": 1, "tanstack": {"a": 1}}, {"b": 2}) == {
        "k": 1,
        "tanstack": {"a": 1, "b": 2},
    }
    assert with_tanstack(None, {"b": 2}) == {"tanstack": {"b": 2}}
    assert with_tanstack({"tanstack": 3}, {"b": 2}) == {"tanstack": {"b": 2}}


def test_a_value_without_json_is_null():
    assert json_of({"a": 1}) == '{"a":1}'
    assert json_of({1, 2}) == "null"


def test_an_id_that_is_no_text_is_told_from_others():
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]
    assert [id_text(value) for value in ("a", 7, 7.0, None)] == ["a", "7", "7", "null"]
    assert id_text(deep) == "null"
