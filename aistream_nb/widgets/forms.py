"""The forms in which a conversation is displayed: live, static, and in words.

A front end takes the richest form that it knows. Where probably nobody watches, a
notebook that a machine executes, the live form is left out: what is saved then reads
well without a kernel, and is the same each time.

marimo knows no widget views in a bundle of forms, but its own element around a widget
is HTML: there the live form takes the place of the static one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, Protocol

from aistream_nb.widgets.kernel import environment
from aistream_nb.widgets.static_html import to_html, to_text
from aistream_nb.widgets.view_model import ConversationLike

__all__ = ["WIDGET_VIEW", "LiveView", "forms_of", "view_of", "with_live"]

WIDGET_VIEW: Final = "application/vnd.jupyter.widget-view+json"
"""The MIME type of a widget's view."""


class LiveView(Protocol):
    """A widget, as far as showing it goes."""

    marimo_element: Any
    model_id: Any


def forms_of(
    conversation: ConversationLike, live: Callable[[], LiveView]
) -> dict[str, Any]:
    """The MIME bundle of a conversation; ``live`` makes its widget where one can be."""
    return with_live(to_text(conversation), to_html(conversation), live)


def with_live(text: str, html: str, live: Callable[[], LiveView]) -> dict[str, Any]:
    """The MIME bundle of two static forms, and of the live one where one can be."""
    forms: dict[str, Any] = {"text/plain": text, "text/html": html}
    place = environment()
    if place.kind == "marimo":
        forms["text/html"] = _marimo_element(live())
    elif place.frontend_comms and not place.headless:
        forms[WIDGET_VIEW] = view_of(live())
    return forms


def view_of(widget: LiveView) -> dict[str, Any]:
    """What a front end needs in order to show a widget."""
    return {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}


def _marimo_element(widget: LiveView) -> str:
    """The HTML of marimo's element around a widget; marimo is running, so it is loaded.

    marimo forgets an element that nobody holds, and one widget is one element.
    """
    if widget.marimo_element is None:
        widget.marimo_element = sys.modules["marimo"].ui.anywidget(widget)
    return str(widget.marimo_element.text)
