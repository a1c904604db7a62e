"""One conversation: AG-UI events in, traits and one :class:`Change` for each event out.

Rules that a change here must keep:

1. Everything enters through :meth:`Conversation.receive`, so a replay ends in the
   same state as the run. Times are those on the events.
2. A delta costs the same however long the text or the history has become.
3. What only AG-UI's neighbours say (a decision, an execution, a round's usage)
   arrives as CUSTOM events named ``aistream:…`` and is read from a table.

No browser and no network live here; views are in :mod:`aistream_nb.widgets`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, Literal, TypeAlias

from traitlets import Any as AnyTrait, Dict, Tuple, Unicode

from aistream_nb.conversation.calls import CallBook
from aistream_nb.conversation.change import Change
from aistream_nb.conversation.kept import Kept
from aistream_nb.conversation.listeners import Observed, Shield
from aistream_nb.conversation.models import MessageModel, ToolCallModel
from aistream_nb.conversation.reading import (
    as_processed,
    mapping_at,
    mappings,
    seconds,
    text_from,
)
from aistream_nb.conversation.roster import Roster
from aistream_nb.core.messages import UIMessage
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.values import Event, is_mapping
from aistream_nb.core.wire.events import as_event

__all__ = ["Conversation", "RunStatus"]

RunStatus: TypeAlias = Literal[
    "idle", "running", "waiting", "finished", "error", "aborted"
]

_GROWTH: Final = frozenset(
    {"TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "REASONING_MESSAGE_CONTENT"}
)
"""Events that only let something grow: no call appears, no status changes."""

_STATE_EVENTS: Final = frozenset({"STATE_SNAPSHOT", "STATE_DELTA"})


class Conversation(Observed):
    """A conversation that scripts can read and notebooks can observe.

    >>> conversation = Conversation()
    >>> for event in [
    ...     {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    ...     {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    ...     {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hello"},
    ... ]:
    ...     change = conversation.receive(event)
    >>> conversation.messages[-1].text, conversation.status
    ('Hello', 'running')
    """

    messages = Tuple((), help="The messages, in order.")
    tool_calls = Dict({}, help="Every tool call of the conversation, by its id.")
    status = Unicode("idle", help="idle, running, waiting, finished, error, aborted.")
    error = Unicode("", help="Why the last run failed; empty if it did not.")
    model = Unicode("", help="The model that answered last; empty if nobody said.")
    state = AnyTrait(None, help="The shared state that the agent sent, or None.")
    usage = Dict({}, help="Tokens by kind, summed over the conversation.")
    timing = Dict({}, help="Seconds of the last run: started, first_token, ended.")

    def __init__(self) -> None:
        super().__init__()
        self._subscribers: list[Shield] = []
        self._begin()

    def _begin(self) -> None:
        self._processor = StreamProcessor(message_per_id=True)
        self._roster = Roster(
            lambda name: MessageModel(self, name), self._processor.message_ids
        )
        self._calls = CallBook(self)
        self._tools: dict[str, Mapping[str, Any]] = {}
        self._round_usage_seen = False
        self._in_run = False

    # ------------------------------------------------------------ reading

    @property
    def processor(self) -> StreamProcessor:
        """The fold behind the traits; read it, and write through :meth:`receive`."""
        return self._processor

    def message(self, message_id: str) -> MessageModel | None:
        """The message with this id, or ``None``."""
        return self._roster.get(message_id)

    def tool_call(self, call_id: str) -> ToolCallModel | None:
        """The tool call with this id, or ``None``."""
        return self.tool_calls.get(call_id)

    def read_message(self, message_id: str) -> UIMessage | None:
        """The message as the processor has it: a frozen value."""
        return self._processor.message(message_id)

    def read_tool(self, name: str) -> Mapping[str, Any]:
        """What the last run's input says of a tool; empty if it says nothing."""
        return self._tools.get(name, {})

    def subscribe(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Call ``callback`` after every event; the answer is what ends it.

        What it raises is logged and harms neither the fold nor another subscriber.
        """
        shield = Shield(callback)
        self._subscribers.append(shield)

        def unsubscribe() -> None:
            if shield in self._subscribers:
                self._subscribers.remove(shield)

        return unsubscribe

    # ------------------------------------------------------------ writing

    def receive(self, event: object) -> Change:
        """Fold one AG-UI event: a mapping, JSON text, or an object of the SDK.

        Never raises for what is in the event: order is judged elsewhere, and a field
        that makes no sense is treated as the processor's specification says.
        """
        wire = _read(event)
        kind = text_from(wire.get("type"))
        before = self._BEFORE.get(kind)
        if before is not None:
            before(self, wire)
        self._processor.receive(as_processed(wire))
        after = self._AFTER.get(kind)
        run = False if after is None else after(self, wire)
        change = self._absorb(wire, kind, run=run)
        self._tell(change)
        return change

    def receive_all(self, events: Iterable[object]) -> None:
        """Fold many events, one after another."""
        for event in events:
            self.receive(event)

    def reset(self) -> None:
        """Forget everything; views start afresh."""
        self._begin()
        for name, empty in self._EMPTY.items():
            self.set_trait(name, empty)
        self._tell(Change(reset=True, structure=True, run=True))

    def keep(self) -> Kept:
        """The conversation as it is now; what did not change is not copied again."""
        return Kept(
            processor=self._processor.keep(),
            messages=self._roster.ids,
            calls=self._calls.keep(),
            tools=dict(self._tools),
            round_usage_seen=self._round_usage_seen,
            in_run=self._in_run,
            traits={name: getattr(self, name) for name in Kept.TRAITS},
        )

    def put_back(self, kept: Kept) -> None:
        """Make it as it was when it was kept, and tell what is different now.

        It costs what is different. No reset is told: a view redraws that and nothing
        else, and a model that is still there stays the same object.
        """
        self._processor.put_back(kept.processor)
        changed = self._processor.take_changes()
        self._tools = dict(kept.tools)
        self._round_usage_seen, self._in_run = kept.round_usage_seen, kept.in_run
        self._roster.set(kept.messages)
        there = [name for name in changed if name in self._roster]
        messages = [found for it in there if (found := self.read_message(it))]
        calls = [call.id for message in messages for call in message.tool_calls]
        touched = self._calls.put_back(kept.calls, changed=calls)
        self.messages = self._roster.models
        self.tool_calls = self._calls.models
        for name, value in kept.traits.items():
            self.set_trait(name, value)
        self._touch(message.id for message in messages)
        self._tell(
            Change(messages=changed, tool_calls=touched, structure=True, run=True)
        )

    def _tell(self, change: Change) -> None:
        for callback in tuple(self._subscribers):
            callback(change)

    # ------------------------------------------------------------ folding

    def _absorb(self, event: Event, kind: str, *, run: bool) -> Change:
        growth = kind in _GROWTH and not self._processor.has_chunks
        changed = self._processor.take_changes()
        structure = self._appeared_or_went(changed, growth=growth)
        if kind == "MESSAGES_SNAPSHOT":
            structure = self._roster.set(self._processor.message_ids())
        elif structure:
            structure = self._roster.follow(changed)
        if structure:
            self.messages = self._roster.models
        if growth:
            self._calls.note_growth(event)
        else:
            self._note_calls(changed, event)
        if kind == "MESSAGES_SNAPSHOT":
            self._forget_calls()
        self.tool_calls = self._calls.models
        self._touch(changed)
        touched = self._calls.take_touched()
        waiting = not growth and self._note_waiting()
        return Change(
            messages=changed,
            tool_calls=touched,
            structure=structure,
            run=run or waiting,
            growth=growth and not structure,
        )

    def _appeared_or_went(self, changed: tuple[str, ...], *, growth: bool) -> bool:
        if growth:
            return any(name not in self._roster for name in changed)
        return any(
            (self.read_message(name) is None) is (name in self._roster)
            for name in changed
        )

    def _touch(self, message_ids: Iterable[str]) -> None:
        for message_id in message_ids:
            model = self._roster.get(message_id)
            if model is not None:
                model.touch()

    def _note_calls(self, changed: tuple[str, ...], event: Event) -> None:
        for message_id in changed:
            message = self._processor.message(message_id)
            if message is not None:
                self._calls.note_message(message, event)

    def _forget_calls(self) -> None:
        messages = self._processor.messages
        held = {part.id for message in messages for part in message.tool_calls}
        self._calls.forget_all_but(held)

    def _note_waiting(self) -> bool:
        """Say ``waiting`` while a person is asked during a run."""
        if not self._in_run:
            return False
        now = "waiting" if self._calls.is_asking else "running"
        changed = now != self.status
        self.status = now
        return changed

    # ------------------------------------------------------------ rules by event

    def _open_run(self, event: Event) -> None:
        self._processor.prepare()
        self._round_usage_seen = False
        clients = mapping_at(event, "input").get("tools")
        agents = mapping_at(event, "metadata", "aistream").get("tools")
        for tool in (*mappings(clients), *mappings(agents)):
            self._tools[text_from(tool.get("name"))] = tool

    def _started(self, event: Event) -> bool:
        self._in_run = True
        self.status, self.error = "running", ""
        self.timing = {"started": seconds(event)}
        return True

    def _finished(self, event: Event) -> bool:
        outcome = mapping_at(event, "outcome").get("type")
        self._close_run(event, stop_unanswered=outcome == "cancelled")
        self.status = self._OUTCOMES.get(text_from(outcome), "finished")
        return True

    def _failed(self, event: Event) -> bool:
        self._close_run(event, stop_unanswered=True)
        message = event.get("message") or mapping_at(event, "error").get("message")
        self.error = text_from(message) or "An error occurred"
        self.status = "error"
        return True

    def _close_run(self, event: Event, *, stop_unanswered: bool) -> None:
        self._in_run = False
        self._processor.finalize()
        self._calls.close_run(stop_unanswered=stop_unanswered)
        if not self._round_usage_seen:
            for counted in mappings(event.get("usage")):
                self._add_usage(counted)
        self.timing = {**self.timing, "ended": seconds(event)}

    def _first_token(self, event: Event) -> bool:
        if "first_token" in self.timing or not self.timing:
            return False
        self.timing = {**self.timing, "first_token": seconds(event)}
        return True

    def _answered(self, event: Event) -> bool:
        self._calls.note_result(event)
        return False

    def _take_state(self, event: Event) -> bool:
        del event
        self.state = self._processor.shared_state
        return True

    def _custom(self, event: Event) -> bool:
        rule = self._CUSTOM.get(text_from(event.get("name")))
        given = event.get("value", event.get("data"))
        value: Mapping[str, Any] = given if is_mapping(given) else {}
        if rule is not None:
            rule(self, value, event)
        return rule is not None

    def _asked(self, value: Mapping[str, Any], event: Event) -> None:
        self._calls.note_question(value, event)

    def _decided(self, value: Mapping[str, Any], event: Event) -> None:
        approval_id = self._calls.note_decision(value, event)
        if approval_id is not None:
            self._processor.add_tool_approval_response(
                approval_id, approved=value.get("decision") == "proceed"
            )

    def _executing(self, value: Mapping[str, Any], event: Event) -> None:
        self._calls.note_execution(value, event)

    def _round_ended(self, value: Mapping[str, Any], event: Event) -> None:
        del event
        self.model = text_from(value.get("model"))
        usage = value.get("usage")
        if is_mapping(usage):
            self._round_usage_seen = True
            self._add_usage(usage)

    def _add_usage(self, counted: Mapping[str, Any]) -> None:
        total = dict(self.usage)
        for kind, count in counted.items():
            if isinstance(count, int) and not isinstance(count, bool):
                total[kind] = total.get(kind, 0) + count
        self.usage = total

    _OUTCOMES: ClassVar[Mapping[Any, RunStatus]] = {
        "cancelled": "aborted",
        "interrupt": "waiting",
    }
    _EMPTY: ClassVar[Mapping[str, Any]] = {
        "messages": (),
        "tool_calls": {},
        "status": "idle",
        "error": "",
        "model": "",
        "state": None,
        "usage": {},
        "timing": {},
    }
    _BEFORE: ClassVar[Mapping[str, Callable[..., None]]] = {"RUN_STARTED": _open_run}
    _AFTER: ClassVar[Mapping[str, Callable[..., bool]]] = {
        "RUN_STARTED": _started,
        "RUN_FINISHED": _finished,
        "RUN_ERROR": _failed,
        "TEXT_MESSAGE_CONTENT": _first_token,
        "TEXT_MESSAGE_CHUNK": _first_token,
        "TOOL_CALL_RESULT": _answered,
        "CUSTOM": _custom,
        **dict.fromkeys(_STATE_EVENTS, _take_state),
    }
    _CUSTOM: ClassVar[Mapping[str, Callable[..., None]]] = {
        "approval-requested": _asked,
        "aistream:asked": _asked,
        "aistream:decision": _decided,
        "aistream:executing": _executing,
        "aistream:round": _round_ended,
    }


def _read(event: object) -> Event:
    """The event as a mapping; what is none has no effect, and is told as a problem."""
    try:
        return as_event(event)
    except (TypeError, ValueError):
        return {}
