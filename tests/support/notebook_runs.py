"""Run notebooks and write what they show into them, as somebody would who reads along.

    python tests/support/notebook_runs.py notebooks/*.ipynb

What a cell prints at two moments comes in two pieces, or in one, as it happens. Pieces
that follow each other are joined, so that a notebook shows the same each time; text
stays on its side of a picture. (``jupyter nbconvert --execute`` joins before it runs.)
A notebook of which a cell fails is left as it was.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import NotebookNode


def run(notebook: NotebookNode, *, folder: Path) -> NotebookNode:
    """The notebook with the outputs of today.

    Raises:
        CellExecutionError: A cell failed.
    """
    where = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=600, record_timing=False, resources=where)
    client.execute()
    return CoalesceStreamsPreprocessor().preprocess(notebook, {})[0]


def main(paths: list[str]) -> None:
    """Run each of these files in its folder."""
    for path in map(Path, paths):
        print(path)  # noqa: T201 this is a command
        notebook = run(nbformat.read(path, as_version=4), folder=path.parent)
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main(sys.argv[1:])
