"""The short ways come to the same as reading every message of every snapshot.

Messages are passed over, by identity, by equality or on the word of their owner; and a
call of which only the text grew is not read in full. Each is held here against a book
that does none of it. ``AISTREAM_HISTORIES`` sets how many conversations are tried.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.invocation.call import Policy
from aistream_nb.core.invocation.calls import CallBook
from aistream_nb.core.invocation.events import Diagnostic
from aistream_nb.core.invocation.message_memory import MessageMemory
from aistream_nb.core.invocation.snapshot import SnapshotChain

CONVERSATIONS = int(os.environ.get("AISTREAM_HISTORIES", "100"))


class Outside:
    """Tools and owners that change in the course of a conversation."""

    def __init__(self) -> None:
        self.tools: frozenset[str] = frozenset({"work"})
        self.owner: bool | None = None
        self.reports: list[tuple[str, str | None]] = []

    def executable(self, tool_name: str) -> bool:
        return tool_name in self.tools

    def ownership(self, part: Mapping[str, Any]) -> bool | None:
        del part
        return self.owner

    def report(self, diagnostic: Diagnostic) -> None:
        self.reports.append((diagnostic.code, diagnostic.tool_call_id))


class ReadsAll(MessageMemory):
    """Passes nothing over."""

    def due(self, messages: Sequence[Any], *, trust: bool = True) -> Sequence[int]:
        del trust
        return super().due(messages, trust=False)

    def holds_only(self, place: int, tool_call_id: str) -> bool:
        del place, tool_call_id
        return False  # so that no call is taken on the short way


class Reader:
    """A book, and all that it said."""

    def __init__(self, policy: Policy, *, reads_all: bool = False) -> None:
        self.outside = Outside()
        self.book = CallBook(policy, self.outside)
        self.reads_all = reads_all
        self.begin()

    def begin(self) -> None:
        if self.reads_all:
            self.book._memory = ReadsAll()

    def reset(self) -> None:
        self.book.reset()
        self.begin()

    def said(self, snapshot: Any) -> list[tuple[Any, ...]]:
        return [self.plain(command) for command in self.book.receive(snapshot)]

    @staticmethod
    def plain(command: Any) -> tuple[Any, ...]:
        fields = (
            getattr(command, name) for name in command.__slots__ if name != "call"
        )
        return (type(command).__name__, command.call.tool_call_id, *map(repr, fields))


TEXTS = [
    "",
    "{",
    '{"n":',
    '{"n":1',
    '{"n":1}',
    '{ "n": 1.0 }',
    '{"n":12',
    "[",
    "7",
    "x",
]
PARTS = st.builds(
    lambda name, tool, text, extra: {
        "type": "tool-call",
        "toolCallId": name,
        "toolName": tool,
        "argsText": text,
        **extra,
    },
    st.sampled_from("abcdef"),
    st.sampled_from(["work", "work", "later"]),
    st.sampled_from(TEXTS),
    st.sampled_from(
        [
            {},
            {},
            {},
            {"result": 1},
            {"result": 2},
            {"result": 3, "isPreliminary": True},
            {"approval": {"id": "p"}},
            {"toolName": None},
            {"messages": [{"content": [{"type": "text"}]}]},
        ]
    ),
)
MESSAGES = st.builds(lambda parts: {"content": parts}, st.lists(PARTS, max_size=2))
STEPS = st.one_of(
    st.tuples(st.just("put"), st.integers(0, 5), MESSAGES),
    st.tuples(st.just("grow"), st.integers(0, 5), st.sampled_from(TEXTS)),
    st.tuples(st.just("grow"), st.just(5), st.sampled_from(['"a', "b", '": 1', "}"])),
    st.tuples(st.just("answer"), st.integers(0, 5), st.integers(0, 2)),
    st.tuples(st.just("drop"), st.integers(0, 5), st.none()),
    st.tuples(st.just("run"), st.none(), st.booleans()),
    st.tuples(st.just("load"), st.none(), st.booleans()),
    st.tuples(st.just("tools"), st.none(), st.sampled_from(["work", "later", ""])),
    st.tuples(st.just("owner"), st.none(), st.sampled_from([None, True, False])),
    st.tuples(st.just("reset"), st.none(), st.none()),
    st.tuples(st.just("again"), st.none(), st.none()),
)


class Talk:
    """A conversation whose messages are replaced, never edited.

    No call is in it twice: two that differ would be news to each other for ever, and
    there the short ways say less.
    """

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.running = True
        self.loading = False

    def step(self, kind: str, place: int | None, value: Any) -> None:
        getattr(self, f"_{kind}", self._nothing)(place, value)

    def _nothing(self, _place: Any, _value: Any) -> None:
        """The step is not about the messages."""

    def _put(self, place: int, message: dict[str, Any]) -> None:
        others = [*self.messages[:place], *self.messages[place + 1 :]]
        known = {part["toolCallId"] for one in others for part in one["content"]}
        parts = {part["toolCallId"]: part for part in message["content"]}
        content = [part for name, part in parts.items() if name not in known]
        self.messages[place : place + 1] = [{"content": content}]

    def _drop(self, place: int, _: None) -> None:
        del self.messages[place : place + 1]

    def _run(self, _: None, running: bool) -> None:  # noqa: FBT001 -- a step
        self.running = running

    def _load(self, _: None, loading: bool) -> None:  # noqa: FBT001 -- a step
        self.loading = loading

    def _grow(self, place: int, text: str) -> None:
        self._edit(place, lambda part: {"argsText": part["argsText"] + text})

    def _answer(self, place: int, result: int) -> None:
        self._edit(place, lambda _: {"result": result})

    def _edit(self, place: int, change: Any) -> None:
        place = min(place, len(self.messages) - 1)
        if place >= 0:
            message = self.messages[place]
            parts = [part | change(part) for part in message["content"]]
            self.messages[place] = message | {"content": parts}

    def flags(self) -> dict[str, Any]:
        return {"isRunning": self.running, "isLoading": self.loading}


class Ways:
    """The same conversation, shown in every way that there is."""

    NAMES: ClassVar = ("every message", "shared", "decoded anew", "mixed", "linked")

    def __init__(self, policy: Policy) -> None:
        self.readers = {
            name: Reader(policy, reads_all=name == "every message")
            for name in self.NAMES
        }
        self.chain = SnapshotChain()
        self.linked: list[dict[str, Any]] = []

    def shown(self, name: str, talk: Talk, draw: st.DataObject) -> Any:
        messages, flags = talk.messages, talk.flags()
        if name == "linked":
            return self.link(talk)
        if name == "decoded anew":
            return {"messages": copy.deepcopy(messages), **flags}
        if name == "mixed":
            mixed = [
                copy.deepcopy(one) if draw.draw(st.booleans()) else one
                for one in messages
            ]
            return {"messages": mixed, **flags}
        return {"messages": [*messages], **flags}

    def link(self, talk: Talk) -> Any:
        """In the one list of the chain, only what is another message is named."""
        before, now = self.linked[:], talk.messages
        changed = [
            place
            for place, message in enumerate(now)
            if place >= len(before) or message is not before[place]
        ]
        self.linked[:] = now
        return self.chain.link(
            self.linked, changed, is_running=talk.running, is_loading=talk.loading
        )

    def step(self, kind: str, value: Any) -> None:
        for reader in self.readers.values():
            if kind == "tools":
                reader.outside.tools = frozenset({value})
            elif kind == "owner":
                reader.outside.owner = value
            elif kind == "reset":
                reader.reset()


@settings(max_examples=CONVERSATIONS, deadline=None)
@given(
    steps=st.lists(STEPS, max_size=25),
    execute_when=st.sampled_from(["args_complete", "run_settled"]),
    on_divergence=st.sampled_from([None, "execute_latest"]),
    draw=st.data(),
)
def test_every_way_of_showing_a_conversation_comes_to_the_same(
    steps: list[tuple[str, Any, Any]],
    execute_when: Any,
    on_divergence: Any,
    draw: st.DataObject,
) -> None:
    talk = Talk()
    ways = Ways(Policy(execute_when=execute_when, on_divergence=on_divergence))
    for kind, place, value in steps:
        talk.step(kind, place, value)
        ways.step(kind, value)
        said = {
            name: reader.said(ways.shown(name, talk, draw))
            for name, reader in ways.readers.items()
        }
        for name in ways.NAMES:
            assert said[name] == said["every message"], name
    wanted = ways.readers["every message"]
    for name, reader in ways.readers.items():
        assert reader.book.ledger == wanted.book.ledger, name
        assert reader.outside.reports == wanted.outside.reports, name


# ---------------------------------------------------------------- a chain of snapshots


def call(tool_call_id: str, text: str = "{}", **fields: Any) -> dict[str, Any]:
    part = {"type": "tool-call", "toolCallId": tool_call_id, "toolName": "work"}
    return {"content": [{**part, "argsText": text, **fields}]}


def opened(said: list[tuple[Any, ...]]) -> list[str]:
    return [name for kind, name, *_ in said if kind == "Open"]


@pytest.fixture
def reader() -> Reader:
    reader = Reader(Policy())
    assert reader.said({"messages": [], "isRunning": True}) == []
    return reader


def test_a_link_that_was_missed_means_that_everything_is_read(reader: Reader) -> None:
    chain, messages = SnapshotChain(), list[Any]()
    reader.said(chain.link(messages, (), is_running=True))
    messages.append(call("missed"))
    chain.link(messages, (0,), is_running=True)
    messages.append(call("seen"))
    said = reader.said(chain.link(messages, (1,), is_running=True))
    assert opened(said) == ["missed", "seen"]


def test_the_chain_of_somebody_else_is_not_trusted(reader: Reader) -> None:
    one, other, messages = SnapshotChain(), SnapshotChain(), list[Any]()
    reader.said(one.link(messages, (), is_running=True))
    messages.append(call("a"))
    assert opened(reader.said(other.link(messages, (), is_running=True))) == ["a"]


def test_after_a_reset_a_link_is_history(reader: Reader) -> None:
    chain, messages = SnapshotChain(), [call("a")]
    assert opened(reader.said(chain.link(messages, (0,), is_running=True))) == ["a"]
    reader.reset()
    assert reader.said(chain.link(messages, (), is_running=True)) == []
    messages.append(call("b"))
    assert opened(reader.said(chain.link(messages, (1,), is_running=True))) == ["b"]


def test_new_messages_at_the_end_need_not_be_named(reader: Reader) -> None:
    chain, messages = SnapshotChain(), [call("a")]
    reader.said(chain.link(messages, (), is_running=True))
    messages.append(call("b"))
    assert opened(reader.said(chain.link(messages, (), is_running=True))) == ["b"]


def test_a_host_may_go_on_by_itself_behind_a_chain(reader: Reader) -> None:
    chain, messages = SnapshotChain(), [call("a")]
    reader.said(chain.link(messages, (), is_running=True))
    plain = {"messages": [*messages, call("b")], "isRunning": True}
    assert opened(reader.said(plain)) == ["b"]


def test_a_call_that_waits_for_its_tool_is_read_though_nothing_changed(
    reader: Reader,
) -> None:
    chain = SnapshotChain()
    messages = [call("a", result=1, isPreliminary=True)]
    reader.outside.tools = frozenset()
    reader.said(chain.link(messages, (), is_running=True))
    reader.outside.tools = frozenset({"work"})
    said = reader.said(chain.link(messages, (), is_running=True))
    assert [kind for kind, *_ in said] == ["CloseArguments"]


# ---------------------------------------------------------------- what is not past


def decoded(*messages: Any, **flags: Any) -> dict[str, Any]:
    """A state of which every object is new; two more messages come behind."""
    shown = copy.deepcopy([*messages, {"content": []}, {"content": []}])
    return {"messages": shown, "isRunning": True, **flags}


def test_what_was_answered_live_is_compared_with_all_it_says(reader: Reader) -> None:
    reader.said(decoded(call("a", "{}", result=1)))
    assert reader.said(decoded(call("a", "{}", result=1))) == []
    ((kind, _, event),) = reader.said(decoded(call("a", "[]", result=1)))
    assert (kind, event) == ("Tell", "ArgsChanged(before='{}', after='[]')")


def test_a_part_of_history_that_was_malformed_is_read_when_it_is_mended() -> None:
    reader = Reader(Policy())
    broken, whole = call("a"), call("a")
    broken["content"][0]["argsText"] = 7
    for _ in range(2):
        assert reader.said(decoded(broken)) == []
    assert opened(reader.said(decoded(whole))) == ["a"]


def test_history_that_is_loaded_twice_is_read_twice() -> None:
    reader = Reader(Policy())
    reader.said(decoded(call("a", result=1), isLoading=True))
    reader.said(decoded(call("a"), isLoading=True))
    assert [row.outcome for row in reader.book.ledger] == ["restored"]


def test_a_call_in_a_call_of_the_past_is_found(reader: Reader) -> None:
    reader.reset()
    inner = call("inner")
    reader.said(decoded(call("a", result=1, messages=[])))
    said = reader.said(decoded(call("a", result=1, messages=[inner])))
    assert opened(said) == ["inner"]
