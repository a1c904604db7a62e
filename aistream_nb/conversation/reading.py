"""Small readers of wire fields that a stranger may have filled with anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aistream_nb.core.json_text import encode_somehow
from aistream_nb.core.values import Event, is_array, is_mapping

__all__ = ["as_processed", "mapping_at", "mappings", "seconds", "text_from"]

_SECONDS: Final = 0.001
"""AG-UI's timestamps are milliseconds; ours are seconds."""
_LATEST: Final = 2**53
"""Milliseconds; what claims to be later is no time."""


def mapping_at(value: object, *names: str) -> Mapping[str, Any]:
    """The object that lies at a path of members; empty if there is none.

    >>> mapping_at(
    ...     {"metadata": {"aistream": {"isError": True}}}, "metadata", "aistream"
    ... )
    {'isError': True}
    >>> mapping_at({"metadata": 7}, "metadata", "aistream")
    {}
    """
    for name in names:
        value = value.get(name) if is_mapping(value) else None
    return value if is_mapping(value) else {}


def mappings(value: object) -> tuple[Mapping[str, Any], ...]:
    """The objects in a list, without anything else that it holds."""
    items = value if is_array(value) else ()
    return tuple(item for item in items if is_mapping(item))


def seconds(event: Event) -> float | None:
    """When the event happened, if it says so."""
    moment = event.get("timestamp")
    if isinstance(moment, bool) or not isinstance(moment, (int, float)):
        return None
    return moment * _SECONDS if abs(moment) <= _LATEST else None


def as_processed(event: Event) -> Event:
    """The event in the words that the processor reads.

    A result that our metadata marks as failed says so, and a question of our gate is
    the dialect's ``approval-requested``.

    >>> as_processed({"type": "CUSTOM", "name": "aistream:asked"})["name"]
    'approval-requested'
    """
    if event.get("name") == "aistream:asked":
        return {**event, "name": "approval-requested"}
    if mapping_at(event, "metadata", "aistream").get("isError") is True:
        return {**event, "state": "output-error"}
    return event


def text_from(value: object) -> str:
    """A field as text: nothing is ``""``; what is no text is told as JSON.

    Total, for it reads what others sent: ``str`` gives up where lists are deep.

    >>> text_from("r1"), text_from(None), text_from(7)
    ('r1', '', '7')
    """
    if isinstance(value, str):
        return value
    return "" if value is None else encode_somehow(value)
