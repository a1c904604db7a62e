"""Streams and soups of events for the laws of the stream processor."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import strategies as st

from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.processor.strategies import (
    BatchStrategy,
    CompositeStrategy,
    ImmediateStrategy,
    PunctuationStrategy,
    WordBoundaryStrategy,
)
from aistream_nb.core.wire.events import EVENT_TYPES

Event = dict[str, Any]
Mode = dict[str, Any]

IDS = st.sampled_from(["a", "b", "c", ""])
TEXT = st.text(alphabet='ab{}[]":,1 .\n\u00a0\U0001f680\ud83d\ude80', max_size=6)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=4,
)
RETIRED = (
    "THINKING_START",
    "THINKING_TEXT_MESSAGE_START",
    "THINKING_TEXT_MESSAGE_CONTENT",
)
FIELDS = (
    *("messageId", "toolCallId", "parentMessageId", "delta", "content", "role"),
    *("toolCallName", "toolName", "input", "result", "state", "stepName", "stepId"),
    *("name", "value", "data", "snapshot", "patch", "activityType", "messages"),
    *("outcome", "error", "message", "metadata", "index", "subtype", "entityId"),
    *("encryptedValue", "signature", "replace", "finishReason"),
)
APPROVAL = {"toolCallId": "a", "toolName": "f", "approval": {"id": "p"}}
GOOD_VALUES = st.sampled_from(
    [
        APPROVAL,
        {"toolCallId": "b", "toolName": "g", "input": {}},
        {"messageId": "a", "object": {"n": 1}},
        [{"op": "add", "path": "/n", "value": 1}],
        [{"id": "a", "role": "assistant", "content": "hello"}],
        [{"id": "t", "role": "tool", "toolCallId": "a", "content": "7"}],
        {
            "type": "interrupt",
            "interrupts": [{"id": "p", "reason": "tool_call", "toolCallId": "a"}],
        },
    ]
)
NAMES = st.sampled_from(
    [
        "approval-requested",
        "tool-input-available",
        "structured-output.start",
        "structured-output.complete",
        "other",
    ]
)


@st.composite
def soups(draw: st.DrawFn) -> list[Event]:
    """Events of any type, with fields that may or may not belong to it."""
    types = st.sampled_from((*EVENT_TYPES, *RETIRED, "NOBODY_KNOWS"))
    values = IDS | TEXT | GOOD_VALUES | NAMES | JUNK
    event = st.builds(
        lambda kind, fields: {**fields, "type": kind},
        types,
        st.dictionaries(st.sampled_from(FIELDS), values, max_size=7),
    )
    return draw(st.lists(event, max_size=14))


def text_event(delta: str, message_id: str = "m") -> Event:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


@st.composite
def streams(draw: st.DrawFn) -> list[Event]:
    """One well-formed stream: text, thinking, and calls, each after the other."""
    blocks = st.sampled_from(["text", "bare text", "thinking", "reasoning", "call"])
    events: list[Event] = []
    for number, block in enumerate(draw(st.lists(blocks, max_size=6))):
        deltas = draw(st.lists(TEXT, max_size=4))
        events += BLOCKS[block](f"{block}-{number}", deltas)
    return [{"type": "RUN_STARTED"}, *events, {"type": "RUN_FINISHED"}]


def _text_block(name: str, deltas: list[str]) -> list[Event]:
    start = {"type": "TEXT_MESSAGE_START", "messageId": name, "role": "assistant"}
    return [start, *_bare_text(name, deltas), {"type": "TEXT_MESSAGE_END"}]


def _bare_text(name: str, deltas: list[str]) -> list[Event]:
    return [text_event(delta, name) for delta in deltas]


def _thinking(name: str, deltas: list[str]) -> list[Event]:
    return [{"type": "STEP_FINISHED", "stepId": name, "delta": d} for d in deltas]


def _reasoning(name: str, deltas: list[str]) -> list[Event]:
    kind = "REASONING_MESSAGE_CONTENT"
    return [{"type": kind, "messageId": name, "delta": d} for d in deltas]


def call_events(name: str, deltas: list[str]) -> list[Event]:
    of_call = {"toolCallId": name}
    return [
        {"type": "TOOL_CALL_START", "toolCallName": "f", **of_call},
        *({"type": "TOOL_CALL_ARGS", "delta": d, **of_call} for d in deltas),
        {"type": "TOOL_CALL_END", **of_call},
        {"type": "TOOL_CALL_RESULT", "content": "7", **of_call},
    ]


BLOCKS = {
    "text": _text_block,
    "bare text": _bare_text,
    "thinking": _thinking,
    "reasoning": _reasoning,
    "call": call_events,
}
MODES = pytest.mark.parametrize(
    "mode",
    [{}, {"message_per_id": True, "final_states": True}],
    ids=["a message for a stream", "a message for an id"],
)
CHUNKINGS = st.sampled_from(
    [
        ImmediateStrategy,
        PunctuationStrategy,
        WordBoundaryStrategy,
        lambda: BatchStrategy(3),
        lambda: CompositeStrategy([PunctuationStrategy(), BatchStrategy(2)]),
    ]
)


def fold(events: list[Event], **options: Any) -> StreamProcessor:
    processor = StreamProcessor(**options)
    for event in events:
        processor.receive(event)
    return processor


def seen(processor: StreamProcessor) -> Any:
    """Everything that can be read of a processor."""
    return (
        processor.messages,
        processor.state.to_wire(),
        processor.result.to_wire(),
        processor.run,
        processor.shared_state,
        processor.activities,
        processor.current_id,
    )


def deltas_of(events: list[Event]) -> str:
    kind = "TEXT_MESSAGE_CONTENT"
    return joined([event["delta"] for event in events if event["type"] == kind])


def halves(text: str) -> list[int]:
    """The text as UTF-16 has it, where a character may be in two halves."""
    units = text.encode("utf-16-le", "surrogatepass")
    return [units[at] | units[at + 1] << 8 for at in range(0, len(units), 2)]


def joined(texts: list[str]) -> str:
    """Texts in a row, with halves of one character that met."""
    units = "".join(texts).encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "surrogatepass")


def shown_text(processor: StreamProcessor) -> str:
    return joined([message.text for message in processor.messages])


def brewed(dice: random.Random) -> list[Event]:
    """A soup without a generator's machinery, so that there can be very many."""
    values = [
        "a",
        "b",
        "x",
        "",
        "{",
        '{"n": 1}',
        " \n",
        None,
        7,
        True,
        [],
        {},
        APPROVAL,
    ]
    values += [[{"op": "add", "path": "/n", "value": 1}], [{"id": "a", "content": "t"}]]
    values += ["approval-requested", "structured-output.start", "tool-call"]
    return [
        {field: dice.choice(values) for field in dice.sample(FIELDS, dice.randrange(8))}
        | {"type": dice.choice(EVENT_TYPES)}
        for _ in range(dice.randrange(12))
    ]


