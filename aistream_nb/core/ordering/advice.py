"""What the official client lets through and the prose, or practice, does not (8).

One table: event type, and the checks that look at it. A check sees what is known
before the event; then the event is taken in. An event that the client refuses is
taken in and not looked at: one slip is one message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from aistream_nb.core.ordering.advice_items import (
    check_approval,
    check_arguments,
    check_call,
    check_collision,
    check_owner,
    check_repeated,
    check_result,
    check_text,
    check_time,
)
from aistream_nb.core.ordering.advice_runs import (
    check_custom,
    check_late_error,
    check_outcome,
    check_pending,
    check_run_ids,
    check_start,
)
from aistream_nb.core.ordering.advice_snapshots import (
    check_activity_target,
    check_moves,
    check_sealed,
    check_snapshot_arguments,
    check_snapshot_ids,
)
from aistream_nb.core.ordering.facts import ThreadFacts, slip
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.values import Event

__all__ = ["ALWAYS", "CHECKS", "Adviser"]

_Check: TypeAlias = Callable[[ThreadFacts, Event], Iterator[Slip]]

CHECKS: Final[Mapping[str, tuple[_Check, ...]]] = {
    "RUN_STARTED": (check_start,),
    "RUN_FINISHED": (check_run_ids, check_outcome, check_pending),
    "RUN_ERROR": (check_late_error,),
    "TEXT_MESSAGE_START": (check_text, check_collision),
    "TEXT_MESSAGE_END": (check_repeated,),
    "REASONING_MESSAGE_START": (check_collision,),
    "REASONING_MESSAGE_END": (check_repeated,),
    "REASONING_ENCRYPTED_VALUE": (check_sealed,),
    "TOOL_CALL_START": (check_call, check_approval),
    "TOOL_CALL_END": (check_arguments,),
    "TOOL_CALL_RESULT": (check_collision, check_result),
    "STATE_DELTA": (check_moves,),
    "ACTIVITY_SNAPSHOT": (check_collision,),
    "ACTIVITY_DELTA": (check_activity_target, check_moves),
    "MESSAGES_SNAPSHOT": (check_snapshot_arguments, check_snapshot_ids),
    "CUSTOM": (check_custom, check_approval),
}
"""Event, and what is looked at."""

ALWAYS: Final[tuple[_Check, ...]] = (check_owner, check_time)
"""What is looked at in every event."""

# What the reducer could not do, and the rule that says so. A note that is not here is
# the consequence of something that another rule has told.
_NOTED: Final = {
    "state.patch_failed": "operations that apply to the state as it is",
    "activity.patch_failed": "operations that apply to the activity as it is",
    "activity.wrong_role": "the messageId of an activity",
    "tool.parent_not_assistant": "the messageId of an assistant message",
}

_FORMED: Final = {
    "TEXT_MESSAGE_START": ("message", "messageId"),
    "REASONING_MESSAGE_START": ("reasoning", "messageId"),
    "TOOL_CALL_START": ("call", "toolCallId"),
}


class Adviser:
    """Advice on each explicit event of a thread."""

    def __init__(
        self,
        *,
        run_input: Mapping[str, Any] | None = None,
        interrupts: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.facts: ThreadFacts = ThreadFacts(
            run_input=run_input, interrupts=interrupts
        )

    def receive(
        self, event: Event, index: int, *, refused: bool, from_chunk: bool
    ) -> list[Slip]:
        """What to say about the event; nothing if the client ``refused`` it."""
        facts, slips = self.facts, list[Slip]()
        facts.index = index
        if not refused:
            checks = CHECKS.get(event["type"], ())
            slips = [found for check in checks for found in check(facts, event)]
        elif isinstance(event.get("toolCallId"), str):
            facts.run.spoiled_calls.add(event["toolCallId"])
        told = [found for check in ALWAYS for found in check(facts, event)]
        # Asked of a refused event too, so that the next one does not tell it instead.
        asides = [] if refused else told
        mixed = self._mixed(event, "chunk" if from_chunk else "explicit")
        notes = facts.settle(event)
        if not refused and not slips:
            # What another rule has told is not told again by its consequences.
            slips = mixed + [
                slip(note.rule, note.message, _NOTED[note.rule], *note.ids)
                for note in notes
                if note.rule in _NOTED
            ]
        return slips + asides

    def _mixed(self, event: Event, form: str) -> list[Slip]:
        formed = _FORMED.get(event["type"])
        if formed is None:
            return []
        kind, item_id = formed[0], event[formed[1]]
        if self.facts.forms.setdefault((kind, item_id), form) == form:
            return []
        if not self.facts.first_time("mixed.chunk_explicit", kind, item_id):
            return []
        return [
            slip(
                "mixed.chunk_explicit",
                f"{kind} {item_id!r} comes partly in chunks, partly in explicit events",
                "one form for all of it",
                item_id,
            )
        ]
