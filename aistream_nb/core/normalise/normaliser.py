"""AG-UI 1.0 out of the dialects of TanStack AI 0.5 and 0.58 (AG-UI, section 14b).

The dialect is detected event by event and then stays. A stream in AG-UI 1.0 passes
through untouched, the same objects. Whatever is translated or repaired is a
:class:`Note` with the index of the event in the given stream, so that a strict reader
can make a finding of it. Fields that AG-UI has no place for move to
``metadata.tanstack``: a replay loses nothing.

Rules that a change must keep: recordings store raw frames, and normalising is a choice
of the reader, never baked in; no event is lost but a RUN_FINISHED between two model
calls, its RUN_STARTED, and accumulated copies of what deltas said.

The processor reads both dialects by itself (``core.processor.dialects``); this module
is for those that need one dialect: the verifier, the official reducer, an official
client.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from aistream_nb.core.normalise.fields import (
    id_text,
    json_of,
    usage_entry,
    with_tanstack,
)
from aistream_nb.core.normalise.runs import HeldFinish, Indexed
from aistream_nb.core.processor.dialects import shared_delta
from aistream_nb.core.values import Event, is_mapping

__all__ = ["Dialect", "Indexed", "Normaliser", "Note", "detect_dialect", "normalise"]

Dialect: TypeAlias = Literal["official", "tanstack-0.5", "tanstack-0.58"]

_MARKS: Final = (
    "model",
    "toolName",
    "stepId",
    "error",
    "finishReason",
    "state",
    "data",
)
"""Fields that only the 0.5 dialect has."""

_RENAMED: Final[Mapping[str, Mapping[str, str]]] = {
    "TOOL_CALL_START": {"toolName": "toolCallName"},
    "STATE_SNAPSHOT": {"state": "snapshot"},
    "CUSTOM": {"data": "value"},
    "STEP_STARTED": {"stepId": "stepName"},
    "STEP_FINISHED": {"stepId": "stepName"},
}
_COPIES: Final[Mapping[str, str]] = {
    "TEXT_MESSAGE_CONTENT": "content",
    "TOOL_CALL_ARGS": "args",
    "STEP_FINISHED": "content",
}
"""Fields that repeat what the deltas said."""

_LEFTOVERS: Final = ("model", "finishReason", "index", "input", "stepType", "toolName")
_BACKSTAGE: Final = frozenset({"CUSTOM", "RAW"})
"""Events that leave thinking open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One thing that was read differently from how it was written."""

    index: int
    """The event in the given stream, counted from 0."""
    event_type: str
    message: str
    expected: str
    """What AG-UI 1.0 has in its place."""


def detect_dialect(event: Event) -> Dialect:
    """The dialect that one event shows.

    >>> detect_dialect({"type": "RUN_STARTED", "runId": "r1"})
    'tanstack-0.5'
    """
    if any(mark in event for mark in _MARKS) or is_mapping(event.get("delta")):
        return "tanstack-0.5"
    # No set: what stands in a stranger's event may be a list.
    if event.get("type") in ("RUN_STARTED", "RUN_FINISHED") and "threadId" not in event:
        return "tanstack-0.5"
    metadata = event.get("metadata")
    if is_mapping(metadata) and "tanstack" in metadata:
        return "tanstack-0.58"
    return "official"


class Normaliser:
    """AG-UI 1.0 in place of what came, one event at a time.

    ``thread_id`` is the thread of runs that name none.
    """

    def __init__(self, *, thread_id: str = "thread") -> None:
        self.dialect: Dialect = "official"
        """The dialect seen so far; an older one stays."""
        self.notes: tuple[Note, ...] = ()
        """What was translated or repaired by the last call."""
        self._thread_id = thread_id
        self._index = -1
        self._type = ""
        self._held = HeldFinish()
        self._texts: set[str] = set()
        self._calls: dict[str, bool] = {}  # open calls: whether arguments came
        self._message_ids: set[str] = set()
        self._thinking: str | None = None
        self._thoughts = 0

    def receive(self, event: Event) -> tuple[Indexed, ...]:
        """The events of AG-UI 1.0 that ``event`` stands for, and where they came from.

        Events that were held back come out later, with the index that they had.
        """
        self._index += 1
        self.notes = ()
        event_type = event.get("type")
        if not self._is_old:
            seen = detect_dialect(event)
            self.dialect = self.dialect if seen == "official" else seen
        if self.dialect == "official" or not isinstance(event_type, str):
            self._watch(event)
            return (Indexed(event, self._index),)
        self._type = event_type
        made = self._translated(event)
        return tuple(self._in_runs(made))

    def close(self) -> tuple[Indexed, ...]:
        """What was still held back when the stream ended."""
        self.notes = ()
        return tuple(self._held.release())

    def skip(self) -> None:
        """Count a frame that is no event, such as ``[DONE]``."""
        self._index += 1

    @property
    def _is_old(self) -> bool:
        """Whether the dialect is the one whose slips are repaired too."""
        return self.dialect == "tanstack-0.5"

    def _watch(self, event: Event) -> None:
        """Know what an untouched event opened: the dialect may show later."""
        message_id, call_id = event.get("messageId"), event.get("toolCallId")
        if event.get("type") == "TEXT_MESSAGE_START" and isinstance(message_id, str):
            self._texts.add(message_id)
        elif event.get("type") == "TOOL_CALL_START" and isinstance(call_id, str):
            self._calls[call_id] = True
        elif event.get("type") == "TOOL_CALL_END" and isinstance(call_id, str):
            self._calls.pop(call_id, None)
        if isinstance(message_id, str):
            self._message_ids.add(message_id)

    # ------------------------------------------------------------ runs

    def _in_runs(self, events: Iterable[Event]) -> Iterable[Indexed]:
        for event in events:
            if self._held.swallows(event):
                self._note(
                    "is another model call of the same run", "one run per request"
                )
                continue
            yield from self._held.before(event, old=self._is_old)
            if self._held.holds(event, self._index):
                continue
            yield Indexed(self._held.completed(event), self._index)

    # ------------------------------------------------------------ one event

    def _translated(self, event: Event) -> list[Event]:
        event_type = event["type"]
        stays = event_type in _BACKSTAGE or _is_thinking(event)
        before = [] if stays else self._stop_thinking()
        special = _SPECIAL.get(event_type)
        cleaned = self._cleaned(event)
        made = [cleaned] if special is None else special(self, event, cleaned)
        return [*before, *made]

    def _cleaned(self, event: Event) -> dict[str, Any]:
        """The event in the field names of AG-UI 1.0."""
        event_type = event["type"]
        made = dict(event)
        for old, new in _RENAMED.get(event_type, {}).items():
            if old in made and new not in made:
                made[new] = made.pop(old)
                self._note(f"has {old!r}", new)
        copy = _COPIES.get(event_type)
        if copy in made and "delta" in made:
            del made[copy]
            self._note(f"repeats the text so far in {copy!r}", "delta alone")
        moved = {name: made.pop(name) for name in _LEFTOVERS if name in made}
        if event_type == "RUN_ERROR" and "runId" in made:
            moved["runId"] = made.pop("runId")
        if moved:
            self._note(f"has {', '.join(map(repr, moved))}", "metadata.tanstack")
            made["metadata"] = with_tanstack(made.get("metadata"), moved)
        return made

    def read_run(self, _event: Event, made: dict[str, Any]) -> list[Event]:
        """RUN_STARTED and RUN_FINISHED name their thread; usage is a list."""
        if "threadId" not in made:
            made["threadId"] = self._thread_id
            self._note("has no threadId", "threadId")
        if is_mapping(made.get("usage")):
            made["usage"] = [usage_entry(made["usage"])]
            self._note("has one object of usage", "a list of usage entries")
        if made["type"] == "RUN_FINISHED":
            return [*self._end_open_calls(), made]
        return [made]

    def _end_open_calls(self) -> list[Event]:
        still = list(self._calls) if self._is_old else []
        self._calls.clear()
        if still:
            self._note("leaves calls open, which are ended here", "TOOL_CALL_END")
        return [{"type": "TOOL_CALL_END", "toolCallId": call} for call in still]

    def read_error(self, _event: Event, made: dict[str, Any]) -> list[Event]:
        """RUN_ERROR says its message and code itself."""
        nested = made.pop("error", None)
        if is_mapping(nested):
            self._note("nests what failed in 'error'", "message and code")
            made.update({k: nested[k] for k in ("message", "code") if k in nested})
        elif isinstance(nested, str):
            made["message"] = nested
        if made.get("code", "") is None:
            del made["code"]
        return [made]

    def read_text(self, _event: Event, made: dict[str, Any]) -> list[Event]:
        """A message that was not started is started."""
        message_id = id_text(made.get("messageId"))
        known = message_id in self._texts
        if made["type"] == "TEXT_MESSAGE_END":
            self._texts.discard(message_id)
        else:
            self._texts.add(message_id)
            self._message_ids.add(message_id)
        if known or made["type"] == "TEXT_MESSAGE_START" or not self._is_old:
            return [made]
        self._note("came without its start", "TEXT_MESSAGE_START first")
        start = {"type": "TEXT_MESSAGE_START", "messageId": message_id}
        return [{**start, "role": "assistant"}, made]

    def read_call(self, _event: Event, made: dict[str, Any]) -> list[Event]:
        """TOOL_CALL_START; started again while it is open, it says nothing new."""
        call_id = id_text(made.get("toolCallId"))
        if self._is_old and call_id in self._calls:
            self._note("starts an open call again, which is ignored", "one start")
            return []
        self._calls[call_id] = False
        return [made]

    def read_arguments(self, _event: Event, made: dict[str, Any]) -> list[Event]:
        """TOOL_CALL_ARGS; of a call that is not open it is dropped."""
        call_id = id_text(made.get("toolCallId"))
        if self._is_old and call_id not in self._calls:
            self._note("is for no open call and is dropped", "TOOL_CALL_START first")
            return []
        self._calls[call_id] = True
        return [made]

    def read_call_end(self, event: Event, made: dict[str, Any]) -> list[Event]:
        """TOOL_CALL_END: once for the arguments, again with the result."""
        call_id = id_text(made.get("toolCallId"))
        result = made.pop("result", None)
        events: list[Event] = []
        if call_id in self._calls or not self._is_old:
            if not self._calls.pop(call_id, True) and "input" in event:
                events.append(self._arguments(call_id, event["input"]))
            events.append(made)
        if result is not None:
            self._note("carries the result", "TOOL_CALL_RESULT")
            events.append(
                {
                    "type": "TOOL_CALL_RESULT",
                    "messageId": self._result_id(call_id),
                    "toolCallId": call_id,
                    "content": result if isinstance(result, str) else json_of(result),
                    "role": "tool",
                    **{k: made[k] for k in ("timestamp", "metadata") if k in made},
                }
            )
        return events

    def _arguments(self, call_id: str, value: object) -> Event:
        self._note("is the first to show the arguments", "TOOL_CALL_ARGS")
        return {
            "type": "TOOL_CALL_ARGS",
            "toolCallId": call_id,
            "delta": json_of(value),
        }

    def _result_id(self, call_id: str) -> str:
        message_id = f"{call_id}:result"
        self._message_ids.add(message_id)
        return message_id

    def read_result(self, _event: Event, made: dict[str, Any]) -> list[Event]:
        """A result does not take the id of another message."""
        message_id = made.get("messageId")
        if isinstance(message_id, str) and message_id in self._message_ids:
            made["messageId"] = self._result_id(id_text(made.get("toolCallId")))
            self._note("has the messageId of another message", "an id of its own")
        return [made]

    def read_step(self, event: Event, made: dict[str, Any]) -> list[Event]:
        """Steps of 0.5 are thinking."""
        if not _is_thinking(event):
            return [made]
        self._note("carries thinking", "REASONING_MESSAGE_CONTENT")
        if event["type"] == "STEP_STARTED" or "delta" not in event:
            return []
        events = [] if self._thinking is not None else self._start_thinking(event)
        content = {
            "type": "REASONING_MESSAGE_CONTENT",
            "messageId": self._thinking,
            "delta": event["delta"],
        }
        kept = {k: made[k] for k in ("timestamp", "metadata") if k in made}
        return [*events, {**content, **kept}]

    def _start_thinking(self, event: Event) -> list[Event]:
        self._thoughts += 1
        self._thinking = f"{id_text(event.get('stepId'))}:thinking-{self._thoughts}"
        start = {"type": "REASONING_MESSAGE_START", "messageId": self._thinking}
        return [
            {"type": "REASONING_START", "messageId": self._thinking},
            {**start, "role": "reasoning"},
        ]

    def _stop_thinking(self) -> list[Event]:
        if self._thinking is None:
            return []
        thought, self._thinking = self._thinking, None
        return [
            {"type": "REASONING_MESSAGE_END", "messageId": thought},
            {"type": "REASONING_END", "messageId": thought},
        ]

    def read_delta(self, event: Event, made: dict[str, Any]) -> list[Event]:
        """STATE_DELTA is a patch."""
        if is_mapping(event.get("delta")):
            made["delta"] = [dict(operation) for operation in shared_delta(event) or ()]
            self._note("has an object as its delta", "a JSON Patch")
        return [made]

    def read_custom(self, _event: Event, made: dict[str, Any]) -> list[Event]:
        """What a person or a client must do goes into the run's outcome."""
        if self._held.collects(made):
            self._note("comes after RUN_FINISHED", "the outcome of RUN_FINISHED")
        return [made]

    def _note(self, came: str, expected: str) -> None:
        note = Note(
            index=self._index, event_type=self._type, message=came, expected=expected
        )
        self.notes = (*self.notes, note)


