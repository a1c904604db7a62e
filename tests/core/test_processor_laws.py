"""Laws of the stream processor, held against events nobody would write by hand."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from aistream_nb.core.events import EVENT_TYPES
from aistream_nb.core.messages import (
    TextPart,
    ThinkingPart,
    ToolResultPart,
    UIMessage,
)
from aistream_nb.core.processor import StreamProcessor
from aistream_nb.core.processor_callbacks import ProcessorCallbacks
from aistream_nb.core.strategies import (
    BatchStrategy,
    CompositeStrategy,
    ImmediateStrategy,
    PunctuationStrategy,
    WordBoundaryStrategy,
)

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


def _call(name: str, deltas: list[str]) -> list[Event]:
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
    "call": _call,
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


@MODES
def test_ten_thousand_soups_raise_nothing(mode: Mode):
    dice = random.Random(7)  # noqa: S311 - soups, not secrets
    for _ in range(10_000):
        processor = fold(brewed(dice), **mode)
        processor.finalize()
        assert processor.state.content == processor.result.content


@MODES
@given(soup=soups())
def test_no_soup_of_events_raises(mode: Mode, soup: list[Event]):
    processor = fold(soup, **mode)
    processor.finalize()
    assert seen(processor) == seen(processor)
    assert processor.to_model_messages(faithful=bool(mode)) is not None
    assert processor.are_all_tools_complete() in (True, False)


def meddle(dice: random.Random, processor: StreamProcessor) -> None:
    """What a host may do at any moment."""
    messages = list(processor.messages)
    dice.shuffle(messages)
    some = messages[: dice.randrange(4)]
    deeds: list[Callable[[], object]] = [
        lambda: processor.set_messages(some),
        lambda: processor.set_messages([message.to_wire() for message in some]),
        lambda: processor.prepend_messages(some),
        lambda: processor.remove_messages_after(dice.randrange(-3, 3)),
        lambda: processor.add_tool_result(dice.choice("ab"), {"n": 1}),
        lambda: processor.add_tool_approval_response("p", approved=True),
        lambda: processor.add_user_message("q"),
        processor.clear_messages,
        processor.prepare,
        processor.finalize,
        processor.start,
        processor.reset,
    ]
    dice.choice(deeds)()


@MODES
def test_no_host_disturbs_the_processor(mode: Mode):
    dice = random.Random(8)  # noqa: S311 - soups, not secrets
    for _ in range(2_000):
        processor = StreamProcessor(**mode)
        for event in brewed(dice):
            processor.receive(event)
            if dice.random() < 0.5:
                meddle(dice, processor)
            ids = {message.id for message in processor.messages}
            assert ids >= {m.id for m in map(processor.message, ids) if m is not None}
        processor.finalize()
        assert processor.messages == tuple(
            UIMessage.from_wire(message.to_wire(with_input=True))
            for message in processor.messages
        )


@pytest.mark.parametrize(
    "thing",
    [None, 7, "", "text", b"\xff", [], (), {}, {"type": []}, {"type": None}, object()],
)
def test_what_is_no_event_has_no_effect(thing: object):
    problems: list[Any] = []
    processor = StreamProcessor(callbacks={"on_problem": problems.append})
    processor.receive(thing)
    assert processor.messages == ()
    assert len(problems) == 1


@MODES
@given(soup=soups())
def test_finalize_never_raises_however_often(mode: Mode, soup: list[Event]):
    processor = fold(soup, **mode)
    for _ in range(3):
        processor.finalize()
        processor.prepare()


@MODES
@given(events=streams(), chunking=CHUNKINGS)
@example(
    events=[text_event("\ud83d"), text_event("\ude80")], chunking=ImmediateStrategy
)
def test_the_text_that_is_shown_is_the_text_that_came(
    mode: Mode, events: list[Event], chunking: Any
):
    processor = fold(events, **mode, strategy=chunking())
    processor.receive({"type": "RUN_ERROR", "message": "keeps blank messages"})
    processor.finalize()
    assert shown_text(processor) == deltas_of(events)
    assert joined([processor.result.content]) == deltas_of(events)


@MODES
@given(events=streams())
def test_the_thinking_that_is_shown_is_the_thinking_that_came(
    mode: Mode, events: list[Event]
):
    processor = fold(events, **mode)
    parts = [p for m in processor.messages for p in m.parts]
    shown = "".join(p.content for p in parts if isinstance(p, ThinkingPart))
    assert sorted(halves(shown)) == sorted(halves(processor.result.thinking or ""))


@MODES
@given(events=streams(), cut=st.integers(0, 30))
def test_a_fold_goes_on_where_it_stopped(mode: Mode, events: list[Event], cut: int):
    whole = fold(events, **mode)
    halves = fold(events[:cut], **mode)
    seen(halves)
    halves.take_changes()
    for event in events[cut:]:
        halves.receive(event)
    assert seen(halves) == seen(whole)


@MODES
@given(events=streams(), chunking=CHUNKINGS)
def test_a_replay_equals_the_run(mode: Mode, events: list[Event], chunking: Any):
    def run(stream: list[Event]) -> StreamProcessor:
        processor = StreamProcessor(**mode, strategy=chunking(), recording=True)
        processor.process(stream)
        return processor

    first = run(events)
    assert first.recording is not None
    again = run([dict(event) for event in first.recording.events])
    assert seen(again) == seen(first)
    assert again.recording == first.recording


@MODES
@given(events=streams(), data=st.data())
def test_a_delta_cut_in_two_changes_no_final_message(
    mode: Mode, events: list[Event], data: st.DataObject
):
    pieces: list[Event] = []
    for event in events:
        delta = event.get("delta")
        if delta:
            at = data.draw(st.integers(0, len(delta)))
            pieces += [{**event, "delta": delta[:at]}, {**event, "delta": delta[at:]}]
        else:
            pieces.append(event)
    cut, whole = fold(pieces, **mode), fold(events, **mode)
    cut.finalize()
    whole.finalize()
    assert cut.messages == whole.messages
    assert cut.result == whole.result


@MODES
@given(soup=soups())
def test_nothing_that_was_handed_in_is_modified(mode: Mode, soup: list[Event]):
    before = copy.deepcopy(soup)
    frozen = [MappingProxyType(event) for event in soup]
    processor = StreamProcessor(**mode)
    for event in frozen:
        processor.receive(event)
    processor.finalize()
    processor.add_tool_result("a", {"n": 1})
    processor.add_tool_approval_response("p", approved=True)
    assert repr(soup) == repr(before)


@MODES
@given(soup=soups())
def test_nothing_that_was_handed_out_changes(mode: Mode, soup: list[Event]):
    handed: list[tuple[Any, str]] = []
    callbacks = ProcessorCallbacks(
        on_messages_change=lambda messages: handed.append((messages, repr(messages))),
        on_state_change=lambda state: handed.append((state, repr(state))),
        on_activity_change=lambda shown: handed.append((shown, repr(shown))),
    )
    processor = fold(soup, **mode, callbacks=callbacks)
    processor.finalize()
    processor.add_tool_result("a", {"n": 1})
    processor.add_tool_approval_response("p", approved=False)
    assert all(repr(value) == written for value, written in handed)


@MODES
@given(soup=soups())
def test_a_message_that_did_not_change_is_the_same_object(
    mode: Mode, soup: list[Event]
):
    processor = StreamProcessor(**mode)
    before: tuple[UIMessage, ...] = ()
    for event in soup:
        processor.receive(event)
        after = processor.messages
        changed = set(processor.take_changes())
        kept = {m.id: m for m in before if m.id not in changed}
        assert all(kept.get(m.id, m) is m for m in after)
        assert {m.id for m in after} - {m.id for m in before} <= changed
        assert {m.id for m in before} - {m.id for m in after} <= changed
        before = after


@MODES
@given(soup=soups())
def test_listening_changes_nothing(mode: Mode, soup: list[Event]):
    def listen(*_: Any) -> None:
        return None

    names = ProcessorCallbacks.__dataclass_fields__
    everything = ProcessorCallbacks(**dict.fromkeys(names, listen))
    heard = fold(soup, **mode, callbacks=everything)
    silent = fold(soup, **mode)
    heard.finalize()
    silent.finalize()
    assert repr(seen(heard)) == repr(seen(silent))


@given(soup=soups(), value=TEXT)
def test_a_result_is_never_dropped(soup: list[Event], value: str):
    processor = fold([text_event("hello"), *soup])
    processor.receive({"type": "TOOL_CALL_RESULT", "toolCallId": "a", "content": value})
    if not processor.messages:
        processor.receive(
            {"type": "TOOL_CALL_START", "toolCallId": "a", "toolName": "f"}
        )
    results = [p for m in processor.messages for p in m.parts]
    told = [p.content for p in results if isinstance(p, ToolResultPart)]
    current_was_removed = processor.current_id not in {m.id for m in processor.messages}
    assert value in told or current_was_removed


@given(st.lists(st.sampled_from(["text", "start", "call"]), max_size=12))
def test_each_start_and_each_other_part_begins_a_text_part(kinds: list[str]):
    events: list[Event] = []
    wanted: list[str] = []
    is_open = False
    for number, kind in enumerate(kinds):
        if kind == "text":
            events.append(text_event(f"{number};"))
            wanted = (
                [*wanted[:-1], wanted[-1] + f"{number};"]
                if is_open
                else [
                    *wanted,
                    f"{number};",
                ]
            )
            is_open = True
        elif kind == "start":
            events.append({"type": "TEXT_MESSAGE_START", "messageId": "m"})
            is_open = False
        else:
            events += _call(f"call-{number}", [])
            is_open = False
    messages = fold(events).messages
    parts = [p for m in messages for p in m.parts if isinstance(p, TextPart)]
    assert [part.content for part in parts] == wanted
