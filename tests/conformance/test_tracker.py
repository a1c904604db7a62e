"""The tool invocation tracker against every case."""

from __future__ import annotations

from typing import Any

import cases
import conform
import pytest
from join_tracker import run_tracker_case


def _judge(case: dict[str, Any], target: str) -> None:
    outcome = run_tracker_case(case)
    assert conform.invariant(outcome["log"])
    assert conform.compare(case, outcome, target) == []


@cases.parametrize("tracker/cases")
def test_a_written_case_has_the_ideal_outcome(case: dict[str, Any]) -> None:
    _judge(case, "ideal")


@cases.parametrize("tracker/random.jsonl")
def test_a_random_case_has_the_ideal_outcome(case: dict[str, Any]) -> None:
    _judge(case, "ideal")


@cases.parametrize("tracker/cases_latest")
def test_what_later_versions_added_is_absorbed(case: dict[str, Any]) -> None:
    _judge(case, "latest")


@pytest.mark.parametrize("case", cases.load("tracker/cases")[:1])
def test_a_case_is_not_changed_by_running_it(case: dict[str, Any]) -> None:
    before = repr(case)
    run_tracker_case(case)
    assert repr(case) == before
