"""What is known of a thread while its events are judged (AG-UI, 8).

The official order (``core.ordering.machine``) needs only what is open. What makes a
legal stream wrong in practice needs more: the history, what the request offered and
answered, what was said under which id. All of it is kept here, and only here; the
checks of ``core.ordering_advice_*`` look and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.thread.reducer import ReducerNote, ThreadReducer
from aistream_nb.core.values import Event, is_array, is_mapping

__all__ = ["APPROVAL_CALLS", "APPROVAL_EVENTS", "RunFacts", "ThreadFacts", "slip"]

APPROVAL_EVENTS: Final = frozenset(
    {
        "on_interrupt",
        "function_approval_request",
        "approval-requested",
    }
)
"""Names of CUSTOM events by which servers ask a person, beside the outcome."""

APPROVAL_CALLS: Final = frozenset({"adk_request_confirmation", "confirm_changes"})
"""Names of calls by which servers ask a person, beside the outcome."""

_OWNER: Final = "subagentRunId"


def slip(rule: str, message: str, expected: str, *ids: object, **at: Any) -> Slip:
    """A slip about these ids."""
    named = tuple(i for i in ids if isinstance(i, str))
    return Slip(rule=rule, message=message, expected=expected, ids=named, **at)


@dataclass(slots=True)
class RunFacts:
    """What is known of the run that is on."""

    run_id: str | None = None
    thread_id: str | None = None
    started_at: int | None = None
    calls: dict[str, int] = field(default_factory=dict[str, int])
    """The calls that were started in this run, and where."""
    arguments: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The argument texts that this run streamed."""
    answered: dict[str, int] = field(default_factory=dict[str, int])
    """The calls that got a result in this run, and where."""
    ended_calls: set[str] = field(default_factory=set[str])
    spoiled_calls: set[str] = field(default_factory=set[str])
    """The calls of which an event was refused: their arguments prove nothing."""
    announced: set[str] = field(default_factory=set[str])
    """The subagents that were started in this run."""
    streamed: dict[str, int] = field(default_factory=dict[str, int])
    """The messages that this run made, and where."""
    asked: dict[str | None, int] = field(default_factory=dict[str | None, int])
    """Where the run asked a person by a convention of its own, and about which call."""

    @property
    def asked_at(self) -> int | None:
        """Where the run asked a person who has not answered: no result came since."""
        waiting = [at for call, at in self.asked.items() if call not in self.answered]
        return max(waiting, default=None)

    @property
    def pending(self) -> list[str]:
        """The calls of this run that have no result."""
        return [call for call in self.calls if call not in self.answered]


