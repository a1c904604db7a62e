"""The official reading of a thread: what its messages and its state are (AG-UI, 10).

:class:`ThreadReducer` folds *explicit* events (``core.wire.reader`` makes chunks and
retired spellings explicit) into AG-UI messages, the shared state, the outcome of the
run, the calls that wait for an answer and the interrupts that wait for a person.

Rules that a change must keep. Nothing is fatal: what cannot be applied is a
:class:`ReducerNote`, and the rest stands. Nothing that an event holds is shared with
what the reducer gives out. The order of events is judged elsewhere
(``core.ordering``); here an event simply has its effect, or none.

The messages of ``core.processor`` are another thing: parts for a person to look at,
in the dialects of several producers. These are the wire's, for the next request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.core.json_patch import PatchError, apply_patch
from aistream_nb.core.partial_json.tokens import grow_text
from aistream_nb.core.thread.messages import ThreadMessages
from aistream_nb.core.thread.snapshot import Message
from aistream_nb.core.values import Event, copy_json, is_mapping, present
from aistream_nb.core.wire.reader import EventReader

__all__ = ["ReducerNote", "ThreadReducer", "apply_events"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReducerNote:
    """Something that an event asked for and that could not be done."""

    rule: str
    message: str
    ids: tuple[str, ...] = ()


class ThreadReducer:
    """Messages, state and outcome of a thread, one explicit event at a time.

    >>> reducer = ThreadReducer()
    >>> for event in (
    ...     {"type": "TEXT_MESSAGE_START", "messageId": "m1"},
    ...     {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "Hi"},
    ... ):
    ...     _ = reducer.receive(event)
    >>> reducer.messages
    [{'id': 'm1', 'role': 'assistant', 'content': 'Hi'}]
    """

    def __init__(
        self,
        *,
        messages: Iterable[Mapping[str, Any]] = (),
        state: object = None,
        interrupts: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self._thread = ThreadMessages(messages)
        self._state: Any = {} if state is None else copy_json(state)
        self._interrupts: list[Any] = copy_json(list(interrupts))
        self._started: dict[str, None] = {}  # the calls of this run, in order
        self._answered: set[str] = set()
        self._notes: list[ReducerNote] = []
        self.outcome: str | None = None
        """``success``, ``interrupt`` or ``cancelled``: of the last finished run."""
        self.run_error: str | None = None
        """The message of the last RUN_ERROR."""
        self.ended: str = "none"
        """``none``, ``truncated`` (a run is open), ``finished`` or ``error``."""
        self._pending: list[str] | None = None

    @property
    def messages(self) -> list[Message]:
        """The messages so far; a copy."""
        return self._thread.copied()

    @property
    def state(self) -> Any:
        """The shared state so far; a copy."""
        return copy_json(self._state)

    @property
    def pending_tool_call_ids(self) -> list[str] | None:
        """The calls that the last finished run left unanswered, if it succeeded."""
        return None if self._pending is None else list(self._pending)

    @property
    def pending_interrupts(self) -> list[dict[str, Any]]:
        """What waits for a person, until a run finishes without an interrupt."""
        return copy_json(self._interrupts)

    def receive(self, event: Event) -> tuple[ReducerNote, ...]:
        """Apply one explicit event; the answer is what could not be applied."""
        self._notes = []
        apply = _EFFECTS.get(event["type"])
        if apply is not None:
            apply(self, event)
        return tuple(self._notes)

    def find(self, message_id: str) -> Mapping[str, Any] | None:
        """The first message with this id, to look at and not to change."""
        return self._thread.find(message_id)

    def find_call(self, call_id: str) -> Mapping[str, Any] | None:
        """The first call with this id, to look at and not to change."""
        found = self._thread.find_call(call_id)
        return found and found[1]

    def results_of(self, call_id: str) -> list[str]:
        """The ids of the tool messages that answer a call."""
        return self._thread.results_of(call_id)

    def unanswered_calls(self) -> list[str]:
        """The ids of all calls in the messages that have no tool message."""
        return self._thread.unanswered_calls()

    def _call(self, call_id: str) -> dict[str, Any] | None:
        found = self._thread.find_call(call_id)
        return found and found[1]

    def _note(self, rule: str, message: str, *ids: str) -> None:
        self._notes.append(ReducerNote(rule=rule, message=message, ids=ids))

    # ------------------------------------------------------------ text, reasoning

    def start_text(self, event: Event, *, role: str | None = None) -> None:
        """A message with this id, if there is none."""
        message_id = event["messageId"]
        message = self._thread.find(message_id)
        if message is None:
            message = self._thread.append(
                {
                    "id": message_id,
                    "role": role or event.get("role", "assistant"),
                    "content": "",
                    **_picked(event, "name", "subagentRunId"),
                }
            )
        elif message.get("role") == "activity":
            self._note(
                "text.lands_on_activity",
                f"message {message_id!r} is an activity, which takes no text",
                message_id,
            )
            return
        _merge_metadata(message, event)

    def start_reasoning(self, event: Event) -> None:
        """A reasoning message with this id, if there is none."""
        self.start_text(event, role="reasoning")

    def add_text(self, event: Event) -> None:
        """Text behind what the message says, whatever its role."""
        message = self._thread.find(event["messageId"])
        if message is None or message.get("role") == "activity":
            self._note(
                "text.lands_nowhere",
                f"there is no message {event['messageId']!r} that takes text",
                event["messageId"],
            )
            return
        if not isinstance(message.get("content"), str):
            message["content"] = ""
        grow_text(message, "content", event["delta"])
        _merge_metadata(message, event)

    def end_text(self, event: Event) -> None:
        """The end of a message brings only metadata."""
        message = self._thread.find(event["messageId"])
        if message is not None and message.get("role") != "activity":
            _merge_metadata(message, event)

    # ------------------------------------------------------------ calls

    def start_call(self, event: Event) -> None:
        """A call in the message that it belongs to."""
        call_id, name = event["toolCallId"], event["toolCallName"]
        self._started[call_id] = None
        call = self._call(call_id)
        if call is None:
            function = {"name": name, "arguments": ""}
            call = {"id": call_id, "type": "function", "function": function}
            self._thread.add_call(self._holder(event), call)
        elif call["function"]["name"] != name:
            self._note("tool.renamed", f"call {call_id!r} changes its name", call_id)
            call["function"]["name"] = name
        _merge_metadata(call, event)

    def _holder(self, event: Event) -> Message:
        parent_id: str = event.get("parentMessageId") or ""
        parent = self._thread.find(parent_id) if parent_id else None
        if parent is not None:
            if parent.get("role") == "assistant":
                return parent
            self._note(
                "tool.parent_not_assistant",
                f"message {parent_id!r} is no assistant message and holds no calls",
                parent_id,
            )
            parent_id = ""
        holder: Message = {"id": parent_id or event["toolCallId"], "role": "assistant"}
        if self._thread.find(holder["id"]) is None:
            holder |= _picked(event, "subagentRunId")
        return self._thread.append(holder)

    def add_arguments(self, event: Event) -> None:
        """Text behind the arguments of the first call with this id."""
        call = self._call(event["toolCallId"])
        if call is not None:
            grow_text(call["function"], "arguments", event["delta"])
            _merge_metadata(call, event)

    def end_call(self, event: Event) -> None:
        """The end of a call brings only metadata."""
        call = self._call(event["toolCallId"])
        if call is not None:
            _merge_metadata(call, event)

    def add_result(self, event: Event) -> None:
        """A tool message behind the call and the results that are there already."""
        call_id = event["toolCallId"]
        self._answered.add(call_id)
        message: Message = {
            "id": event["messageId"],
            "role": "tool",
            "toolCallId": call_id,
            "content": copy_json(event["content"]),
            **_picked(event, "subagentRunId"),
        }
        _merge_metadata(message, event)
        self._thread.add_result(message)

    # ------------------------------------------------------------ state, snapshots

    def set_state(self, event: Event) -> None:
        """Another state altogether."""
        self._state = copy_json(event["snapshot"])

    def amend_state(self, event: Event) -> None:
        """A patch to the state: all of it, or nothing."""
        try:
            self._state = apply_patch(self._state, copy_json(event["delta"]))
        except PatchError as fault:
            self._note("state.patch_failed", str(fault))

    def set_messages(self, event: Event) -> None:
        """The messages as the server has them."""
        self._thread.reconcile(event["messages"], event.get("metadata"))

    def set_activity(self, event: Event) -> None:
        """An activity, new or in place of what has its id."""
        message = self._thread.find(event["messageId"])
        activity: Message = {
            "id": event["messageId"],
            "role": "activity",
            "activityType": event["activityType"],
            "content": copy_json(event["content"]),
            **_picked(event, "subagentRunId"),
        }
        if message is None:
            _merge_metadata(self._thread.append(activity), event)
            return
        is_activity = message.get("role") == "activity"
        if event.get("replace", True):
            if is_activity:
                activity |= _picked(message, "metadata")
            self._thread.replace(message, activity)
            _merge_metadata(activity, event)
        elif is_activity:
            _merge_metadata(message, event)

    def amend_activity(self, event: Event) -> None:
        """A patch to an activity: all of it, or nothing."""
        message = self._thread.find(event["messageId"])
        if message is None:
            return
        if message.get("role") != "activity":
            self._note(
                "activity.wrong_role",
                f"message {event['messageId']!r} is no activity",
                event["messageId"],
            )
            return
        self._patch_activity(message, event)
        _merge_metadata(message, event)

    def _patch_activity(self, message: Message, event: Event) -> None:
        try:
            patched = apply_patch(message["content"], copy_json(event["patch"]))
        except PatchError as fault:
            self._note("activity.patch_failed", str(fault), event["messageId"])
            return
        message["content"], message["activityType"] = patched, event["activityType"]

    def seal(self, event: Event) -> None:
        """The encrypted form of a message or a call."""
        is_call = event["subtype"] == "tool-call"
        find = self._call if is_call else self._thread.find
        entity = find(event["entityId"])
        if entity is not None and entity.get("role") != "activity":
            entity["encryptedValue"] = event["encryptedValue"]

    # ------------------------------------------------------------ runs

    def start_run(self, event: Event) -> None:
        """A new run: its input may bring messages that nobody here has."""
        self._started, self._answered = {}, set()
        self.ended = "truncated"
        given = event.get("input")
        for message in given.get("messages") or () if is_mapping(given) else ():
            if self.find(message["id"]) is None:
                self._thread.append(copy_json(message))

    def finish_run(self, event: Event) -> None:
        """The run's outcome, and what it leaves to do."""
        outcome: Mapping[str, Any] = event.get("outcome") or {"type": "success"}
        self.outcome, self.ended, self._pending = outcome["type"], "finished", None
        self._interrupts = copy_json(list(outcome.get("interrupts", ())))
        if self.outcome == "success":
            left = [i for i in self._started if i not in self._answered]
            self._pending = list(outcome.get("pendingToolCallIds") or left)

    def fail_run(self, event: Event) -> None:
        """The run failed; what had arrived stands."""
        self.run_error, self.ended = event["message"], "error"


