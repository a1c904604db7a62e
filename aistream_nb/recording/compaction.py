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
    grown: dict[int, list[str]] = {}
    latest: dict[str, int] = {}
    for entry in entries:
        at = latest.get(entry.kind)
        if at is not None and _may_be_joined(compacted[at], entry):
            first = compacted[at]
            # Pieces are joined once, at the end: a text of many costs its length.
            grown.setdefault(at, [_piece(first)]).append(_piece(entry))
            compacted[at] = _with_running_text(first, entry)
            continue
        latest[entry.kind] = len(compacted)
        compacted.append(entry)
    for at, pieces in grown.items():
        compacted[at] = _with_piece(compacted[at], "".join(pieces))
    return [_finished(entry) for entry in compacted]


def _may_be_joined(first: Entry, second: Entry) -> bool:
    """Whether both are neighbours of one kind that may become one."""
    if first.kind == "wire":
        return _are_text_of_one_round(first, second)
    one, other = first.event, second.event
    if one is None or other is None or str(one.get("type")) not in _MERGED:
        return False
    return _identity(one) == _identity(other) and _are_deltas(one, other)


def _identity(event: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in _OWN_PER_DELTA}


def _are_deltas(*events: Mapping[str, Any]) -> bool:
    return all(isinstance(event.get("delta"), str) for event in events)


def _are_text_of_one_round(*entries: Entry) -> bool:
    wires = [entry.wire for entry in entries]
    rounds = [wire["round"] for wire in wires if wire and _is_text(wire)]
    return len(rounds) == len(wires) and rounds[0] == rounds[-1]


def _is_text(wire: Mapping[str, Any]) -> bool:
    return set(wire) == {"round", "text"} and isinstance(wire["text"], str)


def _piece(entry: Entry) -> str:
    return entry.value["text" if entry.kind == "wire" else "delta"]


def _with_piece(entry: Entry, text: str) -> Entry:
    name = "text" if entry.kind == "wire" else "delta"
    return Entry(entry.t, entry.kind, {**entry.value, name: text})


def _with_running_text(first: Entry, second: Entry) -> Entry:
    """The older dialect repeats all that was said so far; the last one is right."""
    if "content" not in second.value:
        return first
    value = {**first.value, "content": second.value["content"]}
    return Entry(first.t, first.kind, value)


def _finished(entry: Entry) -> Entry:
    """Characters that came in two halves are whole now."""
    event = entry.event
    if event is None or not isinstance(event.get("delta"), str):
        return entry
    whole = join_surrogates(event["delta"])
    if whole == event["delta"]:
        return entry
    return Entry(entry.t, entry.kind, {**event, "delta": whole})
