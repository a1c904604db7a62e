"""The person of a recording, in front of today's gate.

A gate of today decides by today's rules. Where these say *ask*, the person answers as
it was recorded; without this every question in CI would meet an empty chair.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from aistream_nb.core.tool_spec import Gate
from aistream_nb.core.values import is_mapping
from aistream_nb.gate import ApprovalGate, Asked, GateEvent
from aistream_nb.recording import Recording
from aistream_nb.testing.script_of import loose_calls
from aistream_nb.testing.scripted import ASKED, RecordedGate, decision_of

__all__ = ["recorded_audience", "with_recorded_person"]

_DECIDED: Final = "aistream:decision"
_NO_PERSON: Final = frozenset({"policy", "rule", "run", "ask", "gate", "always"})
"""Who decides without being asked."""
_RAN_OUT: Final = "timed-out"
_UNKNOWN: Final = "the recording holds no decision on this call"


def with_recorded_person(
    gate: Gate | None, recording: Recording, stop: Callable[[], None]
) -> Gate:
    """``gate`` with the recorded person before it; without one, what was recorded.

    Args:
        gate: Today's gate, or ``None``.
        recording: Tells of the decisions.
        stop: Ends the run, where the person did that instead of answering.
    """
    if gate is None:
        loose = loose_calls(recording)
        recorded = RecordedGate(recording.events, in_question=loose.in_question)
        recorded.stop = stop
        return recorded
    if isinstance(gate, ApprovalGate):
        gate.subscribe(_person(gate, recording, stop))
    return gate


def recorded_audience(recording: Recording) -> Callable[[], Awaitable[str | None]]:
    """Says, question after question, why nobody answered when it was recorded."""
    reasons: dict[str, str | None] = {}
    for event in recording.events:
        name, value = event.get("name"), event.get("value")
        if not is_mapping(value):
            continue
        call_id = str(value.get("toolCallId"))
        if str(name) in ASKED:
            reasons[call_id] = None
        elif name == _DECIDED and call_id in reasons and _is_nobodys(value):
            reasons[call_id] = str(value.get("reason") or _UNKNOWN)
    due = deque(reasons.values())

    async def audience() -> str | None:
        return due.popleft() if due else _UNKNOWN

    return audience


def _person(
    gate: ApprovalGate, recording: Recording, stop: Callable[[], None]
) -> Callable[[GateEvent], None]:
    left = loose_calls(recording).in_question
    answers: defaultdict[str, deque[Mapping[str, Any]]] = defaultdict(deque)
    for event in recording.events:
        value = event.get("value")
        if event.get("name") != _DECIDED or not is_mapping(value):
            continue
        if not _is_nobodys(value):
            answers[str(value.get("toolCallId"))].append(value)

    def look(event: GateEvent) -> None:
        if not isinstance(event, Asked):
            return
        call_id = str(event.pending.tool_call_id)
        known, loop = answers[call_id], asyncio.get_running_loop()
        if call_id in left and not known:
            stop()
        elif known:
            loop.call_soon(_answer, gate, event.pending.id, known.popleft())

    return look


def _answer(gate: ApprovalGate, question: str, recorded: Mapping[str, Any]) -> None:
    if recorded.get("outcome") == _RAN_OUT:
        gate.let_run_out(question, str(recorded.get("reason") or _UNKNOWN))
    else:
        gate.decide(question, decision_of(recorded), by=str(recorded.get("by")))


def _is_nobodys(value: Mapping[str, Any]) -> bool:
    """Whether it was decided without anybody who could have answered.

    Where the time ran out somebody was there; it ends now as it ended then.
    """
    return str(value.get("by")) in _NO_PERSON and value.get("outcome") != _RAN_OUT
