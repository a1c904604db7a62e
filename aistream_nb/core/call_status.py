"""What a person is told about a tool call: one word, from everything that is known.

The processor keeps the reference's part states, which answer "how far are the
arguments". A person asks something else: is it waiting for me, running, done? The
answer is the first row of :data:`STATUS_RULES` whose condition holds. No row leads
back to a word that turns a spinner once the run has ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

__all__ = [
    "SETTLED",
    "STATUS_RULES",
    "CallFacts",
    "CallStatus",
    "call_status",
    "decision_of",
]

CallStatus: TypeAlias = Literal[
    "streaming",
    "ready",
    "awaiting-approval",
    "approved",
    "denied",
    "executing",
    "complete",
    "error",
    "aborted",
]

SETTLED: Final = frozenset({"complete", "denied", "error", "aborted"})
"""Nothing more is expected of a call that has one of these."""

_WAITING_FOR_A_PERSON: Final = "approval-requested"
_ANSWERED_BY_A_PERSON: Final = "approval-responded"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """All that decides the status of one call."""

    part_state: str = "awaiting-input"
    """The state of the call's part, in the reference's words."""
    has_result: bool = False
    failed: bool = False
    """Whether the result tells of a failure."""
    decision: Literal["proceed", "deny"] | None = None
    executing: bool = False
    stopped: bool = False
    """Whether the run ended in a way that leaves this call without an answer."""


STATUS_RULES: Final[tuple[tuple[CallStatus, Callable[[CallFacts], bool]], ...]] = (
    ("denied", lambda facts: facts.decision == "deny"),
    ("error", lambda facts: facts.has_result and facts.failed),
    ("complete", lambda facts: facts.has_result),
    ("aborted", lambda facts: facts.stopped),
    ("executing", lambda facts: facts.executing),
    ("approved", lambda facts: facts.decision == "proceed"),
    ("awaiting-approval", lambda facts: facts.part_state == _WAITING_FOR_A_PERSON),
    ("approved", lambda facts: facts.part_state == _ANSWERED_BY_A_PERSON),
    ("ready", lambda facts: facts.part_state == "input-complete"),
    ("streaming", lambda _facts: True),
)
"""Read from the top; the last row always holds."""


def call_status(facts: CallFacts) -> CallStatus:
    """The word for a call.

    >>> call_status(CallFacts(part_state="input-complete"))
    'ready'
    >>> call_status(CallFacts(part_state="input-complete", executing=True))
    'executing'
    >>> call_status(CallFacts(has_result=True, failed=True, decision="deny"))
    'denied'
    """
    return next(status for status, holds in STATUS_RULES if holds(facts))


def decision_of(*, approved: bool | None) -> Literal["proceed", "deny"] | None:
    """The decision that an answered approval stands for; ``None`` while it is open."""
    if approved is None:
        return None
    return "proceed" if approved else "deny"
