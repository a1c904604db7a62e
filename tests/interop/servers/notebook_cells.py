"""Run the cells of a notebook that belong to one framework, exactly as they stand."""

from __future__ import annotations

import ast
import asyncio
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from report import report

import aistream_nb as ai
from aistream_nb.showing import Shown


async def run(sources: Iterable[str]) -> Shown:
    """What the last of the cells has shown."""
    namespace: dict[str, Any] = {"ai": ai}
    for source in sources:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(source, "<cell>", "exec", flags=flags)
        await eval(code, namespace)  # noqa: S307 # our own notebook
    return namespace["seen"]


def tagged(notebook: Path, tag: str) -> list[str]:
    """The sources of the cells that have a tag."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    ours = [cell for cell in cells if tag in cell["metadata"].get("tags", ())]
    return ["".join(cell["source"]) for cell in ours]


if __name__ == "__main__":
    report(asyncio.run(run(tagged(Path(sys.argv[1]), sys.argv[2]))))