class ThreadFacts:
    """What is known of the thread, its request and the run that is on."""

    def __init__(
        self,
        *,
        run_input: Mapping[str, Any] | None = None,
        interrupts: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        given = run_input or {}
        messages = given.get("messages")
        self.interrupts: dict[str, Mapping[str, Any]] = {
            interrupt["id"]: interrupt
            for interrupt in interrupts
            if isinstance(interrupt.get("id"), str)
        }
        self.reducer: ThreadReducer = ThreadReducer(
            messages=messages if is_array(messages) else (),
            state=given.get("state"),
            interrupts=self.interrupts.values(),
        )
        self.old_calls: frozenset[str] = frozenset(self.reducer.unanswered_calls())
        """The calls of the request's history that had no result."""
        self.resume: dict[str, Mapping[str, Any]] = _resume_of(given)
        self.tools: frozenset[str] | None = _tools_of(given)
        """The tools that the client offered; None if nobody said."""
        self.run: RunFacts = RunFacts()
        self.first_thread_id: str | None = None
        self.run_ids: dict[str, int] = {}
        self.openers: dict[tuple[str, str], Mapping[str, Any]] = {}
        """The first START of each message and call in this stream."""
        self.forms: dict[tuple[str, str], str] = {}
        """Whether an item came in chunks or in explicit events."""
        self.said: dict[tuple[str, str], str] = {}
        """Whole texts, by role, and the message that said them first."""
        self.index: int = -1
        self._told: set[Hashable] = set()

    def first_time(self, *what: Hashable) -> bool:
        """Whether this is asked for the first time."""
        first = what not in self._told
        self._told.add(what)
        return first

    def is_from_history(self, kind: str, item_id: str) -> bool:
        """Whether a message or call is there and no START of this run made it."""
        if kind == "call":
            known = self.reducer.find_call(item_id) is not None
            return known and item_id not in self.run.calls
        known = self.reducer.find(item_id) is not None
        return known and item_id not in self.run.streamed

    def uncovered(self) -> list[str]:
        """The interrupts that the request leaves unanswered."""
        return [i for i in self.interrupts if i not in self.resume]

    def settle(self, event: Event) -> tuple[ReducerNote, ...]:
        """Take the event in; the answer is what of it had no effect."""
        if event["type"] == "RUN_STARTED":
            self._begin(event)
        note = _NOTES.get(event["type"])
        if note is not None:
            note(self, event)
        return self.reducer.receive(event)

    # ------------------------------------------------------------ taking in

    def _begin(self, event: Event) -> None:
        self.run = RunFacts(
            run_id=event["runId"], thread_id=event["threadId"], started_at=self.index
        )
        self.first_thread_id = self.first_thread_id or event["threadId"]
        self.run_ids.setdefault(event["runId"], self.index)
        given = event.get("input")
        if is_mapping(given):
            self.resume.update(_resume_of(given))
            offered = _tools_of(given)
            self.tools = self.tools if offered is None else offered

    def note_message(self, event: Event) -> None:
        """A message was started."""
        self.run.streamed.setdefault(event["messageId"], self.index)
        self.openers.setdefault(("message", event["messageId"]), event)

    def note_call(self, event: Event) -> None:
        """A call was started."""
        call_id = event["toolCallId"]
        self.run.calls.setdefault(call_id, self.index)
        self.run.arguments.setdefault(call_id, [])
        self.openers.setdefault(("call", call_id), event)
        parent = event.get("parentMessageId") or call_id
        if self.reducer.find(parent) is None:
            self.run.streamed.setdefault(parent, self.index)
        if event["toolCallName"] in APPROVAL_CALLS:
            self.run.asked[call_id] = self.index

    def note_arguments(self, event: Event) -> None:
        """Arguments were streamed."""
        self.run.arguments.setdefault(event["toolCallId"], []).append(event["delta"])

    def note_call_end(self, event: Event) -> None:
        """A call's arguments are complete."""
        self.run.ended_calls.add(event["toolCallId"])

    def note_result(self, event: Event) -> None:
        """A call was answered."""
        self.run.answered.setdefault(event["toolCallId"], self.index)
        self.run.streamed.setdefault(event["messageId"], self.index)

    def note_subagent(self, event: Event) -> None:
        """A subagent was announced."""
        self.run.announced.add(event[_OWNER])

    def note_custom(self, event: Event) -> None:
        """Somebody may have been asked in a server's own way."""
        if event["name"] in APPROVAL_EVENTS:
            value = event.get("value")
            call_id = value.get("toolCallId") if is_mapping(value) else None
            self.run.asked[call_id if isinstance(call_id, str) else None] = self.index


_NOTES: Final[Mapping[str, Callable[[ThreadFacts, Event], None]]] = {
    "TEXT_MESSAGE_START": ThreadFacts.note_message,
    "REASONING_MESSAGE_START": ThreadFacts.note_message,
    "ACTIVITY_SNAPSHOT": ThreadFacts.note_message,
    "TOOL_CALL_START": ThreadFacts.note_call,
    "TOOL_CALL_ARGS": ThreadFacts.note_arguments,
    "TOOL_CALL_END": ThreadFacts.note_call_end,
    "TOOL_CALL_RESULT": ThreadFacts.note_result,
    "SUBAGENT_STARTED": ThreadFacts.note_subagent,
    "CUSTOM": ThreadFacts.note_custom,
}


def _resume_of(given: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    entries = given.get("resume")
    return {
        entry["interruptId"]: entry
        for entry in (entries if is_array(entries) else ())
        if is_mapping(entry) and isinstance(entry.get("interruptId"), str)
    }


def _tools_of(given: Mapping[str, Any]) -> frozenset[str] | None:
    tools = given.get("tools")
    if not is_array(tools):
        return None
    return frozenset(t["name"] for t in tools if is_mapping(t) and "name" in t)
