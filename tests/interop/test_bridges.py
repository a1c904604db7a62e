"""Agents of other frameworks, shown in the kernel that they run in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize("framework", ["pydantic_ai", "langgraph"])
def test_an_agent_in_this_kernel_is_shown_without_a_server(
    run_script: Callable[[str, str], str], framework: str
):
    said = run_script(framework, f"{framework}_bridge.py")

    shown: dict[str, Any] = json.loads(said.splitlines()[-1])
    assert shown["status"] == "finished"
    assert shown["calls"] == [["weather", "complete", "7 degrees in Oslo"]]
    assert shown["texts"][0] == "How cold is Oslo?"
    assert shown["texts"][-1] == "Heard: 7 degrees in Oslo"
    assert not {rule for rule in shown["rules"] if not rule.startswith("tool.")}
