"""The client's rules for reading a stream: chunks, values, frames, requests (7e)."""

from __future__ import annotations

from typing import Any, Final

from aistream_nb.core.ordering.rules import (
    STARTED,
    Example,
    Level,
    Profile,
    Rule,
    event,
    run,
)
from aistream_nb.core.values import Event
from aistream_nb.core.wire.proto_shapes import PROTO_TYPE

__all__ = ["READING_RULES"]

_START: Final = (
    b'data: {"type":"RUN_STARTED","threadId":"t1","runId":"r1",'
    b'"protocolVersion":"1.0"}\n\n'
)
_FINISH: Final = b'data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}\n\n'
_PROTO_ERROR: Final = b"\0\0\0\x07\x72\x05\x1a\x03bad"
"""A RUN_ERROR whose message is "bad"."""
_WHOLE: Final = Example(body=_START + _FINISH)
_TEXT: Final = event("TEXT_MESSAGE_CHUNK", messageId="m1", delta="Hi")
_CALL: Final = event("TOOL_CALL_CHUNK", toolCallId="c1", toolCallName="f", delta="{}")
_THOUGHT: Final = event("REASONING_MESSAGE_CHUNK", messageId="q1", delta="Hm")
_AGENTS: Final = tuple(
    event("SUBAGENT_STARTED", subagentRunId=g, name="helper") for g in ("g1", "g2")
)
_AGENTS_END: Final = tuple(
    event("SUBAGENT_FINISHED", subagentRunId=g) for g in ("g1", "g2")
)
_WAITING: Final = ({"id": "i1", "reason": "tool_call"},)


def _rule(
    rule_id: str, meaning: str, fix: str, breaks: Example, keeps: Example
) -> Rule:
    return Rule(
        id=rule_id, level="fatal", meaning=meaning, fix=fix, breaks=breaks, keeps=keeps
    )


def _events(*events: Event, **finish: Any) -> Example:
    return Example(events=run(*events, **finish))


def _agents(*events: Event) -> Example:
    return _events(*_AGENTS, *events, *_AGENTS_END)


def _bytes(frame: bytes) -> Example:
    return Example(body=_START + frame + _FINISH)


def _without(source: Event, *fields: str) -> Event:
    return {name: value for name, value in source.items() if name not in fields}


def _resumed(*, now: str | None = None, expires: str | None = None) -> Example:
    waiting = {**_WAITING[0], **({"expiresAt": expires} if expires else {})}
    return Example(
        events=run(),
        run_input={"resume": [{"interruptId": "i1", "status": "resolved"}]},
        interrupts=(waiting,),
        now=now,
    )


def _advice(
    rule_id: str,
    level: Level,
    meaning: str,
    fix: str,
    *both: Example,
    shown_from: Profile | None = None,
) -> Rule:
    breaks, keeps = both
    return Rule(
        id=rule_id,
        level=level,
        meaning=meaning,
        fix=fix,
        breaks=breaks,
        keeps=keeps,
        shown_from=shown_from,
    )


def _body(line_end: bytes) -> bytes:
    frames = (
        b'data: {"type":"RUN_STARTED","threadId":"t1","runId":"r1"}',
        b'data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}',
    )
    return b"".join(frame + line_end * 2 for frame in frames)


_OLD_RUN: Final = (
    event("RUN_STARTED", runId="r1", model="m", timestamp=1_700_000_000_000),
    event("RUN_FINISHED", runId="r1", model="m", finishReason="stop"),
)

