"""The joint between the project and the case files: fixed names, fixed shapes.

Other suites are run through these names, wherever they load this file from. Each name
is made in the ``join_*`` module of its folder of cases; this page only gathers them.
"""
# ruff: noqa: E402 # the neighbours can be imported once their folder is known

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
for folder in (HERE, HERE / "kits"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))

from join_agui import apply_events, apply_patch, check_order, read_sse
from join_partial_json import parse_partial
from join_processor import is_generated_id, make_processor
from join_providers import run_provider_case
from join_tracker import run_tracker_case

__all__ = [
    "apply_events",
    "apply_patch",
    "check_order",
    "is_generated_id",
    "make_processor",
    "parse_partial",
    "read_sse",
    "run_provider_case",
    "run_tracker_case",
]
