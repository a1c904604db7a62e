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
_VALUES: Final = ("snapshot", "delta", "patch", "value", "outcome", "messages")
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
        text=_first_text(event, _WORDS) or _first_value(event),
        level=violation.level if violation else None,
        rule=violation.rule if violation else "",
    )


def _first_text(event: Event, names: Sequence[str]) -> str:
    values: list[Any] = [event.get(name) for name in names]
    value = next((value for value in values if isinstance(value, str) and value), "")
    return clean(value[: _TEXT + 1])[:_TEXT]


def _first_value(event: Event) -> str:
    """The beginning of a value as JSON; a large one is not written out for a row."""
    value = next((event[name] for name in _VALUES if event.get(name)), None)
    if value is None:
        return ""
    text = ""
    for piece in _ENCODER.iterencode(value):
        text += piece
        if len(text) > _TEXT:
            break
    return clean(text[:_TEXT])


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, default=str)


def snippet_of(events: Sequence[Event], violation: ViolationView) -> str:
    """A test that fails as long as the stream breaks this rule."""
    end = len(events) if violation.index < 0 else violation.index + 1
    prefix = [_plain(event) for event in events[:end]]
    shown = prefix[-_MOST_EVENTS:]
    left_out = len(prefix) - len(shown)
    note = f"    # {left_out} earlier events are left out\n" if left_out else ""
    lines = "".join(f"    {_literal(event)},\n" for event in shown)
    # Only `teach` tells what is not wrong; the others would keep the test green.
    is_wrong = violation.level in {"fatal", "error"}
    profile = "" if is_wrong else ', profile="teach"'
    return (
        "from aistream_nb import check_ordering\n\n"
        f"events = [\n{note}{lines}]\n\n\n"
        f"def test_{violation.rule.replace('.', '_')}():\n"
        f"    report = check_ordering(events{profile})\n"
        "    rules = [found.rule for found in report.violations]\n"
        f"    assert {violation.rule!r} not in rules\n"
    )


def _plain(event: Event) -> dict[str, Any]:
    return dict(event) if is_mapping(event) else cast("dict[str, Any]", {})


def _literal(event: dict[str, Any]) -> str:
    """The event as Python writes it: JSON's words for true, false and null differ."""
    return repr(json.loads(json.dumps(event, default=str)))
