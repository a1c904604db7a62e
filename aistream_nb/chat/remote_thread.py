"""One thread with an AG-UI server, as its client knows it.

History, shared state and what the last run left open are read from the server's
events by the official rules (:mod:`aistream_nb.core.thread`), whatever
dialect the server speaks. From them the next request is made.

Rules that a change here must keep:

1. What was asked and what had arrived stays in the history, also of a run that
   failed or was stopped; never half a call.
2. A call that is left behind is answered with the plain truth, since a history with
   an open call is refused by most models. That is no result: nothing ran.
3. An interrupt is open until a run finishes without one. Each is answered, once;
   but a server that fails over the answer may have forgotten the question, and then
   the next request is made without it, and so on in turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from aistream_nb.agui.questions import (
    CLIENT_TOOL_REASONS,
    OpenCall,
    read_arguments,
)
from aistream_nb.core.normalise.normaliser import Normaliser
from aistream_nb.core.thread.reducer import ThreadReducer
from aistream_nb.core.values import Event, is_array, is_mapping
from aistream_nb.core.wire.reader import EventReader

__all__ = ["RemoteThread"]


class RemoteThread:
    """Messages, state, and what the last run left to do.

    Args:
        thread_id: The thread's id.
        system: What the thread begins with; empty for nothing.
        state: The shared state that it begins with.
        normalise: Whether older dialects are handed on in AG-UI 1.0.
    """

    def __init__(
        self,
        thread_id: str,
        *,
        system: Mapping[str, Any] | None = None,
        state: object = None,
        normalise: bool = True,
    ) -> None:
        self.thread_id: str = thread_id
        self._reducer = ThreadReducer(
            messages=() if system is None else (system,), state=state
        )
        self._reader = EventReader()
        self._normalise = normalise
        self._normaliser = Normaliser(thread_id=thread_id)
        self._started: dict[str, None] = {}
        self._ended: set[str] = set()
        self._failures: dict[str, str] = {}
        self._approvals: dict[str, tuple[str, bool]] = {}
        self.customs: list[Event] = []
        """The CUSTOM events of the run that is on."""
        self.finished: Event | None = None
        """How the run that is on has finished, if it has."""
        self.failure: str | None = None
        """What the server said of the failure of the run, if it failed."""
        self._is_doubtful = False

    # ------------------------------------------------------------ the next request

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The history, for the next request."""
        return [self._told(message) for message in self._reducer.messages]

    @property
    def state(self) -> Any:
        """The shared state."""
        return self._reducer.state

    def set_state(self, state: object) -> None:
        """Have another shared state."""
        self._reducer.receive({"type": "STATE_SNAPSHOT", "snapshot": state})

    def add(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Take the client's own messages into the history."""
        run_input = {"messages": [dict(message) for message in messages]}
        self._reducer.receive({"type": "RUN_STARTED", "input": run_input})

    def rewind(self, message_id: str) -> bool:
        """Forget a message and all behind it; false if there is no such message."""
        messages = self._reducer.messages
        ids = [message["id"] for message in messages]
        if message_id not in ids:
            return False
        self._reducer = ThreadReducer(
            messages=messages[: ids.index(message_id)],
            state=self._reducer.state,
            interrupts=self._reducer.pending_interrupts,
        )
        return True

    def answer(
        self, call_id: str, content: str, *, message_id: str, error: str | None = None
    ) -> dict[str, Any]:
        """Answer a call; the tool message that says so."""
        event = {"messageId": message_id, "toolCallId": call_id, "content": content}
        self._reducer.receive({"type": "TOOL_CALL_RESULT", **event})
        if error is not None:
            self._failures[message_id] = error
        found = self._reducer.find(message_id)
        return self._told({} if found is None else found)

    def decide(self, call_id: str, approval_id: str, *, approved: bool) -> None:
        """Write a decision into the history, as TanStack AI 0.5 wants it."""
        self._approvals[call_id] = (approval_id, approved)

    def _told(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """A message with what only the client knows of it."""
        told = dict(message)
        failure = self._failures.get(str(message.get("id")))
        if failure is not None:
            told["error"] = failure
        parts = [
            self._decided_part(call)
            for call in message.get("toolCalls") or ()
            if call["id"] in self._approvals
        ]
        return {**told, "parts": parts} if parts else told

    def _decided_part(self, call: Mapping[str, Any]) -> dict[str, Any]:
        approval_id, approved = self._approvals[call["id"]]
        return {
            "type": "tool-call",
            "id": call["id"],
            "name": call["function"]["name"],
            "arguments": call["function"]["arguments"],
            "state": "approval-responded",
            "approval": {
                "id": approval_id,
                "needsApproval": True,
                "approved": approved,
            },
        }

    # ------------------------------------------------------------ one run

    def begin_run(self) -> None:
        """Another request is sent; what was open in the last run is history."""
        before = self._normaliser.dialect
        self._normaliser = Normaliser(thread_id=self.thread_id)
        self._normaliser.dialect = before
        self._reader = EventReader()
        self._started, self._ended, self.customs = {}, set(), []
        self.finished = self.failure = None

    @property
    def is_tanstack(self) -> bool:
        """Whether the server speaks the 0.5 dialect of TanStack AI."""
        return self._normaliser.dialect == "tanstack-0.5"

    def receive(self, event: Event) -> tuple[Event, ...]:
        """Take an event of the server; what is to be handed on for it."""
        read = tuple(one.event for one in self._normaliser.receive(event))
        self._fold(read)
        return read if self._normalise else (event,)

    def skip(self) -> None:
        """Count a frame that is no event."""
        self._normaliser.skip()

    def close(self) -> tuple[Event, ...]:
        """Take the end of the answer; what was still held back."""
        read = tuple(one.event for one in self._normaliser.close())
        self._fold(read)
        return read if self._normalise else ()

    def _fold(self, events: Iterable[Event]) -> None:
        for event in events:
            reading = self._reader.receive(event)
            for explicit in reading.events or _endings(event):
                self._NOTES.get(explicit["type"], _nothing)(self, explicit)
                self._reducer.receive(explicit)

    def _note_start(self, event: Event) -> None:
        self._started[event["toolCallId"]] = None

    def _note_end(self, event: Event) -> None:
        self._ended.add(event["toolCallId"])

    def _note_custom(self, event: Event) -> None:
        self.customs.append(event)

    def _note_run(self, event: Event) -> None:
        del event
        self.finished = self.failure = None

    def _note_finish(self, event: Event) -> None:
        self.finished = event

    def _note_failure(self, event: Event) -> None:
        self.finished, self.failure = None, str(event["message"])
        self._is_doubtful = bool(self.interrupts) and not self._is_doubtful

    _NOTES: ClassVar[Mapping[str, Callable[..., None]]] = {
        "TOOL_CALL_START": _note_start,
        "TOOL_CALL_END": _note_end,
        "CUSTOM": _note_custom,
        "RUN_STARTED": _note_run,
        "RUN_FINISHED": _note_finish,
        "RUN_ERROR": _note_failure,
    }

    def take_run(
        self, events: Iterable[Event], *, left: Callable[[str], str] | None
    ) -> None:
        """Have what a server said in a run of another session.

        Args:
            events: The run, from its start on.
            left: What is known of a call that a run left which did not finish.
        """
        self.begin_run()
        for event in events:
            self.receive(event)
        self.close()
        if left is not None:
            self.leave_behind(left)

    # ------------------------------------------------------------ what is left to do

    @property
    def interrupts(self) -> list[dict[str, Any]]:
        """The interrupts that are open."""
        return self._reducer.pending_interrupts

    def started_calls(self) -> list[OpenCall]:
        """The calls that the run that is on has begun, in order."""
        found = (self._call(call_id) for call_id in self._started)
        return [call for call in found if call is not None]

    def open_calls(self) -> list[OpenCall]:
        """The calls that the finished run left without a result, in order."""
        outcome = None if self.finished is None else self.finished.get("outcome")
        named = outcome.get("pendingToolCallIds") if is_mapping(outcome) else None
        wanted: Sequence[Any] = named if is_array(named) and named else ()
        left = set(self._reducer.unanswered_calls())
        calls = (self._call(str(i)) for i in wanted or (*self._started, *self._asked()))
        unique = {call.id: call for call in calls if call is not None}
        return [call for call in unique.values() if call.id in left]

    def abandon(self) -> list[dict[str, Any]]:
        """The interrupts that a new message is to cancel."""
        return [] if self._is_doubtful else self.interrupts

    def tool_interrupts(self) -> list[dict[str, Any]]:
        """The open interrupts by which a server asks for client tools."""
        return [i for i in self.interrupts if i.get("reason") in CLIENT_TOOL_REASONS]

    def leave_behind(self, words: Callable[[str], str]) -> None:
        """The run failed or was stopped: nothing of it stays half said.

        Args:
            words: What is known of a call, by its id; it is told in place of a result.
        """
        asked = set(self._asked())
        for call in self.started_calls():
            if call.id not in self._reducer.unanswered_calls() or call.id in asked:
                continue
            if call.id not in self._ended or read_arguments(call.arguments) is None:
                self._forget(call.id)
            else:
                left = f"{call.id}:left-behind"
                said = words(call.id)
                self.answer(call.id, said, message_id=left, error=said)

    def _asked(self) -> list[str]:
        """The calls that an open interrupt is about."""
        named = (one.get("toolCallId") for one in self._reducer.pending_interrupts)
        return [call_id for call_id in named if isinstance(call_id, str)]

    def _call(self, call_id: str) -> OpenCall | None:
        call = self._reducer.find_call(call_id)
        if call is None:
            return None
        function = call["function"]
        return OpenCall(call_id, str(function["name"]), str(function["arguments"]))

    def _forget(self, call_id: str) -> None:
        """Take a call that has no arguments to speak of out of the history."""
        kept: list[dict[str, Any]] = []
        for message in self._reducer.messages:
            calls = message.get("toolCalls")
            if not is_array(calls):
                kept.append(message)
                continue
            message["toolCalls"] = [call for call in calls if call["id"] != call_id]
            if not message["toolCalls"]:
                del message["toolCalls"]
            if message.get("toolCalls") or message.get("content"):
                kept.append(message)
        self._reducer.receive({"type": "MESSAGES_SNAPSHOT", "messages": kept})


def _endings(event: Event) -> tuple[Event, ...]:
    """A run ends also by an event that cannot be read in full."""
    kind = event.get("type")
    if kind == "RUN_FINISHED":
        return ({"type": kind, "threadId": "", "runId": ""},)
    if kind == "RUN_ERROR":
        return ({"type": kind, "message": "the agent failed and does not say why"},)
    return ()


def _nothing(thread: RemoteThread, event: Event) -> None:
    """Most events leave nothing to remember beside the history."""