_Special: TypeAlias = Callable[[Normaliser, Event, dict[str, Any]], list[Event]]
_SPECIAL: Final[Mapping[str, _Special]] = {
    "RUN_STARTED": Normaliser.read_run,
    "RUN_FINISHED": Normaliser.read_run,
    "RUN_ERROR": Normaliser.read_error,
    "TEXT_MESSAGE_START": Normaliser.read_text,
    "TEXT_MESSAGE_CONTENT": Normaliser.read_text,
    "TEXT_MESSAGE_END": Normaliser.read_text,
    "TOOL_CALL_START": Normaliser.read_call,
    "TOOL_CALL_ARGS": Normaliser.read_arguments,
    "TOOL_CALL_END": Normaliser.read_call_end,
    "TOOL_CALL_RESULT": Normaliser.read_result,
    "STEP_STARTED": Normaliser.read_step,
    "STEP_FINISHED": Normaliser.read_step,
    "STATE_DELTA": Normaliser.read_delta,
    "CUSTOM": Normaliser.read_custom,
}


def normalise(events: Iterable[Event], *, thread_id: str = "thread") -> list[Event]:
    """The events in AG-UI 1.0; those that are in it already, the same objects."""
    normaliser = Normaliser(thread_id=thread_id)
    made = [one.event for event in events for one in normaliser.receive(event)]
    return made + [one.event for one in normaliser.close()]


def _is_thinking(event: Event) -> bool:
    return event.get("type") in ("STEP_STARTED", "STEP_FINISHED") and "stepId" in event
