"""A ledger out of what a stream tells: for calls that no tracker watched.

A provider's calls are run inside its turns. What was decided about them is in the
events (a question, a decision, that the tool runs, the result), so the same rows can be
read from these as a tracker makes of its tables, and nothing else is in them.

Rules that a change must keep. A run is counted where the stream says that the tool
runs, as often as it says so. An id that comes again after the thread was cut is another
call, in another epoch. Calls of a saved conversation are history: here they never ran.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from aistream_nb.core.invocation.ledger import Ledger, LedgerRow, why_not_run
from aistream_nb.core.invocation.machines import Move, Outcome, Standing
from aistream_nb.core.values import Event, is_mapping

__all__ = ["ToldCalls"]

_UNFIT: Final = "the changed arguments do not fit"
"""What a result says of a call that was let run with what its tool does not take."""


@dataclass(slots=True)
class _Told:
    """What the stream said of one call."""

    epoch: int
    id: str
    name: str
    moves: list[Move] = field(default_factory=list[Move])
    outcome: Outcome = Outcome.PENDING
    reason: str = ""
    is_edited: bool = False
    """Whether a person let it run with other arguments."""

    def move(self, move: Move, outcome: Outcome | None = None) -> None:
        self.moves.append(move)
        if outcome is not None:
            self.outcome = outcome

    @property
    def row(self) -> LedgerRow:
        runs = self.moves.count(Move.INVOKE)
        return LedgerRow(
            epoch=self.epoch,
            tool_call_id=self.id,
            tool_name=self.name,
            decisions=tuple(move.value for move in self.moves),
            outcome=self.outcome.value,
            runs=runs,
            why_not_run="" if runs else self._why(),
        )

    def _why(self) -> str:
        if self.reason:
            return self.reason
        if self.outcome is Outcome.PENDING:
            is_asked = self.moves[-1:] == [Move.ASK]
            return "it waits for a person" if is_asked else "its turn has not come"
        return why_not_run(Standing(outcome=self.outcome))


class ToldCalls:
    """Follows a stream, and keeps a row for each call that it tells of.

    >>> calls = ToldCalls()
    >>> calls.receive(
    ...     {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "add"}
    ... )
    >>> executing = {"name": "aistream:executing", "value": {"toolCallId": "c"}}
    >>> calls.receive({"type": "CUSTOM", **executing})
    >>> calls.receive({"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "2"})
    >>> calls.read_ledger()
    Ledger: 1 call
      [1] c add: settled, ran once (receive > invoke > settle)
    """

    def __init__(self) -> None:
        self._epoch = 1
        self._rows: list[_Told] = []
        self._calls: dict[str, _Told] = {}

    def read_ledger(self) -> Ledger:
        """What was told so far."""
        return Ledger(tuple(one.row for one in self._rows))

    def recall(self, call_id: str, name: str, *, answered: bool) -> None:
        """Take a call of a saved conversation as history."""
        outcome = Outcome.RECORDED if answered else Outcome.RESTORED
        self._add(_Told(self._epoch, call_id, name, outcome=outcome))

    def begin_epoch(self) -> None:
        """What comes from now on is another life, also under the same ids."""
        self._epoch += 1
        self._calls = {}

    def receive(self, event: Event) -> None:
        """See an event."""
        kind, name = event.get("type"), event.get("name")
        rule = self._RULES.get(str(name if kind == "CUSTOM" else kind))
        if rule is not None:
            value = event.get("value") if kind == "CUSTOM" else event
            rule(self, value if is_mapping(value) else {})

    def _add(self, told: _Told) -> None:
        self._rows.append(told)
        self._calls[told.id] = told

    def _start(self, event: Mapping[str, Any]) -> None:
        call_id, name = str(event.get("toolCallId")), str(event.get("toolCallName"))
        known = self._calls.get(call_id)
        if known is None:
            known = _Told(self._epoch, call_id, name)
            self._add(known)
        elif known.outcome in {Outcome.RESTORED, Outcome.RECORDED}:
            known.move(Move.PROMOTE)
        known.move(Move.RECEIVE, Outcome.PENDING)
        known.reason = ""

    def _end(self, event: Mapping[str, Any]) -> None:
        self._note(event, Move.CLOSE)

    def _asked(self, value: Mapping[str, Any]) -> None:
        self._note(value, Move.ASK)

    def _decided(self, value: Mapping[str, Any]) -> None:
        told = self._calls.get(str(value.get("toolCallId")))
        if told is None:
            return
        if told.moves[-1:] != [Move.ASK]:
            told.move(Move.ASK)  # the gate was asked, though it asked nobody
        told.is_edited = "arguments" in value
        if value.get("decision") == "proceed":
            self._note(value, Move.APPROVE)
            return
        why = str(value.get("reason") or "")
        said = f"the gate denied it: {why}" if why else "the gate denied it"
        self._note(value, Move.DENY, reason=said)

    def _executing(self, value: Mapping[str, Any]) -> None:
        self._note(value, Move.INVOKE, Outcome.EXECUTING)

    def _answered(self, event: Mapping[str, Any]) -> None:
        told = self._calls.get(str(event.get("toolCallId")))
        if told is not None and _was_unfit(told, event):
            told.moves = [move for move in told.moves if move is not Move.INVOKE]
            told.reason = _UNFIT
        self._note(event, Move.SETTLE, Outcome.SETTLED)

    def _ended(self, event: Mapping[str, Any]) -> None:
        del event
        for told in self._calls.values():
            if told.outcome in {Outcome.PENDING, Outcome.EXECUTING}:
                told.move(Move.DISCARD, Outcome.DISCARDED)
                told.reason = told.reason or "the run ended first"

    def _cut(self, event: Mapping[str, Any]) -> None:
        del event
        self.begin_epoch()

    def _note(
        self,
        value: Mapping[str, Any],
        move: Move,
        outcome: Outcome | None = None,
        *,
        reason: str = "",
    ) -> None:
        told = self._calls.get(str(value.get("toolCallId")))
        if told is not None:
            told.move(move, outcome)
            told.reason = reason or told.reason

    _RULES: ClassVar[Mapping[str, Callable[..., None]]] = {
        "TOOL_CALL_START": _start,
        "TOOL_CALL_END": _end,
        "TOOL_CALL_RESULT": _answered,
        "MESSAGES_SNAPSHOT": _cut,
        "RUN_FINISHED": _ended,
        "RUN_ERROR": _ended,
        "approval-requested": _asked,
        "aistream:asked": _asked,
        "aistream:decision": _decided,
        "aistream:executing": _executing,
    }


def _was_unfit(told: _Told, answer: Mapping[str, Any]) -> bool:
    """Whether an answer is our own word that its tool was not reached.

    What a tool says is no word of ours, so all of it must fit: the arguments were
    changed, it is an error, and it begins as we begin it.
    """
    ours: Any = answer.get("metadata")
    ours = ours.get("aistream") if is_mapping(ours) else None
    is_error = is_mapping(ours) and ours.get("isError") is True
    begin = f"{told.name} (callId={told.id}): {_UNFIT}"
    said = answer.get("content")
    return told.is_edited and is_error and str(said).startswith(begin)