_EFFECTS: Final[Mapping[str, Callable[[ThreadReducer, Event], None]]] = {
    "RUN_STARTED": ThreadReducer.start_run,
    "RUN_FINISHED": ThreadReducer.finish_run,
    "RUN_ERROR": ThreadReducer.fail_run,
    "TEXT_MESSAGE_START": ThreadReducer.start_text,
    "TEXT_MESSAGE_CONTENT": ThreadReducer.add_text,
    "TEXT_MESSAGE_END": ThreadReducer.end_text,
    "REASONING_MESSAGE_START": ThreadReducer.start_reasoning,
    "REASONING_MESSAGE_CONTENT": ThreadReducer.add_text,
    "REASONING_MESSAGE_END": ThreadReducer.end_text,
    "REASONING_ENCRYPTED_VALUE": ThreadReducer.seal,
    "TOOL_CALL_START": ThreadReducer.start_call,
    "TOOL_CALL_ARGS": ThreadReducer.add_arguments,
    "TOOL_CALL_END": ThreadReducer.end_call,
    "TOOL_CALL_RESULT": ThreadReducer.add_result,
    "STATE_SNAPSHOT": ThreadReducer.set_state,
    "STATE_DELTA": ThreadReducer.amend_state,
    "MESSAGES_SNAPSHOT": ThreadReducer.set_messages,
    "ACTIVITY_SNAPSHOT": ThreadReducer.set_activity,
    "ACTIVITY_DELTA": ThreadReducer.amend_activity,
}
"""What each event does; the others change neither messages nor state."""


def apply_events(
    events: Iterable[Event],
    *,
    messages: Iterable[Mapping[str, Any]] = (),
    state: object = None,
    interrupts: Iterable[Mapping[str, Any]] = (),
) -> ThreadReducer:
    """The thread after all ``events``, chunks and retired spellings too.

    Events that cannot be read are left out, as the official client would if it went
    on after them.
    """
    reducer = ThreadReducer(messages=messages, state=state, interrupts=interrupts)
    reader = EventReader()
    for event in events:
        for explicit in reader.receive(event).events:
            reducer.receive(explicit)
    return reducer


def _picked(source: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return present(**{n: copy_json(source[n]) for n in names if n in source})


def _merge_metadata(target: dict[str, Any], event: Event) -> None:
    metadata = event.get("metadata")
    if is_mapping(metadata):
        target["metadata"] = {**target.get("metadata", {}), **copy_json(metadata)}
