"""The fuzz targets, a little of them in each run; and what was found once.

``HYPOTHESIS_PROFILE=long`` looks for longer. With a guide that knows what is covered:
``tests/support/fuzz.py``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fuzz_targets import TARGETS
from hypothesis import HealthCheck, example, given, settings, strategies as st

HERE = Path(__file__).parent
FOUND = sorted((HERE / "cases").glob("*/*"))
IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
EXAMPLES = 20_000 if IS_LONG else 100


@pytest.mark.timeout(1800 if IS_LONG else 60)
@pytest.mark.parametrize("name", TARGETS)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not IS_LONG,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(data=st.binary(max_size=300))
@example(data=b"")
@example(data=bytes(range(256)))
def test_no_bytes_break_a_law(name: str, data: bytes):
    TARGETS[name](data)


@pytest.mark.parametrize(
    "case", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_what_was_found_once_is_mended(case: Path):
    TARGETS[case.parent.name](case.read_bytes())


def test_every_target_is_a_folder_of_cases():
    assert {path.name for path in (HERE / "cases").iterdir()} <= {*TARGETS}
