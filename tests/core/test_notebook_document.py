from __future__ import annotations

import nbformat

from aistream_nb.core.notebook_document import (
    code_cell,
    markdown_cell,
    notebook_text,
    shown,
    stream,
)


def test_a_notebook_is_one_that_jupyter_accepts():
    text = notebook_text(
        [
            markdown_cell("# Hi"),
            code_cell("1", outputs=[stream("a\n"), shown({"text/plain": "1"})]),
            code_cell("2", tags=["nbval-ignore-output"]),
        ]
    )
    notebook = nbformat.reads(text, as_version=4)

    nbformat.validate(notebook)
    assert [cell.id for cell in notebook.cells] == ["cell-1", "cell-2", "cell-3"]
    assert notebook.cells[1].outputs[1].execution_count == 1
    assert notebook.cells[2].execution_count == 2
    assert notebook.cells[2].metadata.tags == ["nbval-ignore-output"]
