"""A conversation as a notebook of words: one cell a message, nothing to run."""

from __future__ import annotations

from typing import Final

from aistream_nb.core.notebook_document import markdown_cell, notebook_text
from aistream_nb.export.harmless import harmless
from aistream_nb.export.markdown_page import message_markdown
from aistream_nb.export.source import Source, read_source
from aistream_nb.widgets.view_model import clean

__all__ = ["to_notebook"]

_WHO: Final = {"user": "**You**\n\n", "system": "**Instructions**\n\n"}


def to_notebook(source: Source) -> str:
    """The conversation as the text of a ``.ipynb`` file.

    Raises:
        AIStreamError: ``source`` holds no conversation.
    """
    exported = read_source(source)
    conversation = exported.conversation
    cells = [markdown_cell(harmless(f"# {clean(exported.title)}"))]
    for message in conversation.messages:
        inner = message_markdown(message, conversation)
        if inner:
            said = harmless(_WHO.get(str(message.role), "") + inner)
            cells.append(markdown_cell(said))
    return notebook_text(cells)
