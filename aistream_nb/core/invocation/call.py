"""One logical call as the tracker knows it, and what a host may choose for all.

What is here is data; what a snapshot does to it is in
:mod:`aistream_nb.core.invocation.live` and :mod:`aistream_nb.core.invocation.calls`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeAlias

from aistream_nb.core.invocation.args import ArgumentText
from aistream_nb.core.invocation.events import Diagnostic, ToolResponse
from aistream_nb.core.invocation.ledger import LedgerRow
from aistream_nb.core.invocation.machines import (
    Input,
    Move,
    Outcome,
    Owner,
    Standing,
)
from aistream_nb.core.values import ABSENT

__all__ = ["Call", "ExecuteWhen", "OnDivergence", "Policy", "Surroundings"]

ExecuteWhen: TypeAlias = Literal["args_complete", "run_settled"]
OnDivergence: TypeAlias = Literal["execute_latest"] | None

_HISTORY: Final = (Outcome.RESTORED, Outcome.RECORDED)
_COMPLETE: Final = Input.COMPLETE
_VANISHED_CALLS: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a host may choose."""

    execute_when: ExecuteWhen = "args_complete"
    """``run_settled``: wait until the run has stopped, or the call is ours (A.10)."""
    on_divergence: OnDivergence = None
    gated: bool = False
    """Whether a gate is asked before a call runs."""
    assistant_only: bool = False
    """Whether messages of other roles are ignored."""
    vanished_calls: int = _VANISHED_CALLS
    """How many open calls that left the snapshot keep their text."""


class Surroundings(Protocol):
    """What the book asks of the outside. None of these raises."""

    def executable(self, tool_name: str) -> bool:
        """Whether there is a tool of that name now that we could run or stream to."""
        ...

    def ownership(self, part: Mapping[str, Any]) -> bool | None:
        """Whether the call is the client's; ``None`` if nobody knows (A.9)."""
        ...

    def report(self, diagnostic: Diagnostic) -> None:
        """Tell the host."""
        ...


class Call:
    """One logical call: an id in one epoch. Compared by identity (F.5, L1)."""

    __slots__ = (
        "answer",
        "args",
        "epoch",
        "forgotten",
        "gone",
        "has_tool",
        "observed",
        "standing",
        "told",
        "tool_call_id",
        "tool_name",
        "value",
    )

    def __init__(
        self, epoch: int, tool_call_id: str, tool_name: str, standing: Standing
    ) -> None:
        self.epoch: int = epoch
        self.tool_call_id: str = tool_call_id
        self.tool_name: str = tool_name
        self.standing: Standing = standing
        self.args: ArgumentText = ArgumentText()
        self.observed: str | None = None
        """The latest text that does not extend the tracked one."""
        self.value: Any = ABSENT
        """What the call would run with, once its arguments are complete."""
        self.answer: ToolResponse | None = None
        """The backend's answer as last seen, for A.6 and A.7."""
        self.gone: bool = False
        self.forgotten: bool = False
        self.has_tool: bool = True
        self.told: bool = False

    @property
    def is_history(self) -> bool:
        """Whether it was there before we were, and did not change since."""
        return self.standing.outcome in _HISTORY

    @property
    def over(self) -> bool:
        """Whether nothing but the id is needed to go on exactly once."""
        outcome = self.standing.outcome
        if outcome is Outcome.RECORDED:
            return True
        return self.standing.input is _COMPLETE and outcome is not Outcome.PENDING

    @property
    def waits(self) -> bool:
        """Whether it may go on although the next snapshot shows it as it is.

        It waits for the end of a run, or for a tool; history waits for nothing.
        """
        standing = self.standing
        if self.is_history:
            return False
        if standing.input is not _COMPLETE:
            return True
        return standing.outcome is Outcome.PENDING and standing.owner is Owner.UNKNOWN

    def forget(self) -> None:
        """Drop everything but the id and where it stands: enough for exactly once."""
        self.standing.move(Move.CLOSE)
        self.args = ArgumentText()
        self.observed = None
        self.answer = None
        self.value = ABSENT
        self.forgotten = True

    @property
    def row(self) -> LedgerRow:
        """What the ledger says of the call."""
        names = (self.tool_call_id, self.tool_name)
        return LedgerRow.of(self.epoch, names, self.standing, has_tool=self.has_tool)
