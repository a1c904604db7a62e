"""Where the cases are, and how a test names them.

The built-in cases lie in ``data/``. ``AISTREAM_CASES`` names another folder of the
same layout; folders and files that it lacks hold no cases.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

BUILT_IN = Path(__file__).parent / "data"


def root() -> Path:
    """The folder whose cases are run."""
    return Path(os.environ.get("AISTREAM_CASES") or BUILT_IN)


def load(name: str) -> list[dict[str, Any]]:
    """The cases of a folder of ``.json`` files, or of one ``.json``/``.jsonl`` file."""
    path = root() / name
    if path.is_dir():
        return [_read(file) for file in sorted(path.glob("*.json"))]
    if not path.exists():
        return []
    if path.suffix == ".jsonl":
        lines = path.read_text("utf-8").split("\n")
        return [json.loads(line) for line in lines if line.strip()]
    return list(_read(path))


def parametrize(name: str, argument: str = "case") -> pytest.MarkDecorator:
    """One test a case; the summary counts them under ``name``."""
    cases = load(name)
    ids = [str(case.get("name", number)) for number, case in enumerate(cases)]
    params = [
        pytest.param(case, id=label, marks=pytest.mark.cases(name))
        for case, label in zip(cases, ids, strict=True)
    ]
    return pytest.mark.parametrize(argument, params)


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))
