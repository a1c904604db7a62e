"""A gate that tells what it does, so that a recording holds every decision.

Around whatever gate a chat was given, :class:`NarratedGate` emits AG-UI CUSTOM
events: ``aistream:asked`` when a person is asked, ``aistream:decision`` with who
decided what and why, ``aistream:executing`` before the tool runs. The wrapped gate
decides; nothing here can turn a no into a yes.

The question has a name of its own: it is asked and answered inside the run, and is no
AG-UI interrupt, which ends one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

from aistream_nb.core.tool_spec import Decision, Deny, Gate, GateRequest, Proceed
from aistream_nb.core.values import Event
from aistream_nb.gate import (
    ApprovalGate,
    Asked,
    Audience,
    DecisionRecord,
    GateEvent,
    PendingApproval,
)

__all__ = ["Emit", "NarratedGate", "Telling"]

Emit: TypeAlias = Callable[[Event], None]
"""Takes one AG-UI event on its way to the conversation and the recording."""


@runtime_checkable
class Telling(Protocol):
    """A gate that knows what is to be told of its answers, as a recorded one does."""

    def tell(self, request: GateRequest) -> Iterable[Event]:
        """The events of the decision that was just made."""
        ...


class NarratedGate:
    """A gate around a gate: the same answers, and an event for each step.

    Args:
        gate: Who decides. An :class:`~aistream_nb.gate.ApprovalGate` also tells of
            its questions; of another callable only the answer is known.
        emit: Takes the events.
        name_call: The id under which the stream knows a call that has none.
        chat: The chat that asks; *always allow* is remembered for it alone.
        audience: Says whether anybody can answer.
    """

    def __init__(
        self,
        gate: Gate,
        *,
        emit: Emit,
        name_call: Callable[[], str],
        chat: str,
        audience: Audience,
    ) -> None:
        self._emit = emit
        self._name_call = name_call
        self._chat = chat
        self._tells = isinstance(gate, ApprovalGate)
        self._asked: set[str | None] = set()
        self._gate: Gate = gate
        self._unsubscribe: Callable[[], None] = _nothing
        if isinstance(gate, ApprovalGate):
            self._gate = gate.for_chat(chat, audience=audience)
            self._unsubscribe = gate.subscribe(self._observe)

    def close(self) -> None:
        """Stop listening to the gate."""
        self._unsubscribe()

    async def __call__(self, request: GateRequest) -> Decision:
        """The wrapped gate's answer.

        Raises:
            TurnError: The wrapped gate failed.
        """
        self._asked.add(request.tool_call_id)
        decision = await self._gate(request)
        call_id = request.tool_call_id or self._name_call()
        if isinstance(self._gate, Telling):
            for event in self._gate.tell(request):
                self._emit(event)
        elif not self._tells:
            self._emit(_decision_event(decision, call_id))
        if isinstance(decision, Proceed):
            self._tell("aistream:executing", {"toolCallId": call_id})
        return decision

    def _observe(self, event: GateEvent) -> None:
        if isinstance(event, Asked):
            self._tell_question(event.pending)
        else:
            self._tell_decision(event.record)

    def _tell_question(self, pending: PendingApproval) -> None:
        if not self._is_ours(pending):
            return
        self._tell(
            "aistream:asked",
            {
                "toolCallId": pending.tool_call_id or self._name_call(),
                "toolName": pending.tool.name,
                "input": dict(pending.arguments),
                "approval": {"id": pending.id, "needsApproval": True},
            },
        )

    def _tell_decision(self, record: DecisionRecord) -> None:
        # Where the run was stopped nobody said no: the call is aborted, not denied.
        if record.outcome == "aborted" or not self._is_ours(record):
            return
        value = record.to_wire()
        value["toolCallId"] = record.tool_call_id or self._name_call()
        self._tell("aistream:decision", value)

    def _is_ours(self, told: PendingApproval | DecisionRecord) -> bool:
        """Whether it is about a call of this run.

        Another chat of the same thread, from which this one was restored, may share
        the gate while it still runs.
        """
        return told.chat == self._chat and told.tool_call_id in self._asked

    def _tell(self, name: str, value: Mapping[str, Any]) -> None:
        self._emit({"type": "CUSTOM", "name": name, "value": value})


def _decision_event(decision: object, call_id: str) -> Event:
    value: dict[str, Any] = {"toolCallId": call_id, "by": "gate", "decision": "deny"}
    if isinstance(decision, Proceed):
        value["decision"] = "proceed"
        if decision.arguments is not None:
            value["arguments"] = dict(decision.arguments)
    elif isinstance(decision, Deny):
        value["reason"] = decision.reason
    return {"type": "CUSTOM", "name": "aistream:decision", "value": value}


def _nothing() -> None:
    """End a subscription that never was."""
