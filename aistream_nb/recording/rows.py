"""A recording as a list of its events, folded, for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from aistream_nb.core.values import Event
from aistream_nb.recording.difference import event_words, renamed

__all__ = ["counted", "event_rows"]

_MOST: Final = 100


def event_rows(events: Sequence[Event], *, title: str) -> str:
    """The first events as rows of a table, below a title that opens it.

    Ids are named by the order of their first appearance, so that the table of a run
    is the same every day.
    """
    ids: dict[str, str] = {}
    rows = [
        f"<tr><td>{at}</td><td>{escape(event_words(renamed(event, ids)))}</td></tr>"
        for at, event in enumerate(events[:_MOST])
    ]
    more = len(events) - len(rows)
    rest = f"<p>and {counted(more, 'more event')}</p>" if more > 0 else ""
    return (
        f"<details><summary>{escape(title)}</summary>"
        f"<table>{''.join(rows)}</table>{rest}</details>"
    )


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(2, "event")
    '2 events'
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
