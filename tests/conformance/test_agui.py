from __future__ import annotations

from typing import Any

import cases
from join_agui import apply_patch


@cases.parametrize("agui/patch.jsonl")
def test_a_patch_does_what_the_reference_does(case: dict[str, Any]):
    result = apply_patch(case["base"], case["patch"])
    assert result == {"state": case["state"], "failed": case["failed"]}
