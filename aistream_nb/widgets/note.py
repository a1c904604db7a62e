"""One quiet line in place of what is shown live in the same cell already.

The static forms beside it stay whole: a saved notebook, a converted one and a test see
the text. Only a page that shows the live view shows this line instead of it.
"""

from __future__ import annotations

from typing import Any, ClassVar

import anywidget
import traitlets

from aistream_nb.widgets.base import new_model_id

__all__ = ["NoteWidget"]


class NoteWidget(anywidget.AnyWidget):
    """A line of text."""

    _esm: ClassVar[Any] = """\
export default {
  render({ model, el }) {
    const line = document.createElement("p");
    line.textContent = model.get("text");
    line.dir = "auto";
    line.style.cssText =
      "margin:2px 0;opacity:.75;font-size:.92em;font-family:var(--jp-ui-font-family," +
      "var(--vscode-font-family,system-ui,sans-serif))";
    el.append(line);
    return () => line.remove();
  },
};
"""
    text: Any = traitlets.Unicode(help="The line.").tag(sync=True)

    marimo_element: Any = None
    """What marimo shows of this widget, if it does."""

    def __init__(self, text: str) -> None:
        super().__init__(model_id=new_model_id(), text=text)