_OFTEN = ("TEXT_MESSAGE_CONTENT",) * 5 + ("REASONING_MESSAGE_CONTENT",) * 2
_LIVELY = (
    *(*_OFTEN, "TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "TEXT_MESSAGE_CHUNK"),
    *("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"),
    *("STEP_STARTED", "STEP_FINISHED", "RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"),
    *("MESSAGES_SNAPSHOT", "CUSTOM"),
)


def lively(dice: random.Random) -> list[Event]:
    """A stream of few ids, in which much text goes on where it stopped."""
    return [_lively_event(dice) for _ in range(dice.randrange(2, 14))]


def _lively_event(dice: random.Random) -> Event:
    fields = {
        "messageId": dice.choice("ab"),
        "toolCallId": dice.choice("cd"),
        "delta": dice.choice(["x", "y ", "", "\ud83d", "\ude80", None, 7]),
        "role": dice.choice(["user", "assistant", 3]),
        "parentMessageId": dice.choice("ab"),
        "stepName": dice.choice("st"),
        "content": "7",
        "messages": [{"id": dice.choice("ab"), "role": "user", "content": "q"}],
        "name": dice.choice(["structured-output.start", "approval-requested"]),
        "value": {"messageId": "a", "toolCallId": "c", "approval": {"id": "p"}},
    }
    kept = {name: value for name, value in fields.items() if dice.random() < 0.8}
    return {**kept, "type": dice.choice(_LIVELY)}
