"""Notebooks as JSON, in the format 4.5: cells in, a document out.

Ids of cells are counted, so the same cells are the same file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["code_cell", "markdown_cell", "notebook_text", "shown", "stream"]

_LANGUAGE = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}


def markdown_cell(text: str) -> dict[str, Any]:
    """A cell of words.

    >>> markdown_cell("# Hi")["source"]
    '# Hi'
    """
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code_cell(
    source: str,
    *,
    outputs: Sequence[Mapping[str, Any]] = (),
    tags: Sequence[str] = (),
) -> dict[str, Any]:
    """A cell of code, with what it showed when it ran."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": list(tags)} if tags else {},
        "outputs": [dict(output) for output in outputs],
        "source": source,
    }


def stream(text: str) -> dict[str, Any]:
    """What a cell printed."""
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(data: Mapping[str, str]) -> dict[str, Any]:
    """The value of a cell's last line, in its forms."""
    return {
        "output_type": "execute_result",
        "execution_count": None,
        "metadata": {},
        "data": dict(data),
    }


def notebook_text(cells: Iterable[Mapping[str, Any]]) -> str:
    """The file.

    >>> notebook_text([]).splitlines()[1]
    ' "cells": [],'
    """
    numbered: list[dict[str, Any]] = []
    count = 0
    for at, cell in enumerate(cells, start=1):
        one = {"id": f"cell-{at}", **cell}
        if one["cell_type"] == "code":
            count += 1
            _number(one, count)
        numbered.append(one)
    document = {
        "cells": numbered,
        "metadata": _LANGUAGE,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _number(cell: dict[str, Any], count: int) -> None:
    cell["execution_count"] = count
    for output in cell["outputs"]:
        if output["output_type"] == "execute_result":
            output["execution_count"] = count
