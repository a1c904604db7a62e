"""The events of AG-UI 1.0 as the wire has them: names, shapes, and one door.

An event is a mapping with the protocol's own names. The shapes here are for people
and type checkers; nothing is validated by them, and unknown types and fields are
legal and survive (AG-UI, section 3). :func:`as_event` is the door for everything
that is no mapping yet: JSON text, and objects of the official SDK.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict, get_args

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import Event, is_mapping

__all__ = ["EVENT_TYPES", "AnyEvent", "EventType", "as_event"]

EventType: TypeAlias = Literal[
    "RUN_STARTED",
    "RUN_FINISHED",
    "RUN_ERROR",
    "STEP_STARTED",
    "STEP_FINISHED",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "TEXT_MESSAGE_CHUNK",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_END",
    "TOOL_CALL_CHUNK",
    "TOOL_CALL_RESULT",
    "STATE_SNAPSHOT",
    "STATE_DELTA",
    "MESSAGES_SNAPSHOT",
    "ACTIVITY_SNAPSHOT",
    "ACTIVITY_DELTA",
    "REASONING_START",
    "REASONING_END",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "REASONING_MESSAGE_CHUNK",
    "REASONING_ENCRYPTED_VALUE",
    "RAW",
    "CUSTOM",
    "SUBAGENT_STARTED",
    "SUBAGENT_FINISHED",
    "SUBAGENT_ERROR",
]
"""The 31 types of AG-UI 1.0."""

EVENT_TYPES: Final[tuple[str, ...]] = get_args(EventType)
"""The same, to walk over."""

TextRole: TypeAlias = Literal["developer", "system", "assistant", "user"]


class _Common(TypedDict):
    timestamp: NotRequired[int]
    rawEvent: NotRequired[Any]
    metadata: NotRequired[Mapping[str, Any]]


class _Owned(_Common):
    subagentRunId: NotRequired[str]
    """The subagent that the event belongs to; absent means the agent itself."""


class RunStarted(_Common):
    """A run begins."""

    type: Literal["RUN_STARTED"]
    threadId: str
    runId: str
    protocolVersion: NotRequired[str]
    parentRunId: NotRequired[str]
    input: NotRequired[Mapping[str, Any]]


class RunFinished(_Common):
    """A run ended; without an outcome it succeeded."""

    type: Literal["RUN_FINISHED"]
    threadId: str
    runId: str
    result: NotRequired[Any]
    outcome: NotRequired[Mapping[str, Any]]
    usage: NotRequired[Sequence[Mapping[str, Any]]]


class RunError(_Common):
    """A run failed."""

    type: Literal["RUN_ERROR"]
    message: str
    code: NotRequired[str]
    usage: NotRequired[Sequence[Mapping[str, Any]]]


class StepStarted(_Owned):
    """A step of a run begins."""

    type: Literal["STEP_STARTED"]
    stepName: str


class StepFinished(_Owned):
    """A step of a run ended."""

    type: Literal["STEP_FINISHED"]
    stepName: str


class TextMessageStart(_Owned):
    """A message begins, or goes on."""

    type: Literal["TEXT_MESSAGE_START"]
    messageId: str
    role: NotRequired[TextRole]
    name: NotRequired[str]


class TextMessageContent(_Owned):
    """More text of a message."""

    type: Literal["TEXT_MESSAGE_CONTENT"]
    messageId: str
    delta: str


class TextMessageEnd(_Owned):
    """A message's text ended."""

    type: Literal["TEXT_MESSAGE_END"]
    messageId: str


class TextMessageChunk(_Owned):
    """Start, text and end of a message in one; the first names the message."""

    type: Literal["TEXT_MESSAGE_CHUNK"]
    messageId: NotRequired[str]
    role: NotRequired[TextRole]
    name: NotRequired[str]
    delta: NotRequired[str]


class ToolCallStart(_Owned):
    """A call begins."""

    type: Literal["TOOL_CALL_START"]
    toolCallId: str
    toolCallName: str
    parentMessageId: NotRequired[str]


class ToolCallArgs(_Owned):
    """More of a call's arguments, as JSON text."""

    type: Literal["TOOL_CALL_ARGS"]
    toolCallId: str
    delta: str


class ToolCallEnd(_Owned):
    """A call's arguments are complete."""

    type: Literal["TOOL_CALL_END"]
    toolCallId: str


class ToolCallChunk(_Owned):
    """Start, arguments and end of a call in one; the first names the call."""

    type: Literal["TOOL_CALL_CHUNK"]
    toolCallId: NotRequired[str]
    toolCallName: NotRequired[str]
    parentMessageId: NotRequired[str]
    delta: NotRequired[str]


class ToolCallResult(_Owned):
    """What a call gave, as a message of its own."""

    type: Literal["TOOL_CALL_RESULT"]
    messageId: str
    toolCallId: str
    content: str | Sequence[Mapping[str, Any]]
    role: NotRequired[Literal["tool"]]


