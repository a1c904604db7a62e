"""AG-UI's messages in Protocol Buffers: field numbers, names and kinds (AG-UI, 11).

One row a message: the number of a field and its name, twice a field. A name may end in

- ``!`` for a field that counts as empty when the encoder left it out,
- ``*`` for a list,
- ``=kind`` for anything but text: ``flag``, ``count``, ``value`` (any JSON), ``object``
  (a JSON object), or another row of this table.

Field 1 of every event is ``base`` and is not repeated here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["ENVELOPE", "OPERATIONS", "PROTO_TYPE", "SHAPES", "ProtoField"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtoField:
    """One field of a message."""

    name: str
    kind: str
    is_list: bool
    is_implicit: bool
    """Whether it counts as empty when it is not there."""


PROTO_TYPE: Final = "application/vnd.ag-ui.event+proto"
"""The content type, without parameters, that says that a body is of this kind."""

ENVELOPE: Final[Mapping[int, str]] = {
    1: "TEXT_MESSAGE_START",
    2: "TEXT_MESSAGE_CONTENT",
    3: "TEXT_MESSAGE_END",
    4: "TOOL_CALL_START",
    5: "TOOL_CALL_ARGS",
    6: "TOOL_CALL_END",
    7: "STATE_SNAPSHOT",
    8: "STATE_DELTA",
    9: "MESSAGES_SNAPSHOT",
    10: "RAW",
    11: "CUSTOM",
    12: "RUN_STARTED",
    13: "RUN_FINISHED",
    14: "RUN_ERROR",
    15: "STEP_STARTED",
    16: "STEP_FINISHED",
    17: "TEXT_MESSAGE_CHUNK",
    18: "TOOL_CALL_CHUNK",
    19: "SUBAGENT_STARTED",
    20: "SUBAGENT_FINISHED",
    21: "SUBAGENT_ERROR",
    22: "TOOL_CALL_RESULT",
    23: "ACTIVITY_SNAPSHOT",
    24: "ACTIVITY_DELTA",
    25: "REASONING_START",
    26: "REASONING_MESSAGE_START",
    27: "REASONING_MESSAGE_CONTENT",
    28: "REASONING_MESSAGE_END",
    29: "REASONING_MESSAGE_CHUNK",
    30: "REASONING_END",
    31: "REASONING_ENCRYPTED_VALUE",
}
"""Which event the field of an envelope holds."""

OPERATIONS: Final = ("add", "remove", "replace", "move", "copy", "test")
"""The operations of a patch, by number."""

_ROWS: Final[Mapping[str, str]] = {
    "TEXT_MESSAGE_START": "2 messageId! 3 role 4 name 5 subagentRunId",
    "TEXT_MESSAGE_CONTENT": "2 messageId! 3 delta! 4 subagentRunId",
    "TEXT_MESSAGE_END": "2 messageId! 3 subagentRunId",
    "TEXT_MESSAGE_CHUNK": "2 messageId 3 role 4 delta 5 name 6 subagentRunId",
    "TOOL_CALL_START": (
        "2 toolCallId! 3 toolCallName! 4 parentMessageId 5 subagentRunId"
    ),
    "TOOL_CALL_ARGS": "2 toolCallId! 3 delta! 4 subagentRunId",
    "TOOL_CALL_END": "2 toolCallId! 3 subagentRunId",
    "TOOL_CALL_CHUNK": (
        "2 toolCallId 3 toolCallName 4 parentMessageId 5 delta 6 subagentRunId"
    ),
    "TOOL_CALL_RESULT": (
        "2 subagentRunId 3 messageId! 4 toolCallId! 5 content! 6 role "
        "7 contentParts*=part"
    ),
    "STATE_SNAPSHOT": "2 snapshot=value 3 subagentRunId",
    "STATE_DELTA": "2 delta!*=operation 3 subagentRunId",
    "MESSAGES_SNAPSHOT": "2 messages!*=message",
    "ACTIVITY_SNAPSHOT": (
        "2 subagentRunId 3 messageId! 4 activityType! 5 content=object 6 replace=flag"
    ),
    "ACTIVITY_DELTA": (
        "2 subagentRunId 3 messageId! 4 activityType! 5 patch!*=operation"
    ),
    "RAW": "2 event=value 3 source 4 subagentRunId",
    "CUSTOM": "2 name! 3 value=value 4 subagentRunId",
    "RUN_STARTED": (
        "2 threadId! 3 runId! 4 parentRunId 5 input=input 6 protocolVersion"
    ),
    "RUN_FINISHED": (
        "2 threadId! 3 runId! 4 result=value 5 outcome 6 interrupts*=interrupt "
        "7 usage*=usage 8 pendingToolCallIds*"
    ),
    "RUN_ERROR": "2 code 3 message! 4 usage*=usage",
    "STEP_STARTED": "2 stepName! 3 subagentRunId",
    "STEP_FINISHED": "2 stepName! 3 subagentRunId",
    "REASONING_START": "2 subagentRunId 3 messageId!",
    "REASONING_MESSAGE_START": "2 subagentRunId 3 messageId! 4 role!",
    "REASONING_MESSAGE_CONTENT": "2 subagentRunId 3 messageId! 4 delta!",
    "REASONING_MESSAGE_END": "2 subagentRunId 3 messageId!",
    "REASONING_MESSAGE_CHUNK": "2 subagentRunId 3 messageId 4 delta",
    "REASONING_END": "2 subagentRunId 3 messageId!",
    "REASONING_ENCRYPTED_VALUE": (
        "2 subagentRunId 3 subtype! 4 entityId! 5 encryptedValue!"
    ),
    "SUBAGENT_STARTED": (
        "2 subagentRunId! 3 name! 4 description 5 parentSubagentRunId "
        "6 parentToolCallId 7 parentMessageId"
    ),
    "SUBAGENT_FINISHED": "2 subagentRunId! 3 result=value 4 outcome 5 interruptIds*",
    "SUBAGENT_ERROR": "2 subagentRunId! 3 message! 4 code",
    "base": "2 timestamp=count 3 rawEvent=value 4 metadata=object",
    "message": (
        "1 id! 2 role! 3 content 4 name 5 toolCalls*=call 6 toolCallId 7 error "
        "8 contentParts*=part 9 metadata=object 10 subagentRunId 11 encryptedValue "
        "12 activityType 13 activityContent=object"
    ),
    "call": "1 id! 2 type! 3 function=function 4 metadata=object 5 encryptedValue",
    "function": "1 name! 2 arguments!",
    "operation": "1 op=count! 2 path! 3 from 4 value=value",
    "part": (
        "1 text=text_part 2 image=media 3 audio=media 4 video=media 5 document=media"
    ),
    "text_part": "1 text! 2 id 3 metadata=value",
    "media": "1 source=source 2 metadata=value 3 id",
    "source": "1 data=bytes_source 2 url=bytes_source 3 file=file_source",
    "bytes_source": "1 value! 2 mimeType",
    "file_source": "1 value! 2 provider 3 mimeType",
    "interrupt": (
        "1 id! 2 reason! 3 message 4 toolCallId 5 responseSchema=value 6 expiresAt "
        "7 metadata=value 8 subagentRunId"
    ),
    "usage": (
        "1 provider 2 model 3 inputTokens=count 4 outputTokens=count "
        "5 totalTokens=count 6 reasoningTokens=count 7 cachedInputTokens=count "
        "8 cacheWriteInputTokens=count"
    ),
    "input": (
        "1 threadId! 2 runId! 3 parentRunId 4 state=value 5 messages!*=message "
        "6 tools*=tool 7 context*=context 8 forwardedProps=value 9 resume*=resume "
        "10 protocolVersion"
    ),
    "tool": "1 name! 2 description! 3 parameters=value 4 metadata=object",
    "context": "1 description! 2 value!",
    "resume": "1 interruptId! 2 status! 3 payload=value 4 metadata=object",
}


def _fields(row: str) -> Mapping[int, ProtoField]:
    words = row.split()
    return {
        int(number): _field(word)
        for number, word in zip(words[::2], words[1::2], strict=True)
    }


def _field(word: str) -> ProtoField:
    signs, _, kind = word.partition("=")
    kind = kind or "text"
    return ProtoField(
        name=signs.rstrip("!*"),
        kind=kind.rstrip("!"),
        is_list="*" in signs,
        is_implicit="!" in word,
    )


SHAPES: Final[Mapping[str, Mapping[int, ProtoField]]] = {
    name: _fields(row) for name, row in _ROWS.items()
}
"""The fields of each message by their numbers."""
