"""The fields of AG-UI's events, and what is wrong with those of one (AG-UI, 3 to 5).

:func:`check_event` judges one event by itself: it never asks what came before. Its
answer holds the event as the official client would read it: unknown members cut out,
bad values left out.

A rule that a change must keep: a *bad* value is fatal for the client, an *unknown* one
is not. The tables say which is which, by ``union`` (unknown members are cut out) and
``one_of`` (they are bad).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from aistream_nb.core.values import Event
from aistream_nb.core.wire.schema_nested import (
    MESSAGES,
    METADATA,
    OUTCOME,
    PATCH,
    RUN_INPUT,
    SUBAGENT_OUTCOME,
    USAGE,
    content,
)
from aistream_nb.core.wire.shapes import (
    Check,
    Fields,
    Finding,
    Findings,
    Verdict,
    anything,
    boolean,
    check_fields,
    free_object,
    integer,
    nothing_null,
    one_of,
    text,
)

__all__ = ["EVENT_FIELDS", "CheckedEvent", "check_event"]

# ---------------------------------------------------------------- events

_COMMON: Final = Fields(
    required={"type": text},
    optional={"timestamp": integer(), "rawEvent": nothing_null, **METADATA},
    null_is_absent=frozenset({"rawEvent"}),
)
_OWNED: Final = _COMMON.with_fields(optional={"subagentRunId": text})


def _owned(
    optional: Mapping[str, Check] | None = None,
    null_is_absent: tuple[str, ...] = (),
    **required: Check,
) -> Fields:
    return _OWNED.with_fields(
        required=required, optional=optional, null_is_absent=null_is_absent
    )


_ROLE: Final = one_of("developer", "system", "assistant", "user")
_TEXT_OPTIONS: Final[Mapping[str, Check]] = {"role": _ROLE, "name": text}
_PARENT: Final[Mapping[str, Check]] = {"parentMessageId": text}

EVENT_FIELDS: Final[Mapping[str, Fields]] = {
    "RUN_STARTED": _COMMON.with_fields(
        required={"threadId": text, "runId": text},
        optional={"protocolVersion": text, "parentRunId": text, "input": RUN_INPUT},
    ),
    "RUN_FINISHED": _COMMON.with_fields(
        required={"threadId": text, "runId": text},
        optional={"result": anything, "outcome": OUTCOME, "usage": USAGE},
        null_is_absent=("result", "outcome"),
    ),
    "RUN_ERROR": _COMMON.with_fields(
        required={"message": text}, optional={"code": text, "usage": USAGE}
    ),
    "STEP_STARTED": _owned(stepName=text),
    "STEP_FINISHED": _owned(stepName=text),
    "TEXT_MESSAGE_START": _owned(_TEXT_OPTIONS, messageId=text),
    "TEXT_MESSAGE_CONTENT": _owned(messageId=text, delta=text),
    "TEXT_MESSAGE_END": _owned(messageId=text),
    "TEXT_MESSAGE_CHUNK": _owned({**_TEXT_OPTIONS, "messageId": text, "delta": text}),
    "TOOL_CALL_START": _owned(
        _PARENT, ("parentMessageId",), toolCallId=text, toolCallName=text
    ),
    "TOOL_CALL_ARGS": _owned(toolCallId=text, delta=text),
    "TOOL_CALL_END": _owned(toolCallId=text),
    "TOOL_CALL_CHUNK": _owned(
        {**_PARENT, "toolCallId": text, "toolCallName": text, "delta": text},
        ("parentMessageId",),
    ),
    "TOOL_CALL_RESULT": _owned(
        {"role": one_of("tool")}, messageId=text, toolCallId=text, content=content
    ),
    "STATE_SNAPSHOT": _owned(snapshot=anything),
    "STATE_DELTA": _owned(delta=PATCH),
    "MESSAGES_SNAPSHOT": _COMMON.with_fields(required={"messages": MESSAGES}),
    "ACTIVITY_SNAPSHOT": _owned(
        {"replace": boolean}, messageId=text, activityType=text, content=free_object
    ),
    "ACTIVITY_DELTA": _owned(messageId=text, activityType=text, patch=PATCH),
    "REASONING_START": _owned(messageId=text),
    "REASONING_END": _owned(messageId=text),
    "REASONING_MESSAGE_START": _owned(messageId=text, role=one_of("reasoning")),
    "REASONING_MESSAGE_CONTENT": _owned(messageId=text, delta=text),
    "REASONING_MESSAGE_END": _owned(messageId=text),
    "REASONING_MESSAGE_CHUNK": _owned({"messageId": text, "delta": text}),
    "REASONING_ENCRYPTED_VALUE": _owned(
        subtype=one_of("message", "tool-call"), entityId=text, encryptedValue=text
    ),
    "RAW": _owned({"source": text}, event=anything),
    "CUSTOM": _owned(name=text, value=anything),
    "SUBAGENT_STARTED": _OWNED.with_fields(
        required={"subagentRunId": text, "name": text},
        optional=dict.fromkeys(
            (
                "description",
                "parentSubagentRunId",
                "parentToolCallId",
                "parentMessageId",
            ),
            text,
        ),
    ),
    "SUBAGENT_FINISHED": _OWNED.with_fields(
        required={"subagentRunId": text},
        optional={"result": anything, "outcome": SUBAGENT_OUTCOME},
        null_is_absent=("result",),
    ),
    "SUBAGENT_ERROR": _OWNED.with_fields(
        required={"subagentRunId": text, "message": text}, optional={"code": text}
    ),
}
"""One row per event type of AG-UI 1.0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedEvent:
    """One event as the official client reads it, and what it takes offence at."""

    event: Event | None
    """Without what is bad or unknown; ``None`` if the client drops all of it."""
    bad: tuple[Finding, ...] = ()
    """Each is fatal for the client."""
    removed: tuple[Finding, ...] = ()
    """Each is a warning of the client."""

    @property
    def readable(self) -> bool:
        """Whether all that the event cannot be without is there and good."""
        if self.event is None:
            return False
        return all(
            name in self.event for name in EVENT_FIELDS[self.event["type"]].required
        )


def check_event(event: Event) -> CheckedEvent:
    """The event as the official client would read it, with its faults.

    >>> check_event({"type": "TEXT_MESSAGE_END", "messageId": 7}).bad
    (Finding(path='/messageId', expected='a string', got='a number'),)
    """
    event_type = event.get("type")
    fields = EVENT_FIELDS.get(event_type) if isinstance(event_type, str) else None
    if fields is None:
        unknown = Finding("/type", "an event type of AG-UI 1.0", "another")
        return CheckedEvent(event=None, removed=(unknown,))
    findings = Findings()
    kept, verdict = check_fields(fields, event, "", findings)
    return CheckedEvent(
        event=None if verdict is Verdict.UNKNOWN else kept,
        bad=tuple(findings.bad),
        removed=tuple(findings.removed),
    )
