from __future__ import annotations

import json
from typing import Any

import cases
from adapters import parse_partial

SAID = ("value", "state", "path", "fields", "unparseable")


@cases.parametrize("tracker/partial_json.jsonl")
def test_partial_arguments_are_read_as_the_tracker_reads_them(case: dict[str, Any]):
    paths = [json.loads(path) for path in case.get("fields", {})]
    expected = {key: case[key] for key in SAID if key in case}
    assert parse_partial(case["text"], paths) == expected
