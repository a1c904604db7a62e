"""Laws of the stream processor, held against events nobody would write by hand."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from event_soups import (
    CHUNKINGS,
    MODES,
    TEXT,
    Event,
    Mode,
    brewed,
    call_events,
    deltas_of,
    fold,
    halves,
    joined,
    lively,
    seen,
    shown_text,
    soups,
    streams,
    text_event,
)
from hypothesis import example, given, strategies as st

from aistream_nb.core.messages import (
    TextPart,
    ThinkingPart,
    ToolResultPart,
    UIMessage,
)
from aistream_nb.core.processor.callbacks import ProcessorCallbacks
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.processor.strategies import (
    ImmediateStrategy,
)


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


@MODES
def test_listening_changes_nothing_of_a_lively_stream(mode: Mode):
    dice = random.Random(9)  # noqa: S311 - streams, not secrets
    for _ in range(3_000):
        events = lively(dice)
        heard = StreamProcessor(**mode, callbacks={"on_text_update": lambda *_: None})
        silent = StreamProcessor(**mode)
        for event in events:
            heard.receive(event)
            silent.receive(event)
            if dice.random() < 0.3:
                assert heard.messages == silent.messages
            if dice.random() < 0.2:
                assert heard.take_changes() == silent.take_changes()
        assert seen(heard) == seen(silent)


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
            events += call_events(f"call-{number}", [])
            is_open = False
    messages = fold(events).messages
    parts = [p for m in messages for p in m.parts if isinstance(p, TextPart)]
    assert [part.content for part in parts] == wanted
