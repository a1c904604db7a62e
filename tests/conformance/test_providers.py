"""Provider turns, held against every case and its better outcome."""

from __future__ import annotations

from cases import parametrize
from check import check
from join_providers import run_provider_case


@parametrize("providers/cases")
def test_a_turn_does_what_its_case_says(case):
    assert check(case, run_provider_case(case)) == []
