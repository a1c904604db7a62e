"""AG-UI's binary form, written: as much of it as the answers of a test server need."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["BINARY", "binary", "field", "framed"]

BINARY: Final = "application/vnd.ag-ui.event+proto"

_TEXTS: Final[Mapping[str, tuple[int, Mapping[str, int]]]] = {
    "TEXT_MESSAGE_START": (1, {"messageId": 2, "role": 3}),
    "TEXT_MESSAGE_CONTENT": (2, {"messageId": 2, "delta": 3}),
    "TEXT_MESSAGE_END": (3, {"messageId": 2}),
    "TOOL_CALL_START": (4, {"toolCallId": 2, "toolCallName": 3, "parentMessageId": 4}),
    "TOOL_CALL_ARGS": (5, {"toolCallId": 2, "delta": 3}),
    "TOOL_CALL_END": (6, {"toolCallId": 2}),
    "RUN_STARTED": (12, {"threadId": 2, "runId": 3, "protocolVersion": 6}),
    "RUN_FINISHED": (13, {"threadId": 2, "runId": 3}),
    "RUN_ERROR": (14, {"code": 2, "message": 3}),
    "TOOL_CALL_RESULT": (
        22,
        {"messageId": 3, "toolCallId": 4, "content": 5, "role": 6},
    ),
}
"""The number of an event in the envelope, and those of its texts."""


def binary(*events: Mapping[str, Any]) -> bytes:
    """A body that holds the events."""
    return b"".join(framed(_envelope(event)) for event in events)


def framed(data: bytes) -> bytes:
    """One frame."""
    return struct.pack(">I", len(data)) + data


def _envelope(event: Mapping[str, Any]) -> bytes:
    number, names = _TEXTS[event["type"]]
    return field(number, b"".join(_fields(event, names)))


def _fields(event: Mapping[str, Any], names: Mapping[str, int]) -> Iterator[bytes]:
    rest = {name: value for name, value in event.items() if name != "type"}
    outcome = rest.pop("outcome", {})
    for name in sorted(rest, key=names.__getitem__):
        yield field(names[name], rest[name].encode())
    if outcome:
        yield field(5, outcome["type"].encode())
    for call_id in outcome.get("pendingToolCallIds", ()):
        yield field(8, call_id.encode())


def field(number: int, data: bytes) -> bytes:
    """One field of a message, with its number and its length."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
