"""The shapes inside AG-UI's events: messages, parts, interrupts, patches (AG-UI, 4).

Each is a check of ``core.wire.shapes``. Which event holds which is in
``core.wire.schema``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aistream_nb.core.json_patch import PATCH_OPERATIONS, PatchError, parse_pointer
from aistream_nb.core.wire.shapes import (
    Check,
    Fields,
    Findings,
    anything,
    array,
    free_object,
    integer,
    nothing_null,
    object_of,
    one_of,
    pattern,
    text,
    union,
)

__all__ = [
    "MESSAGES",
    "METADATA",
    "OUTCOME",
    "PATCH",
    "RUN_INPUT",
    "SUBAGENT_OUTCOME",
    "USAGE",
    "content",
]


def _is_pointer(value: str) -> bool:
    try:
        parse_pointer(value)
    except PatchError:
        return False
    return True


def _fields(
    required: Mapping[str, Check] | None = None,
    optional: Mapping[str, Check] | None = None,
    null_is_absent: tuple[str, ...] = (),
) -> Fields:
    return Fields(
        required=required or {},
        optional=optional or {},
        null_is_absent=frozenset(null_is_absent),
    )


_COUNT: Final = integer(minimum=0)
METADATA: Final[Mapping[str, Check]] = {"metadata": free_object}
_STRINGS: Final = array(text)

_SOURCE: Final = union(
    "type",
    {
        "data": object_of(_fields({"type": text, "value": text, "mimeType": text})),
        "url": object_of(_fields({"type": text, "value": text}, {"mimeType": text})),
        "file": object_of(
            _fields({"type": text, "value": text}, {"provider": text, "mimeType": text})
        ),
    },
)
_MEDIA: Final = object_of(
    _fields(
        {"type": text, "source": _SOURCE},
        {"id": text, "metadata": nothing_null},
        ("metadata",),
    )
)
_TEXT_PART: Final = object_of(
    _fields({"type": text, "text": text}, {"id": text, **METADATA})
)


def _binary_part(value: Any, path: str, findings: Findings) -> Any:
    """An old ``binary`` part, as the part of its medium that replaced it.

    One that holds neither data nor an address has no successor and is unknown.
    """
    mime = value.get("mimeType")
    for kind in ("data", "url"):
        if isinstance(mime, str) and value.get(kind) is not None:
            medium = mime.partition("/")[0]
            made: dict[str, Any] = {
                "type": medium if medium in _BINARY_MEDIA else "document",
                "source": {"type": kind, "value": value[kind], "mimeType": mime},
            }
            if isinstance(value.get("filename"), str):
                made["metadata"] = {"filename": value["filename"]}
            return _MEDIA(made, path, findings)
    return findings.remove(f"{path}/type", "a part of today", value)


_BINARY_MEDIA: Final = frozenset({"image", "audio", "video"})

_PART: Final = union(
    "type",
    {
        "text": _TEXT_PART,
        **dict.fromkeys(("image", "audio", "video", "document"), _MEDIA),
        "binary": _binary_part,
    },
)
_PARTS: Final = array(_PART)


def content(value: Any, path: str, findings: Findings) -> Any:
    """What a user or a tool says: text, or a list of parts."""
    if isinstance(value, (list, tuple)):
        return _PARTS(value, path, findings)
    if isinstance(value, str):
        return value
    return findings.refuse(path, "a string or a list of parts", value)


_TOOL_CALL: Final = object_of(
    _fields(
        {
            "id": text,
            "type": one_of("function"),
            "function": object_of(_fields({"name": text, "arguments": text})),
        },
        {"encryptedValue": text, **METADATA},
    )
)
_ANY_MESSAGE: Final = _fields(
    {"id": text, "role": text}, {"subagentRunId": text, **METADATA}
)
_SEALABLE: Final = _ANY_MESSAGE.with_fields(optional={"encryptedValue": text})
_NAMED: Final = _SEALABLE.with_fields(optional={"name": text})

_MESSAGE: Final = union(
    "role",
    {
        **dict.fromkeys(
            ("developer", "system"),
            object_of(_NAMED.with_fields(required={"content": text})),
        ),
        "user": object_of(_NAMED.with_fields(required={"content": content})),
        "assistant": object_of(
            _NAMED.with_fields(
                optional={"content": text, "toolCalls": array(_TOOL_CALL)}
            )
        ),
        "tool": object_of(
            _SEALABLE.with_fields(
                required={"toolCallId": text, "content": content},
                optional={"error": text},
            )
        ),
        "reasoning": object_of(_SEALABLE.with_fields(required={"content": text})),
        "activity": object_of(
            _ANY_MESSAGE.with_fields(
                required={"activityType": text, "content": free_object}
            )
        ),
    },
)
MESSAGES: Final = array(_MESSAGE)

_INTERRUPT: Final = object_of(
    _fields(
        {"id": text, "reason": text},
        {
            "message": text,
            "toolCallId": text,
            "responseSchema": free_object,
            "expiresAt": text,  # the client does not look into it
            "subagentRunId": text,
            **METADATA,
        },
    )
)
OUTCOME: Final = union(
    "type",
    {
        "success": object_of(_fields({"type": text}, {"pendingToolCallIds": _STRINGS})),
        "interrupt": object_of(
            _fields({"type": text, "interrupts": array(_INTERRUPT, minimum=1)})
        ),
        "cancelled": object_of(_fields({"type": text})),
    },
)
SUBAGENT_OUTCOME: Final = union(
    "type",
    {
        "success": object_of(_fields({"type": text})),
        "suspended": object_of(_fields({"type": text}, {"interruptIds": _STRINGS})),
    },
)
_RESUME_ENTRY: Final = object_of(
    _fields(
        {"interruptId": text, "status": one_of("resolved", "cancelled")},
        {"payload": anything, **METADATA},
    )
)
USAGE: Final = array(
    object_of(
        _fields(
            optional={
                "provider": text,
                "model": text,
                **dict.fromkeys(
                    (
                        "inputTokens",
                        "outputTokens",
                        "totalTokens",
                        "reasoningTokens",
                        "cachedInputTokens",
                        "cacheWriteInputTokens",
                    ),
                    _COUNT,
                ),
            }
        )
    )
)
_TOOL: Final = object_of(
    _fields({"name": text, "description": text}, {"parameters": anything, **METADATA})
)
RUN_INPUT: Final = object_of(
    _fields(
        {"threadId": text, "runId": text, "messages": MESSAGES},
        {
            "protocolVersion": text,
            "parentRunId": text,
            "state": anything,
            "tools": array(_TOOL),
            "context": array(object_of(_fields({"description": text, "value": text}))),
            "forwardedProps": anything,
            "resume": array(_RESUME_ENTRY),
        },
    )
)

_POINTER: Final = pattern(_is_pointer, "a JSON Pointer")
_OPERATION_NEEDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "add": {"value": anything},
    "replace": {"value": anything},
    "test": {"value": anything},
    "remove": {},
    "move": {"from": _POINTER},
    "copy": {"from": _POINTER},
}
PATCH: Final = array(
    union(
        "op",
        {
            name: object_of(
                Fields(
                    required={"op": text, "path": _POINTER, **_OPERATION_NEEDS[name]},
                    open=True,
                )
            )
            for name in sorted(PATCH_OPERATIONS)
        },
    )
)
