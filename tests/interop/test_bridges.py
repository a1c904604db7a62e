"""Agents of other frameworks, shown in the kernel that they run in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("framework", ["pydantic_ai", "langgraph"])
def test_an_agent_in_this_kernel_is_shown_without_a_server(
    run_script: Callable[..., str], framework: str
):
    said = run_script(framework, f"{framework}_bridge.py")

    shown: dict[str, Any] = json.loads(said.splitlines()[-1])
    assert shown["status"] == "finished"
    assert shown["calls"] == [["weather", "complete", "7 degrees in Oslo"]]
    assert shown["texts"][0] == "How cold is Oslo?"
    assert shown["texts"][-1] == "Heard: 7 degrees in Oslo"
    assert not {rule for rule in shown["rules"] if not rule.startswith("tool.")}


LESSON = Path(__file__).parents[2] / "notebooks" / "07_remote_agents.ipynb"


@pytest.mark.parametrize(
    ("framework", "calls", "answer"),
    [
        (
            "pydantic_ai",
            [["forecast", "complete", "14 °C and sun"]],
            '{"forecast":"14 °C and sun"}',
        ),
        ("langgraph", [], "14 °C and sun."),
    ],
)
def test_the_cells_of_the_lesson_run_with_their_frameworks(
    run_script: Callable[..., str], framework: str, calls: list[Any], answer: str
):
    tag = framework.replace("_", "-")

    said = run_script(framework, "notebook_cells.py", str(LESSON), tag)

    *printed, last = said.splitlines()
    shown: dict[str, Any] = json.loads(last)
    assert printed == [answer]
    assert shown["status"] == "finished"
    assert shown["texts"] == ["How will it be on Hvar?", *shown["texts"][1:-1], answer]
    assert shown["calls"] == calls
