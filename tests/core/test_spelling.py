from __future__ import annotations

import pytest

from aistream_nb.core.spelling import nearest

NAMES = ("reason", "delete_file", "deleteFolder", "path")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("raeson", "reason"),
        ("delete-file", "delete_file"),
        ("deletefile", "delete_file"),
        ("DELETE_FOLDER", "deleteFolder"),
        ("paht", None),
        ("pathh", "path"),
        ("ls", None),
        ("", None),
    ],
)
def test_a_name_is_offered_if_it_is_nearly_the_same(given: str, meant: str | None):
    assert nearest(given, NAMES) == meant


def test_a_name_that_nobody_could_mistype_costs_nothing():
    asked: list[str] = []
    names = (asked.append(name) or name for name in NAMES)
    assert nearest("path" * 100_000, names) is None
    assert asked == []


def test_without_names_nothing_is_offered():
    assert nearest("path", ()) is None
