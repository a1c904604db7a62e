"""A conversation as one HTML file that needs nothing else.

The page loads nothing and runs nothing, and says so to the browser, which then keeps
it to that: no script, no address, no form.
"""

from __future__ import annotations

from html import escape
from typing import Final

from aistream_nb.export.source import Source, read_source
from aistream_nb.widgets.static_html import to_html as fragment
from aistream_nb.widgets.view_model import clean

__all__ = ["to_html"]

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'"
)
_STYLE: Final = (
    ":root{color-scheme:light dark}"
    "body{margin:0 auto;max-width:48em;padding:24px 20px;"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}"
    "h1{font-size:1.25em;font-weight:600}"
    "@media print{details{display:block}}"
)


def to_html(source: Source) -> str:
    """The conversation as the text of a ``.html`` file, with a chart of its times.

    Raises:
        AIStreamError: ``source`` holds no conversation.
    """
    exported = read_source(source)
    title = escape(clean(exported.title))
    chart = ""
    if exported.recording is not None:
        drawn = exported.recording.timing_chart()
        chart = drawn.to_svg() if drawn else ""
    timing = f"<details><summary>Timing</summary>{chart}</details>" if chart else ""
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{title}</h1>{fragment(exported.conversation)}{timing}"
        "</body></html>\n"
    )
