"""Fewer lines for the same story: neighbouring deltas of one item become one.

Nothing changes its place relative to anything else, so an ordering check finds in the
compacted recording what it finds in the full one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from aistream_nb.core.json_text import join_surrogates
from aistream_nb.recording.entries import Entry

__all__ = ["compact_entries"]

_MERGED: Final = frozenset(
    {
        "REASONING_MESSAGE_CHUNK",
        "REASONING_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CHUNK",
        "TEXT_MESSAGE_CONTENT",
        "THINKING_TEXT_MESSAGE_CONTENT",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_CHUNK",
    }
)
_OWN_PER_DELTA: Final = frozenset({"args", "content", "delta", "rawEvent", "timestamp"})
"""Members in which two deltas of one item may differ."""


def compact_entries(entries: Iterable[Entry]) -> list[Entry]:
    """``entries`` with neighbouring deltas of one item joined.

    >>> said = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m"}
    >>> [
    ...     one.value["delta"]
    ...     for one in compact_entries(
    ...         [
    ...             Entry(0.0, "event", said | {"delta": "Good "}),
    ...             Entry(0.1, "event", said | {"delta": "day"}),
    ...         ]
    ...     )
    ... ]
    ['Good day']
    """
    compacted: list[Entry] = []
    latest: dict[str, int] = {}
    for entry in entries:
        at = latest.get(entry.kind)
        joined = None if at is None else _joined(compacted[at], entry)
        if at is not None and joined is not None:
            compacted[at] = joined
            continue
        latest[entry.kind] = len(compacted)
        compacted.append(entry)
    return [_finished(entry) for entry in compacted]


def _joined(first: Entry, second: Entry) -> Entry | None:
    """Both entries as one, if they are neighbours of one kind that may be joined."""
    if first.kind == "wire":
        return _joined_wire(first, second)
    one, other = first.event, second.event
    if one is None or other is None or one.get("type") not in _MERGED:
        return None
    if _identity(one) != _identity(other) or not _are_deltas(one, other):
        return None
    merged = {**one, "delta": one["delta"] + other["delta"]}
    if "content" in other:
        # The older dialect repeats all that was said so far.
        merged["content"] = other["content"]
    return Entry(first.t, "event", merged)


def _identity(event: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in _OWN_PER_DELTA}


def _are_deltas(*events: Mapping[str, Any]) -> bool:
    return all(isinstance(event.get("delta"), str) for event in events)


def _joined_wire(first: Entry, second: Entry) -> Entry | None:
    one: Mapping[str, Any] = first.value
    other: Mapping[str, Any] = second.value
    if set(one) != {"round", "text"} or set(other) != {"round", "text"}:
        return None
    if one["round"] != other["round"]:
        return None
    return Entry(first.t, "wire", {**one, "text": one["text"] + other["text"]})


def _finished(entry: Entry) -> Entry:
    """Characters that came in two halves are whole now."""
    event = entry.event
    if event is None or not isinstance(event.get("delta"), str):
        return entry
    whole = join_surrogates(event["delta"])
    if whole == event["delta"]:
        return entry
    return Entry(entry.t, entry.kind, {**event, "delta": whole})
