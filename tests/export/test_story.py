from __future__ import annotations

from pathlib import Path

import nbformat

from aistream_nb.export import to_notebook
from aistream_nb.recording import Recording

GOLDEN = Path(__file__).parents[1] / "golden" / "anthropic"


def test_a_conversation_is_a_notebook_with_one_cell_a_message():
    notebook = nbformat.reads(to_notebook(GOLDEN / "denied.jsonl"), as_version=4)

    nbformat.validate(notebook)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown"] * 4
    assert notebook.cells[1].source.startswith("**You**\n\nPlease call book_ferry")
    assert "Denied by you: the dog is seasick" in notebook.cells[2].source


def test_a_message_with_nothing_to_show_has_no_cell():
    empty = {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
    message = {"id": "a", "role": "assistant", "content": ""}
    events = [empty, {"type": "MESSAGES_SNAPSHOT", "messages": [message]}]

    assert to_notebook(Recording.of(events)).count('"cell_type"') == 1
