"""The gate: whether a tool call may run, and who says so.

A gate is any ``async`` function from a
:class:`~aistream_nb.core.tool_spec.GateRequest` to ``Proceed`` or ``Deny``.
:class:`ApprovalGate` is ours: rules, a policy, and questions to a person that are
answered from a widget, a terminal or a test alike.
"""

from __future__ import annotations

from aistream_nb.gate.approval import ApprovalGate, Audience, ChatGate, current_gate
from aistream_nb.gate.policy import AskFunction, AskPolicy, may_destroy
from aistream_nb.gate.questions import (
    Asked,
    Decided,
    DecisionRecord,
    GateEvent,
    Observer,
    Outcome,
    PendingApproval,
    Receipt,
    is_decision,
)
from aistream_nb.gate.rules import Rule, RuleLike

__all__ = [
    "ApprovalGate",
    "AskFunction",
    "AskPolicy",
    "Asked",
    "Audience",
    "ChatGate",
    "Decided",
    "DecisionRecord",
    "GateEvent",
    "Observer",
    "Outcome",
    "PendingApproval",
    "Receipt",
    "Rule",
    "RuleLike",
    "current_gate",
    "is_decision",
    "may_destroy",
]
