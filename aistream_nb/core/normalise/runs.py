"""One run out of the several that TanStack reports for one request (AG-UI, 14b).

TanStack ends a run at every call of the model. A RUN_FINISHED that only says "the
model wants tools" is held back until it is clear what it was: if another model call
follows it was no end, and at the end of the stream it was one, with all the usage of
the calls before, the interrupts and the pending calls that came after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from aistream_nb.core.values import Event, is_array, is_mapping

__all__ = ["HeldFinish", "Indexed"]


class Indexed(NamedTuple):
    """An event, and the index in the given stream of the event that it came from."""

    event: Event
    origin: int


@dataclass(slots=True)
class _Finish:
    event: Event
    index: int


class HeldFinish:
    """The RUN_FINISHED that is held back, and what has been collected for it."""

    def __init__(self) -> None:
        self._finish: _Finish | None = None
        self._run_id: object = None
        self._usage: list[Any] = []
        self._interrupts: list[dict[str, Any]] = []
        self._pending: list[str] = []

    def holds(self, event: Event, index: int) -> bool:
        """Hold the event back if it may be no end."""
        if event["type"] != "RUN_FINISHED" or not _wants_tools(event):
            return False
        self._finish = _Finish(event, index)
        return True

    def swallows(self, event: Event) -> bool:
        """Whether the event only begins another model call of the run."""
        if self._finish is None or event["type"] != "RUN_STARTED":
            return False
        self._drop(self._finish)
        return True

    def before(self, event: Event, *, old: bool) -> list[Indexed]:
        """What must come out before ``event``; a held end may turn out to be none."""
        if self._finish is None or event["type"] == "CUSTOM":
            return []
        if event["type"] == "RUN_ERROR":
            return self.release()
        if event["type"] == "RUN_FINISHED" or not old:
            self._drop(self._finish)
        return []

    def completed(self, event: Event) -> Event:
        """``event``, and if it ends the run, under its first id with all its usage."""
        if event["type"] == "RUN_STARTED":
            self._run_id = event.get("runId")
            self._usage.clear()
        if event["type"] != "RUN_FINISHED":
            return event
        usage = [*self._usage, *_usage_of(event)]
        self._usage.clear()
        made = dict(event)
        if self._run_id is not None:
            made["runId"] = self._run_id
        if usage:
            made["usage"] = usage
        return made

    def collects(self, event: Event) -> bool:
        """Take what a CUSTOM event asks for into the held end."""
        value = event.get("value")
        if self._finish is None or not is_mapping(value):
            return False
        call_id, approval = value.get("toolCallId"), value.get("approval")
        if event.get("name") == "approval-requested" and is_mapping(approval):
            interrupt = {"id": approval.get("id"), "reason": "tool_call"}
            self._interrupts.append({**interrupt, "toolCallId": call_id})
            return True
        if event.get("name") == "tool-input-available" and isinstance(call_id, str):
            self._pending.append(call_id)
            return True
        return False

    def release(self) -> list[Indexed]:
        """The held end, complete; nothing if none is held."""
        if self._finish is None:
            return []
        finish, self._finish = self._finish, None
        made = dict(self.completed(finish.event))
        outcome = self._outcome()
        if outcome is not None:
            made["outcome"] = outcome
        return [Indexed(made, finish.index)]

    def _outcome(self) -> Mapping[str, Any] | None:
        interrupts, pending = self._interrupts, self._pending
        self._interrupts, self._pending = [], []
        if interrupts:
            return {"type": "interrupt", "interrupts": interrupts}
        if pending:
            return {"type": "success", "pendingToolCallIds": pending}
        return None

    def _drop(self, finish: _Finish) -> None:
        """It was no end; its usage counts all the same."""
        self._usage += _usage_of(finish.event)
        self._finish = None


def _wants_tools(event: Event) -> bool:
    metadata = event.get("metadata")
    tanstack = metadata.get("tanstack") if is_mapping(metadata) else None
    reason = tanstack.get("finishReason") if is_mapping(tanstack) else None
    return reason == "tool_calls" and event.get("outcome") is None


def _usage_of(event: Event) -> list[Any]:
    usage = event.get("usage")
    return list(usage) if is_array(usage) else []
