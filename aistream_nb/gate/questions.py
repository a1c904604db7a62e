"""Questions to a person, the answers, and the log of them: values only.

A question is a :class:`PendingApproval`; what became of it, or of a call that needed
no question, is a :class:`DecisionRecord`. Both can be shown, recorded and compared.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from aistream_nb.core.tool_spec import Decision, Deny, Proceed, ToolSpec
from aistream_nb.core.values import is_mapping

__all__ = [
    "Asked",
    "Decided",
    "DecisionRecord",
    "GateEvent",
    "Observer",
    "Outcome",
    "PendingApproval",
    "Receipt",
    "is_decision",
]

Outcome: TypeAlias = Literal[
    "proceed", "deny", "timed-out", "nobody", "aborted", "failed"
]
"""How the question of a call ended. Only ``proceed`` runs the tool, and ``nobody``
where the gate was told that an absent person means yes."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PendingApproval:
    """A call that waits for a person.

    >>> PendingApproval(
    ...     id="approval_1",
    ...     tool=ToolSpec(name="rm"),
    ...     arguments={"path": "/x"},
    ...     tool_call_id="call_1",
    ...     asked_at=0,
    ... )
    <approval_1: may rm run with {'path': '/x'}?>
    """

    id: str
    tool: ToolSpec
    arguments: Mapping[str, Any]
    """The validated arguments, as the tool would get them."""
    tool_call_id: str | None
    asked_at: float
    why: str = ""
    """What made the gate ask."""
    chat: str | None = None
    """The chat that asks, where several share a gate."""

    def __repr__(self) -> str:
        arguments = reprlib.repr(dict(self.arguments))
        return f"<{self.id}: may {self.tool.name} run with {arguments}?>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DecisionRecord:
    """Who decided what about a call, when and why.

    >>> DecisionRecord(
    ...     tool_name="rm",
    ...     tool_call_id="call_1",
    ...     outcome="deny",
    ...     decision=Deny(reason="not today"),
    ...     by="you",
    ...     why="not today",
    ...     at=0,
    ... )
    <rm call_1: deny by you, 'not today'>
    """

    tool_name: str
    tool_call_id: str | None
    outcome: Outcome
    decision: Decision | None
    """What the turn was told; ``None`` where the question was aborted or failed."""
    by: str
    """``you`` or another person's name, ``rule``, ``policy``, ``always`` or ``ask``."""
    why: str
    at: float
    asked_at: float | None = None
    approval_id: str | None = None
    chat: str | None = None

    def __repr__(self) -> str:
        call = self.tool_name
        if self.tool_call_id is not None:
            call = f"{call} {self.tool_call_id}"
        why = f", {self.why!r}" if self.why else ""
        decision = self.decision
        is_edited = isinstance(decision, Proceed) and decision.arguments is not None
        changed = " with changed arguments" if is_edited else ""
        return f"<{call}: {self.outcome}{changed} by {self.by}{why}>"

    def to_wire(self) -> dict[str, Any]:
        """The value of the ``aistream:decision`` event in a recording."""
        proceed = isinstance(self.decision, Proceed)
        value: dict[str, Any] = {
            "toolCallId": self.tool_call_id,
            "approvalId": self.approval_id,
            "decision": "proceed" if proceed else "deny",
            "outcome": self.outcome,
            "by": self.by,
        }
        if self.why:
            value["reason"] = self.why
        if isinstance(self.decision, Proceed) and self.decision.arguments is not None:
            value["arguments"] = dict(self.decision.arguments)
        return value


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an answer: taken, or refused because somebody was first."""

    accepted: bool
    message: str
    record: DecisionRecord | None = None
    """The decision that holds, be it this one or the first one."""

    def __bool__(self) -> bool:
        return self.accepted


@dataclass(frozen=True, slots=True)
class Asked:
    """A question was put."""

    pending: PendingApproval


@dataclass(frozen=True, slots=True)
class Decided:
    """A call was decided, by a person or without one."""

    record: DecisionRecord
    pending: PendingApproval | None = None


GateEvent: TypeAlias = Asked | Decided
"""What an observer of a gate is told."""

Observer: TypeAlias = Callable[[GateEvent], object]
"""Called in the thread of the run that asks, in the order of the events."""


def is_decision(answer: object) -> bool:
    """Whether an answer is one that a gate may give; nothing else runs a tool.

    >>> is_decision(Proceed()), is_decision(True), is_decision("proceed")
    (True, False, False)
    """
    if isinstance(answer, Proceed):
        return answer.arguments is None or is_mapping(answer.arguments)
    # The annotation promises text; a caller may have broken that promise.
    reason: object = answer.reason if isinstance(answer, Deny) else None
    return isinstance(reason, str)
