"""The whole road of a chat under an agent that says anything and a person who clicks.

Random events of every type, with random members, in any order, while clicks fall at
random: to send, to stop, to decide, to ask anew, and what no button would send. The
view is open and its page keeps asking. Nothing raises, nothing is lost, every run ends,
and what the page was told is what is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from chat_kit import Agent
from fault_kit import calls_of, kept_text, kinds, steps, watch
from hypothesis import given, settings, strategies as st

import aistream_nb as ai
from aistream_nb.chat.agent import Task
from aistream_nb.chat.ids import counted_ids
from aistream_nb.errors import AIStreamError, OrderingError
from aistream_nb.widgets.transcript import TranscriptWidget

TYPES = [
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
    "REASONING_START",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "REASONING_END",
    "THINKING_TEXT_MESSAGE_CONTENT",
    "STATE_SNAPSHOT",
    "STATE_DELTA",
    "MESSAGES_SNAPSHOT",
    "ACTIVITY_SNAPSHOT",
    "ACTIVITY_DELTA",
    "RAW",
    "CUSTOM",
    "NOBODY_KNOWS_THIS",
]
NAMES = [
    "approval-requested",
    "aistream:asked",
    "aistream:decision",
    "aistream:executing",
    "aistream:round",
    "aistream:server-tool",
    "other",
]
IDS = st.sampled_from(["a", "b", "c", ""])
ODD = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 3),
        st.sampled_from([10**400, 1e300, float("nan"), "", "\ud800", "<script>", "a"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["id", "type", "role", "content", "op", "path", "value"]),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)
VALUE = st.fixed_dictionaries(
    {},
    optional={
        "toolCallId": IDS,
        "toolName": st.sampled_from(["look", "act"]),
        "approval": st.fixed_dictionaries({"id": IDS}),
        "approvalId": IDS,
        "decision": st.one_of(st.sampled_from(["proceed", "deny"]), ODD),
        "arguments": ODD,
        "usage": ODD,
    },
)
EVENT = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)},
    optional={
        "messageId": st.one_of(IDS, ODD),
        "toolCallId": st.one_of(IDS, ODD),
        "parentMessageId": st.one_of(IDS, ODD),
        "toolCallName": st.one_of(st.sampled_from(["look", "act"]), ODD),
        "delta": st.one_of(st.text(max_size=5), ODD),
        "role": st.one_of(st.sampled_from(["assistant", "user", "tool"]), ODD),
        "content": ODD,
        "name": st.one_of(st.sampled_from(NAMES), ODD),
        "value": st.one_of(VALUE, ODD),
        "snapshot": ODD,
        "messages": st.one_of(ODD, st.lists(ODD, max_size=3)),
        "outcome": st.one_of(
            st.fixed_dictionaries({"type": st.one_of(st.just("interrupt"), ODD)}), ODD
        ),
        "usage": ODD,
        "input": ODD,
        "metadata": ODD,
        "timestamp": ODD,
        "message": ODD,
    },
)
PAGE = {"page": "p1"}
CLICK = st.one_of(
    st.fixed_dictionaries({"type": st.just("send"), "text": st.text(max_size=4)}),
    st.just({"type": "stop"}),
    st.just({"type": "retry"}),
    st.fixed_dictionaries(
        {"type": st.just("edit"), "message": IDS, "text": st.text(max_size=4)}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("decide"),
            "call": IDS,
            "decision": st.one_of(st.sampled_from(["proceed", "deny"]), ODD),
        },
        optional={"reason": st.text(max_size=4), "always": st.booleans()},
    ),
    st.just({"type": "resync"}),
    st.fixed_dictionaries({"type": st.just("ready"), "views": st.integers(-1, 3)}),
    st.dictionaries(st.sampled_from(["type", "id", "text"]), ODD, max_size=3),
    ODD,
)


class Wild(Agent):
    """Says what it is given, a piece between two waits."""

    async def run(self, task: Task) -> None:
        task.emit({"type": "RUN_STARTED", "threadId": "t", "runId": task.run_id})
        try:
            for event in self.events:
                task.emit(event)
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            task.emit({"type": "RUN_ERROR", "message": "stopped"})
            raise
        task.emit({"type": "RUN_FINISHED", "threadId": "t", "runId": task.run_id})

    def rewind(self, question_id: str) -> bool:
        return question_id == "a"


def opened(chat: ai.Chat, sent: list[Any]) -> TranscriptWidget:
    widget = chat._view.widget()
    vars(widget)["_tell"] = lambda told: sent.append(told.model_dump(mode="json"))
    return widget


def press(widget: TranscriptWidget, number: int, click: Any) -> None:
    if isinstance(click, Mapping) and click.get("type") == "ready":
        click = {**PAGE, **click}
    if isinstance(click, Mapping):
        click = {"id": f"c{number}", **click}
    widget._hear(widget, click, [])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    events=st.lists(EVENT, max_size=25),
    clicks=st.lists(st.tuples(st.integers(0, 30), CLICK), max_size=12),
)
def test_an_agent_may_say_anything_while_a_person_clicks(
    events: Sequence[Mapping[str, Any]], clicks: Sequence[tuple[int, Any]]
):
    with steps() as turned:
        chat = ai.Chat(Wild(*events), ids=counted_ids("t"), clock=lambda: 0.0)
        watch(chat)
        sent: list[Any] = []
        widget = opened(chat, sent)
        task = turned.start(chat.send("Hi"))
        for step in range(31):
            for number, (at, click) in enumerate(clicks):
                if at == step:
                    turned.loop.call_soon(press, widget, number, click)
            turned.once()
        turned.until(lambda: task.done() and not chat.busy)
        assert task.exception() is None
        widget.flush()
        look(chat, widget)
        assert kinds(chat.recording.events)[0] == "RUN_STARTED"
        turned.run(chat.aclose())


def look(chat: ai.Chat, widget: TranscriptWidget) -> None:
    """What views read; nothing of it may raise."""
    for message in chat.conversation.messages:
        assert isinstance(message.text, str)
    for call in chat.conversation.tool_calls.values():
        assert isinstance(call.status, str)
    assert widget.get_state("_snapshot")
    assert chat._view.mimebundle()
    assert kept_text(chat.recording)
    assert repr(chat.conversation.usage) is not None


@settings(max_examples=60, deadline=None, derandomize=True)
@given(events=st.lists(EVENT, max_size=12))
def test_a_strict_chat_raises_one_kind_of_error(events: Sequence[Mapping[str, Any]]):
    with steps() as turned:
        chat = ai.Chat(Wild(*events), ids=counted_ids("t"), strict=True)
        task = turned.start(chat.send("Hi"))
        turned.until(task.done)
        error = task.exception()
        assert error is None or isinstance(error, OrderingError)
        assert (error is None) == (not chat.violations)
        assert not chat.busy
        turned.run(chat.aclose())


def text_of(size: int) -> list[dict[str, Any]]:
    start = {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
    delta = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "la "}
    return [start, *([delta] * size), {"type": "TEXT_MESSAGE_END", "messageId": "m"}]


def arguments_of(size: int) -> list[dict[str, Any]]:
    ids = {"toolCallId": "c"}
    start = {"type": "TOOL_CALL_START", "toolCallName": "act", **ids}
    delta = {"type": "TOOL_CALL_ARGS", "delta": "[1,", **ids}
    return [start, *([delta] * size), {"type": "TOOL_CALL_END", **ids}]


def storm_of(size: int) -> list[dict[str, Any]]:
    """Each of these breaks the order."""
    return [{"type": "TEXT_MESSAGE_END", "messageId": f"m{n}"} for n in range(size)]


def states_of(size: int) -> list[dict[str, Any]]:
    patch = [{"op": "add", "path": "/a", "value": 1}]
    return [{"type": "STATE_DELTA", "delta": patch}] * size


def calls_for(events: Sequence[Mapping[str, Any]]) -> int:
    """How many function calls a chat makes for these events."""
    chat = ai.Chat(Agent(*events), ids=counted_ids("t"), clock=lambda: 0.0)

    async def run() -> None:
        assert isinstance(chat._agent, Agent)
        chat._agent.go_on.set()
        await chat.send("Hi")
        await chat.aclose()

    return calls_of(lambda: asyncio.run(run()))


@pytest.mark.parametrize("make", [text_of, arguments_of, storm_of, states_of])
def test_an_event_costs_the_same_after_a_thousand(make: Any):
    """Eight times the events are due to take eight times the calls, not sixty-four."""
    calls_for(make(10))  # what is imported or compiled on first use is no growth
    assert calls_for(make(1600)) < 8 * 1.15 * calls_for(make(200))


def test_a_storm_of_violations_is_told_and_ends_no_run():
    with steps() as turned:
        agent = Agent(*storm_of(3000))
        agent.go_on.set()
        chat = ai.Chat(agent, ids=counted_ids("t"))
        assert turned.run(chat.send("Hi")).status == "finished"
        assert len(chat.violations) == 3000
        assert chat._view.mimebundle()
        turned.run(chat.aclose())


def test_a_strict_chat_ends_a_storm_at_its_first_event():
    with steps() as turned:
        chat = ai.Chat(Agent(*storm_of(50)), ids=counted_ids("t"), strict=True)
        with pytest.raises(AIStreamError, match="TEXT_MESSAGE_END"):
            turned.run(chat.send("Hi"))
        assert len(chat.violations) == 1
        turned.run(chat.aclose())
