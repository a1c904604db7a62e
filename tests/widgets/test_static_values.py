"""Values without a script: facts, records, text; escaped and cut."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.widgets.static_values import facts_html, value_html

LIMIT = 1000


@pytest.mark.parametrize(
    ("value", "there", "missing"),
    [
        ({"a": 1, "<b>": "<i>"}, ["<td", "&lt;b&gt;", "&lt;i&gt;"], ["<i>", "<pre"]),
        (
            [{"a": 1}, {"a": None, "b": "x"}],
            ["<th", ">a</th>", ">b</th>", ">x</td>"],
            [],
        ),
        ([{"a": [1]}], ["<pre"], ["<th"]),
        ([1, 2], ["<pre"], ["<th"]),
        ([], ["<pre"], []),
        ({}, ["<pre"], []),
        ("text & more", ["text &amp; more"], ["<td"]),
        ([{str(number): 1 for number in range(13)}], ["<pre"], ["<th"]),
    ],
)
def test_a_value_gets_the_shape_that_suits_it(
    value: Any, there: list[str], missing: list[str]
) -> None:
    html = value_html(value, limit=LIMIT)
    assert all(piece in html for piece in there)
    assert not any(piece in html for piece in missing)


def test_facts_nest_and_stop_at_a_depth() -> None:
    deep: Any = {"e": 1}
    for name in "dcba":
        deep = {name: deep}
    html = facts_html(deep, limit=LIMIT)
    assert html.count("<table") == 4
    assert "&quot;e&quot;: 1" in html
    assert facts_html({}, limit=LIMIT) == ""


def test_what_is_long_is_cut() -> None:
    assert "more characters" in value_html("x" * 2000, limit=LIMIT)
    assert "more characters" in facts_html({"a": "x" * 2000}, limit=LIMIT)
