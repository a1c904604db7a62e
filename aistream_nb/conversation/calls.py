"""The calls of a conversation: models, and what the stream says beside their parts.

A :class:`CallBook` notes who decided about a call, whether it runs, and when it began
and ended; and it remembers which calls the event at hand has touched, so that each
model is refreshed once. What a call's *part* says is the processor's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from aistream_nb.conversation.models import CallNotes, Source, ToolCallModel
from aistream_nb.conversation.reading import mapping_at, seconds, text_from
from aistream_nb.core.call_status import SETTLED
from aistream_nb.core.messages import ToolCallPart, UIMessage
from aistream_nb.core.values import Event, is_mapping

__all__ = ["CallBook", "KeptCalls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCalls:
    """What the stream had said of all calls at one moment; nothing changes it."""

    notes: Mapping[str, CallNotes]
    open_questions: frozenset[str]


class CallBook:
    """Models and notes of every call, by its id."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._notes: dict[str, CallNotes] = {}
        self._touched: dict[str, None] = {}
        self._open_questions: set[str] = set()
        self._images: dict[str, CallNotes] = {}
        """The notes as they were kept last."""
        self._stale: set[str] = set()
        """The calls of which that is not true any more."""
        self.models: dict[str, ToolCallModel] = {}
        """Replaced, never changed, when a call appears or is forgotten."""

    @property
    def is_asking(self) -> bool:
        """Whether a person was asked about a call and has not decided."""
        return bool(self._open_questions)

    def take_touched(self) -> tuple[str, ...]:
        """The calls that may have changed since this was last asked, refreshed."""
        touched, self._touched = tuple(self._touched), {}
        self._stale.update(touched)
        for call_id in touched:
            self.models[call_id].touch()
        return touched

    # ------------------------------------------------------------ from messages

    def note_growth(self, event: Event) -> None:
        """More arguments of a call arrived."""
        call_id = event.get("toolCallId")
        if isinstance(call_id, str) and call_id in self._notes:
            self._touched[call_id] = None

    def note_message(self, message: UIMessage, event: Event) -> None:
        """A message changed, and so may have the calls that it holds."""
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                self._note(part.id, message.id, event)

    def _note(self, call_id: str, message_id: str, event: Event) -> None:
        notes = self._notes.get(call_id)
        if notes is None:
            notes = CallNotes(message_id=message_id, started_at=seconds(event))
            self._notes[call_id] = notes
            model = ToolCallModel(self._source, call_id, notes)
            self.models = {**self.models, call_id: model}
        notes.message_id = message_id
        self._touched[call_id] = None

    def forget_all_but(self, held: set[str]) -> None:
        """Forget the calls that no message holds any more: their ids are free."""
        for call_id in self._notes.keys() - held:
            del self._notes[call_id]
            self._images.pop(call_id, None)
            self._open_questions.discard(call_id)
            self._touched.pop(call_id, None)
        self.models = {
            call_id: call for call_id, call in self.models.items() if call_id in held
        }

    # ------------------------------------------------------------ from events

    def note_question(self, value: Mapping[str, Any], event: Event) -> None:
        """A person is asked about a call."""
        notes = self._notes_of(value)
        approval_id = mapping_at(value, "approval").get("id")
        if notes is not None and isinstance(approval_id, str):
            notes.approval_id = approval_id
            notes.asked_at = seconds(event)
            notes.decision = None
            self._open_questions.add(text_from(value.get("toolCallId")))

    def note_decision(self, value: Mapping[str, Any], event: Event) -> str | None:
        """Somebody decided; the answer is the id of the question, if there was one."""
        notes = self._notes_of(value)
        decision = value.get("decision")
        if notes is None or decision not in ("proceed", "deny"):
            return None
        self._open_questions.discard(text_from(value.get("toolCallId")))
        notes.decision = decision
        notes.reason = text_from(value.get("reason"))
        notes.decided_by = text_from(value.get("by"))
        notes.decided_at = seconds(event)
        arguments = value.get("arguments")
        notes.edited = arguments if is_mapping(arguments) else None
        approval_id = value.get("approvalId")
        if not isinstance(approval_id, str):
            return None
        notes.approval_id = approval_id
        return approval_id

    def note_execution(self, value: Mapping[str, Any], event: Event) -> None:
        """A call runs."""
        notes = self._notes_of(value)
        if notes is not None:
            notes.executing = notes.executed = True
            notes.executed_at = seconds(event)

    def note_result(self, event: Event) -> None:
        """A call was answered."""
        call_id = text_from(event.get("toolCallId"))
        self._open_questions.discard(call_id)
        notes = self._notes.get(call_id)
        if notes is not None:
            self._stale.add(call_id)
            notes.executing = False
            notes.ended_at = seconds(event)

    def close_run(self, *, stop_unanswered: bool) -> None:
        """The run is over: no call of it may look as if it still went on."""
        self._open_questions.clear()
        for call_id, notes in self._notes.items():
            status = self.models[call_id].status
            if status not in SETTLED:
                notes.stopped = stop_unanswered or status == "executing"
                self._touched[call_id] = None

    # ------------------------------------------------------------ going back

    def keep(self) -> KeptCalls:
        """The notes as they are now; those that did not change are not copied again."""
        for call_id in self._stale & self._notes.keys():
            self._images[call_id] = replace(self._notes[call_id])
        self._stale.clear()
        return KeptCalls(
            notes={call_id: self._images[call_id] for call_id in self._notes},
            open_questions=frozenset(self._open_questions),
        )

    def put_back(self, kept: KeptCalls, *, changed: Iterable[str]) -> tuple[str, ...]:
        """The notes as they were when they were kept.

        The answer is the calls that differ now, with those in ``changed``; all of
        them are refreshed.
        """
        images, stale = self._images, self._stale
        self.models = dict(self.models)
        different = [
            call_id
            for call_id, image in kept.notes.items()
            if call_id in stale or call_id not in images or images[call_id] is not image
        ]
        for call_id in different:
            self._write(call_id, kept.notes[call_id])
        models, notes = self.models, self._notes
        self.models = {call_id: models[call_id] for call_id in kept.notes}
        self._notes = {call_id: notes[call_id] for call_id in kept.notes}
        self._images = dict(kept.notes)
        self._stale.clear()
        self._open_questions = set(kept.open_questions)
        self._touched = dict.fromkeys((*different, *changed))
        touched = self.take_touched()
        self._stale.clear()
        return touched

    def _write(self, call_id: str, image: CallNotes) -> None:
        """Let a call's notes be these, in the place where its model reads them."""
        notes = self._notes.get(call_id)
        if notes is None:
            notes = self._notes[call_id] = replace(image)
            self.models[call_id] = ToolCallModel(self._source, call_id, notes)
        for field in fields(image):
            setattr(notes, field.name, getattr(image, field.name))

    def _notes_of(self, value: Mapping[str, Any]) -> CallNotes | None:
        call_id = text_from(value.get("toolCallId"))
        notes = self._notes.get(call_id)
        if notes is not None:
            self._touched[call_id] = None
        return notes
