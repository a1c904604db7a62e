"""What a notebook does to outputs by its own style sheet must not reach our view.

The sheet is JupyterLab's own, as nbconvert ships it for pages that are not live.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import pytest

from aistream_nb.inspector import Inspector
from aistream_nb.widgets.inspector import InspectorWidget
from aistream_nb.widgets.pulse import Pulse

pytestmark = pytest.mark.browser

SHEET: Final = (
    Path(sys.prefix) / "share/jupyter/nbconvert/templates/lab/static/index.css"
)
STREAM: Final[list[dict[str, Any]]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    {
        "type": "TEXT_MESSAGE_CONTENT",
        "messageId": "m",
        "delta": "# Head\n\nText `code` [link](https://a.example)\n\n- one\n- two\n\n"
        "> said\n\n```python\nx = 1\n```\n\n|a|b|\n|-|-|\n|1|2|\n",
    },
    {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "late"},
]
LOOKS: Final = """(inside) => {
  document.querySelector("main").className = inside ? "jp-OutputArea-output" : "";
  const names = ["display", "float", "overflowX", "marginTop", "marginBottom",
    "marginLeft", "paddingTop", "paddingLeft", "fontWeight", "fontSize", "color",
    "backgroundColor", "textAlign", "wordBreak", "whiteSpace", "listStyleType"];
  const ours = document.querySelectorAll(".aistream-root :is(dl, dt, dd, pre, code,"
    + " p, ul, li, a, blockquote, h3, table, th, td)");
  return [...ours].map((one) => {
    const style = getComputedStyle(one);
    return [one.tagName + "." + one.className,
      ...names.map((name) => name + ": " + style[name])];
  });
}"""
LAST: Final = """(css) => {
  const sheet = document.createElement("style");
  sheet.textContent = css;
  document.body.append(sheet);
}"""


def settle(host: Any) -> None:
    """Let questions and answers go back and forth."""
    for _ in range(4):
        host.evaluate("() => new Promise((done) => setTimeout(done, 20))")
        host.pump()


def test_the_style_of_outputs_changes_nothing_of_ours(host: Any) -> None:
    host.evaluate(LAST, SHEET.read_text(encoding="utf-8"))
    made = Inspector(STREAM)
    made._widget = InspectorWidget(made, on_action=made._act, pulse=Pulse(interval=0))
    host.show(made._widget)
    settle(host)
    host.evaluate("() => document.querySelector('.aistream-events').focus()")
    host.press("End")
    settle(host)
    host.click("text=Show the fix")
    settle(host)

    alone, inside = (host.evaluate(LOOKS, where) for where in (False, True))
    tags = {look[0].partition(".")[0] for look in alone}

    assert {"DL", "DT", "DD", "PRE", "CODE", "P", "UL", "TABLE"} <= tags
    changed = [
        (a[0], x, y)
        for a, b in zip(alone, inside, strict=True)
        for x, y in zip(a, b, strict=True)
        if x != y
    ]
    assert changed == []
    dl = next(look for look in inside if look[0].startswith("DL"))
    assert "display: grid" in dl
    host.picture("inspector-host-css")
    made.widget().close()
