"""One line in place of what is shown already."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.widgets.note import NoteWidget


def test_it_is_its_text():
    assert NoteWidget("Finished; shown above.").text == "Finished; shown above."


@pytest.mark.browser
def test_it_is_one_line_of_text_and_no_markup(host: Any):
    widget = NoteWidget("<b>Finished</b>; shown above.")
    host.show(widget)

    assert host.text("main p") == "<b>Finished</b>; shown above."
    assert host.errors() == []
    widget.close()
