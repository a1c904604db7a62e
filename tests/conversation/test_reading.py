from __future__ import annotations

import pytest

from aistream_nb.conversation.reading import (
    as_processed,
    mapping_at,
    mappings,
    seconds,
    text_from,
)


@pytest.mark.parametrize("stamp", [None, True, "1", [], {}])
def test_a_timestamp_that_is_no_number_is_none(stamp: object):
    assert seconds({"timestamp": stamp}) is None


def test_milliseconds_become_seconds():
    assert seconds({"timestamp": 1500}) == 1.5


def test_only_objects_are_read():
    assert mappings([{"a": 1}, 2, None]) == ({"a": 1},)
    assert mappings("no list") == ()
    assert mapping_at([], "a") == {}


def test_a_result_without_the_mark_is_handed_on_as_it_is():
    event = {"type": "TOOL_CALL_RESULT", "metadata": {"aistream": {"isError": 1}}}

    assert as_processed(event) is event


def test_a_marked_result_reads_as_failed():
    event = {"metadata": {"aistream": {"isError": True}}}

    assert as_processed(event)["state"] == "output-error"


@pytest.mark.parametrize("moment", [10**400, -(10**400), 1e300, float("inf")])
def test_a_time_beyond_all_times_is_none(moment: float):
    assert seconds({"timestamp": moment}) is None


def test_text_is_made_of_whatever_a_stranger_sent():
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]
    given = ("a", "", None, 7, {"a": [1]}, deep)
    assert [text_from(value) for value in given] == [
        *("a", "", "", "7", '{"a":[1]}', "<list>"),
    ]