class StateSnapshot(_Owned):
    """The whole shared state."""

    type: Literal["STATE_SNAPSHOT"]
    snapshot: Any


class StateDelta(_Owned):
    """A JSON Patch of the shared state."""

    type: Literal["STATE_DELTA"]
    delta: Sequence[Mapping[str, Any]]


class MessagesSnapshot(_Common):
    """The whole history."""

    type: Literal["MESSAGES_SNAPSHOT"]
    messages: Sequence[Mapping[str, Any]]


class ActivitySnapshot(_Owned):
    """An activity as it is now."""

    type: Literal["ACTIVITY_SNAPSHOT"]
    messageId: str
    activityType: str
    content: Mapping[str, Any]
    replace: NotRequired[bool]


class ActivityDelta(_Owned):
    """A JSON Patch of an activity."""

    type: Literal["ACTIVITY_DELTA"]
    messageId: str
    activityType: str
    patch: Sequence[Mapping[str, Any]]


class ReasoningStart(_Owned):
    """A stretch of reasoning begins."""

    type: Literal["REASONING_START"]
    messageId: str


class ReasoningEnd(_Owned):
    """A stretch of reasoning ended."""

    type: Literal["REASONING_END"]
    messageId: str


class ReasoningMessageStart(_Owned):
    """A reasoning message begins."""

    type: Literal["REASONING_MESSAGE_START"]
    messageId: str
    role: Literal["reasoning"]


class ReasoningMessageContent(_Owned):
    """More of a reasoning message."""

    type: Literal["REASONING_MESSAGE_CONTENT"]
    messageId: str
    delta: str


class ReasoningMessageEnd(_Owned):
    """A reasoning message ended."""

    type: Literal["REASONING_MESSAGE_END"]
    messageId: str


class ReasoningMessageChunk(_Owned):
    """Start, text and end of a reasoning message in one."""

    type: Literal["REASONING_MESSAGE_CHUNK"]
    messageId: NotRequired[str]
    delta: NotRequired[str]


class ReasoningEncryptedValue(_Owned):
    """A provider's seal on a message or on a call."""

    type: Literal["REASONING_ENCRYPTED_VALUE"]
    subtype: Literal["message", "tool-call"]
    entityId: str
    encryptedValue: str


class Raw(_Owned):
    """An event of somebody else's protocol."""

    type: Literal["RAW"]
    event: Any
    source: NotRequired[str]


class Custom(_Owned):
    """An event with a name that AG-UI does not define."""

    type: Literal["CUSTOM"]
    name: str
    value: Any


class SubagentStarted(_Owned):
    """A subagent begins."""

    type: Literal["SUBAGENT_STARTED"]
    name: str
    description: NotRequired[str]
    parentSubagentRunId: NotRequired[str]
    parentToolCallId: NotRequired[str]
    parentMessageId: NotRequired[str]


class SubagentFinished(_Owned):
    """A subagent ended, or waits."""

    type: Literal["SUBAGENT_FINISHED"]
    result: NotRequired[Any]
    outcome: NotRequired[Mapping[str, Any]]


class SubagentError(_Owned):
    """A subagent failed."""

    type: Literal["SUBAGENT_ERROR"]
    message: str
    code: NotRequired[str]


AnyEvent: TypeAlias = (
    RunStarted
    | RunFinished
    | RunError
    | StepStarted
    | StepFinished
    | TextMessageStart
    | TextMessageContent
    | TextMessageEnd
    | TextMessageChunk
    | ToolCallStart
    | ToolCallArgs
    | ToolCallEnd
    | ToolCallChunk
    | ToolCallResult
    | StateSnapshot
    | StateDelta
    | MessagesSnapshot
    | ActivitySnapshot
    | ActivityDelta
    | ReasoningStart
    | ReasoningEnd
    | ReasoningMessageStart
    | ReasoningMessageContent
    | ReasoningMessageEnd
    | ReasoningMessageChunk
    | ReasoningEncryptedValue
    | Raw
    | Custom
    | SubagentStarted
    | SubagentFinished
    | SubagentError
)
"""Every event of AG-UI 1.0."""


def as_event(given: object) -> Event:
    """The event that ``given`` is: a mapping, JSON text, or an object of an SDK.

    Raises:
        TypeError: It is none of these, or its JSON is no object.
        ValueError: It is text and not JSON.

    >>> as_event('{"type": "RUN_ERROR", "message": "gone"}')["message"]
    'gone'
    """
    if is_mapping(given):
        return given
    if isinstance(given, (str, bytes)):
        given = parse_json(given)
    else:
        dump = getattr(given, "model_dump", None)
        if callable(dump):
            # The SDK's objects are told by what they can do, so that no model
            # library has to be imported to accept them.
            given = dump(mode="json", by_alias=True, exclude_none=True)
    if is_mapping(given):
        return given
    raise TypeError(
        f"an event is a mapping with a type, not {type(given).__name__}; "
        "hand in the decoded JSON object"
    )
