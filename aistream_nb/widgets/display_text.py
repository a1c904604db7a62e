"""An event as one row of a list, and a violation as a test to keep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from aistream_nb.core.values import Event, is_mapping
from aistream_nb.widgets.view_model import clean
from aistream_nb.widgets.wire_inspector import EventRow, ViolationView

__all__ = ["row_of", "snippet_of"]

_TEXT: Final = 120
_IDS: Final = ("toolCallId", "messageId", "stepName", "name", "runId")
_WORDS: Final = ("delta", "content", "message", "toolCallName", "role")
_MOST_EVENTS: Final = 60


def row_of(
    event: Event,
    *,
    index: int,
    seconds: float | None,
    violation: ViolationView | None,
) -> EventRow:
    """One event of the list.

    >>> row_of(
    ...     {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"},
    ...     index=3,
    ...     seconds=0.5,
    ...     violation=None,
    ... ).text
    'Hi'
    """
    return EventRow(
        index=index,
        time=seconds,
        type=clean(str(event.get("type", "?")))[:_TEXT],
        id=_first_text(event, _IDS),
        text=_first_text(event, _WORDS),
        level=violation.level if violation else None,
        rule=violation.rule if violation else "",
    )


def _first_text(event: Event, names: Sequence[str]) -> str:
    values: list[Any] = [event.get(name) for name in names]
    value = next((value for value in values if isinstance(value, str) and value), "")
    return clean(value[: _TEXT + 1])[:_TEXT]


def snippet_of(events: Sequence[Event], violation: ViolationView) -> str:
    """A test that fails as long as the stream breaks this rule."""
    prefix = [_plain(event) for event in events[: violation.index + 1]]
    shown = prefix[-_MOST_EVENTS:]
    left_out = len(prefix) - len(shown)
    note = f"    # {left_out} earlier events are left out\n" if left_out else ""
    lines = "".join(f"    {_literal(event)},\n" for event in shown)
    return (
        "from aistream_nb import check_ordering\n\n"
        f"events = [\n{note}{lines}]\n\n\n"
        f"def test_{violation.rule.replace('.', '_')}():\n"
        "    rules = [found.rule for found in check_ordering(events).violations]\n"
        f"    assert {violation.rule!r} not in rules\n"
    )


def _plain(event: Event) -> dict[str, Any]:
    return dict(event) if is_mapping(event) else cast("dict[str, Any]", {})


def _literal(event: dict[str, Any]) -> str:
    """The event as Python writes it: JSON's words for true, false and null differ."""
    return repr(json.loads(json.dumps(event, default=str)))
