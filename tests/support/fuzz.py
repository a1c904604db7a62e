"""Fuzzes one target for a while, guided by what it covers. By hand, with atheris:

    python -m venv fuzzing && fuzzing/bin/pip install atheris -e '.[dev]'
    mkdir corpus && fuzzing/bin/python tests/support/fuzz.py \\
        sse corpus -max_total_time=300

Options with one dash are libFuzzer's; it begins with the kept cases. What it finds is
written as ``crash-…`` into the working folder; once it is mended, keep it below
``tests/faults/cases/TARGET/``, where it is tried in every run of the tests.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "faults" / "cases"


def main(arguments: list[str]) -> None:
    """Fuzz what the first argument names."""
    atheris: Any = importlib.import_module("atheris")  # not among our requirements
    with atheris.instrument_imports(include=["aistream_nb"]):
        targets = importlib.import_module("fuzz_targets").TARGETS
    if not arguments or arguments[0] not in targets:
        raise SystemExit(f"Name one of: {', '.join(targets)}")
    name, *options = arguments
    # What it learns goes into the first folder: name one, or it goes nowhere.
    seeds = [str(KEPT / name)] if any(it[0] != "-" for it in options) else []
    atheris.Setup([name, *options, *seeds], targets[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
