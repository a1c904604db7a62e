"""Both dialects of AG-UI read as one: the only place that knows two spellings.

AG-UI 1.0 and the older spellings of TanStack AI differ in names of fields (stream
processor, sections 15 and 16; AG-UI, section 14). Each function here reads one thing
of an event, wherever it stands. Reading is total: a field that is missing or of a
wrong type is taken as the specification says, and is a :class:`Problem`, told once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from aistream_nb.core.processor.callbacks import Problem, RunFailure
from aistream_nb.core.values import ABSENT, Event, is_array, is_mapping

__all__ = [
    "FieldReader",
    "as_reasoning",
    "custom_value",
    "finish_reason",
    "run_failure",
    "shared_delta",
    "shared_snapshot",
    "step_id",
    "step_thinking",
    "tool_name",
]

_NO_MESSAGE: Final = "An error occurred"

_RETIRED: Final[Mapping[str, str]] = {
    "THINKING_TEXT_MESSAGE_START": "REASONING_MESSAGE_START",
    "THINKING_TEXT_MESSAGE_CONTENT": "REASONING_MESSAGE_CONTENT",
    "THINKING_TEXT_MESSAGE_END": "REASONING_MESSAGE_END",
}


class FieldReader:
    """Reads fields that may be malformed, and tells each that is."""

    def __init__(
        self, tell: Callable[[Problem], object] | None, *, position: Callable[[], int]
    ) -> None:
        self._tell = tell
        self._position = position

    def text(self, event: Event, name: str) -> str:
        """The text of a field; ``""`` if it is missing or no text."""
        value = event.get(name, ABSENT)
        if isinstance(value, str):
            return value
        self.tell(event, name, value, assumed='""')
        return ""

    def id(self, event: Event, name: str) -> str | None:
        """The id in a field; ``None`` if there is none, and then the event is idle."""
        value = event.get(name, ABSENT)
        if isinstance(value, str):
            return value
        self.tell(event, name, value, assumed="nothing: the event has no effect")
        return None

    def optional_id(self, event: Event, name: str) -> str | None:
        """The id in a field that may be missing or null."""
        value = event.get(name)
        if value is not None and not isinstance(value, str):
            self.tell(event, name, value, assumed="nothing")
            return None
        return value

    def tell(self, event: object, name: str, value: object, *, assumed: str) -> None:
        """Tell that a field held ``value``, and what was taken instead."""
        if self._tell is None:
            return
        kind = event.get("type") if is_mapping(event) else None
        self._tell(
            Problem(
                index=self._position(),
                event_type=kind if isinstance(kind, str) else "",
                field=name,
                came="nothing" if value is ABSENT else type(value).__name__,
                assumed=assumed,
            )
        )


def tool_name(event: Event, reader: FieldReader) -> str:
    """The name of the tool: ``toolCallName``, formerly ``toolName``."""
    is_old = "toolName" in event and "toolCallName" not in event
    return reader.text(event, "toolName" if is_old else "toolCallName")


def custom_value(event: Event) -> Any:
    """The value of a custom event: ``value``, formerly ``data``."""
    return event.get("value", event.get("data"))


def step_id(event: Event) -> str | None:
    """The name of a step: ``stepName``, formerly ``stepId``."""
    name = event.get("stepName", event.get("stepId"))
    return name if isinstance(name, str) else None


def step_thinking(event: Event, reader: FieldReader) -> str | None:
    """The thinking that an old STEP_FINISHED carries; ``None`` in AG-UI 1.0.

    The two are told apart by ``stepName``, which only AG-UI has and requires.
    """
    return None if "stepName" in event else reader.text(event, "delta")


def finish_reason(event: Event) -> Any:
    """Why the model stopped, which only the older dialect says; absent if unsaid."""
    return event.get("finishReason", ABSENT)


def run_failure(event: Event) -> RunFailure:
    """What failed: ``message`` and ``code``, formerly nested in ``error``.

    >>> run_failure({"error": {"message": "slow down", "code": "429"}}).code
    '429'
    """
    nested = event.get("error")
    fields: Mapping[str, Any] = nested if is_mapping(nested) else {}
    message = fields.get("message", event.get("message"))
    code = fields.get("code", event.get("code"))
    return RunFailure(
        message=message if isinstance(message, str) and message else _NO_MESSAGE,
        code=code if isinstance(code, str) else None,
        raw_event=event.get("rawEvent"),
    )


def shared_snapshot(event: Event) -> Any:
    """The whole shared state: ``snapshot``, formerly ``state``; absent if neither."""
    return event.get("snapshot", event.get("state", ABSENT))


def shared_delta(event: Event) -> tuple[Mapping[str, Any], ...] | None:
    """The change of the shared state as operations; ``None`` if it is no change.

    AG-UI 1.0 sends JSON Patch. Formerly it was an object whose members were set.
    """
    delta = event.get("delta")
    if is_array(delta):
        return tuple(delta)
    if not is_mapping(delta):
        return None
    return tuple(
        {"op": "add", "path": f"/{_escaped(key)}", "value": value}
        for key, value in delta.items()
    )


def as_reasoning(event: Event, count: int) -> Event:
    """A retired THINKING event as the REASONING event that took its place.

    The old one has no id, so ``count`` tells one stretch of thinking from the next.
    """
    kind = _RETIRED.get(event["type"], event["type"])
    return {**event, "type": kind, "messageId": f"thinking-{count}"}


def _escaped(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")