READING_RULES: Final = (
    _rule(
        "chunk.text_first_id",
        "The first chunk of a text message has a messageId.",
        "Send messageId on the first chunk, and again after an event that ends it.",
        _events(_without(_TEXT, "messageId")),
        _events(_TEXT, _without(_TEXT, "messageId")),
    ),
    _rule(
        "chunk.reasoning_first_id",
        "The first chunk of a reasoning message has a messageId.",
        "Send messageId on the first chunk, and again after an event that ends it.",
        _events(_without(_THOUGHT, "messageId")),
        _events(_THOUGHT),
    ),
    _rule(
        "chunk.tool_first_id",
        "The first chunk of a tool call has a toolCallId.",
        "Send toolCallId on the first chunk of every call.",
        _events(_without(_CALL, "toolCallId")),
        _events(_CALL),
    ),
    _rule(
        "chunk.tool_first_name",
        "The first chunk of a tool call has a toolCallName.",
        "Send toolCallName on the first chunk of every call.",
        _events(_without(_CALL, "toolCallName")),
        _events(_CALL),
    ),
    _rule(
        "chunk.field_conflict",
        "A later chunk may repeat its opener's role or names, and not change them.",
        "Send these fields on the first chunk only; without a role it is assistant.",
        _events(_TEXT, {**_TEXT, "role": "user"}),
        _events(_TEXT, {**_TEXT, "role": "assistant"}),
    ),
    _rule(
        "chunk.owner_conflict",
        "A later chunk is tagged as its opener was, or not at all.",
        "Repeat the opener's subagentRunId, or leave it out.",
        _agents({**_TEXT, "subagentRunId": "g1"}, {**_TEXT, "subagentRunId": "g2"}),
        _agents({**_TEXT, "subagentRunId": "g1"}, _TEXT),
    ),
    _rule(
        "chunk.ambiguous_lane",
        "It is clear which stream a chunk without id and tag continues.",
        "Tag every chunk of a subagent, or repeat the id.",
        _agents(
            {**_TEXT, "subagentRunId": "g1"},
            {**_TEXT, "subagentRunId": "g2", "messageId": "m2"},
            _without(_TEXT, "messageId"),
        ),
        _agents(
            {**_TEXT, "subagentRunId": "g1"},
            {**_TEXT, "subagentRunId": "g2", "messageId": "m2"},
            {**_without(_TEXT, "messageId"), "subagentRunId": "g1"},
        ),
    ),
    _rule(
        "schema.malformed",
        "A field that AG-UI describes has a value of its kind, or is left out.",
        "Send the value as described; leave optional fields out in place of null.",
        _events(event("CUSTOM", name="acme:x", value=1, timestamp=1.5)),
        _events(event("CUSTOM", name="acme:x", value=1, timestamp=1_700_000_000_000)),
    ),
    _rule(
        "frame.bad_json",
        "The data of a frame is JSON.",
        "Write one JSON object per frame, with LF as the only line end.",
        _bytes(b"data: {oops}\n\n"),
        _WHOLE,
    ),
    _rule(
        "frame.not_object",
        "The JSON of a frame is an object.",
        "Send one event per frame, not a list and not null.",
        _bytes(b"data: null\n\n"),
        _WHOLE,
    ),
    _rule(
        "frame.no_type",
        "An event has a type, which is a string and not empty.",
        "Send the event's type in the member 'type'.",
        _bytes(b'data: {"a":1}\n\n'),
        _WHOLE,
    ),
    _rule(
        "frame.too_big",
        "A frame ends within ten million characters.",
        "End every frame with an empty line; send large values in pieces.",
        Example(body=_START + b"data: " + b"x" * 200, max_frame=150),
        Example(body=_START + _FINISH, max_frame=150),
    ),
    _rule(
        "frame.bad_proto",
        "A binary frame holds one event in Protocol Buffers.",
        "Write four bytes of length, big-endian, then one encoded event.",
        Example(body=_PROTO_ERROR + b"\0\0\0\1\0", content_type=PROTO_TYPE),
        Example(body=_PROTO_ERROR, content_type=PROTO_TYPE),
    ),
    _rule(
        "frame.truncated_proto",
        "A binary stream ends at the end of a frame.",
        "Send every frame whole; end a run with RUN_FINISHED or RUN_ERROR.",
        Example(body=_PROTO_ERROR + b"\0\0", content_type=PROTO_TYPE),
        Example(body=_PROTO_ERROR, content_type=PROTO_TYPE),
    ),
    _rule(
        "http.status",
        "The answer has a status of 2xx.",
        "Report what fails after the stream began as RUN_ERROR, not as a status.",
        Example(body=b"boom", status=500),
        _WHOLE,
    ),
    _rule(
        "input.interrupt_uncovered",
        "A run on a thread with open interrupts answers every one of them.",
        "Send one resume entry for each open interrupt; 'cancelled' is an answer.",
        Example(
            events=(STARTED, event("RUN_ERROR", message="unanswered")),
            run_input={},
            interrupts=_WAITING,
        ),
        _resumed(),
    ),
    _rule(
        "input.interrupt_expired",
        "An interrupt is resolved before it expires.",
        "Send status 'cancelled' for an interrupt that has expired.",
        _resumed(now="2026-01-02T00:00:00Z", expires="2026-01-01T00:00:00Z"),
        _resumed(now="2025-12-31T22:00:00Z", expires="2026-01-01T00:00:00+01:00"),
    ),
    _advice(
        "schema.unknown_type",
        "warning",
        "An event has a type of AG-UI 1.0.",
        "Send what AG-UI has no type for as CUSTOM; the client drops other types.",
        _events(event("PLUGIN_PING")),
        _events(event("CUSTOM", name="plugin:ping", value=None)),
    ),
    _advice(
        "schema.misspelt_type",
        "warning",
        "The type of an event is spelt as in AG-UI 1.0.",
        "Correct the type; the client drops the event, and with it what it says.",
        _events(event("TEXT_MESAGE_CHUNK", messageId="m1", delta="Hi")),
        _events(_TEXT),
        shown_from="spec",
    ),
    _advice(
        "schema.unknown_member",
        "warning",
        "An event has only fields and values that AG-UI 1.0 describes.",
        "Put what is your own under metadata; the client cuts everything else out.",
        _events({**_TEXT, "mood": "happy"}),
        _events({**_TEXT, "metadata": {"acme": "happy"}}),
    ),
    _advice(
        "schema.retired",
        "warning",
        "An event has today's name, not a retired one.",
        "Send REASONING_* in place of THINKING_*.",
        _events(event("THINKING_START"), event("THINKING_END")),
        _events(_THOUGHT),
    ),
    _advice(
        "transport.crlf",
        "warning",
        "Lines end with LF.",
        "Write '\\n', not '\\r\\n'; the official client cannot read it.",
        Example(body=_body(b"\r\n")),
        Example(body=_body(b"\n")),
    ),
    _advice(
        "transport.content_type",
        "warning",
        "The content type is text/event-stream.",
        "Send Content-Type: text/event-stream.",
        Example(body=_body(b"\n"), content_type="text/plain"),
        Example(body=_body(b"\n"), content_type="text/event-stream; charset=utf-8"),
    ),
    _advice(
        "transport.json_line_without_data",
        "warning",
        "Every line with an event begins with 'data:'.",
        "Write 'data: ' before the JSON; without it the event is lost.",
        Example(body=b'{"type":"RUN_ERROR","message":"lost"}\n\n' + _body(b"\n")),
        Example(body=_body(b"\n")),
    ),
    _advice(
        "transport.empty_data",
        "warning",
        "A frame has data.",
        "Send a comment line to keep a connection alive.",
        Example(body=b"data:\n\n" + _body(b"\n")),
        Example(body=b": alive\n\n" + _body(b"\n")),
    ),
    _advice(
        "dialect.translated",
        "dialect",
        "An event is in AG-UI 1.0, not in an older dialect.",
        "Send the field or event of AG-UI 1.0 that the message names.",
        Example(events=_OLD_RUN, dialect="tanstack"),
        Example(events=run(), dialect="tanstack"),
    ),
)
