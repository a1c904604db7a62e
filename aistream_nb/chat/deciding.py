"""A chat's side of the gate: which calls wait for a person, and what was decided.

A decision that comes too late decides nothing, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aistream_nb.conversation import Conversation, ToolCallModel
from aistream_nb.core.tool_spec import Decision, Deny, Gate, Proceed
from aistream_nb.gate import ApprovalGate

__all__ = ["Deciding"]


class Deciding:
    """Something with a conversation whose calls wait for a person."""

    conversation: Conversation
    _gate: Gate

    @property
    def gate(self) -> Gate:
        """Who decides whether a call runs."""
        return self._gate

    def approve(
        self, call: str | None = None, *, arguments: Mapping[str, Any] | None = None
    ) -> str:
        """Let a call run that waits for a person; the answer says what became of it.

        Args:
            call: The id of the call; not needed while only one waits.
            arguments: Arguments to run it with instead of the model's.
        """
        return self.decide(call, Proceed(arguments=arguments))

    def deny(self, call: str | None = None, reason: str = "") -> str:
        """Do not let a call run, and tell the model why."""
        return self.decide(call, Deny(reason=reason))

    @property
    def waiting(self) -> tuple[ToolCallModel, ...]:
        """The calls that wait for a person, oldest first."""
        calls = self.conversation.tool_calls.values()
        return tuple(call for call in calls if call.status == "awaiting-approval")

    def decide(
        self, call: str | None, decision: Decision, *, always: bool = False
    ) -> str:
        """Decide about a call that waits; the answer says what became of it.

        Args:
            call: The id of the call; not needed while only one waits.
            decision: ``Proceed`` or ``Deny``.
            always: Also allow the tool from now on, in this chat.
        """
        waiting = {str(model.id): model for model in self.waiting}
        if call is None and len(waiting) == 1:
            call = next(iter(waiting))
        model = waiting.get(call or "")
        if model is None:
            return _nothing_waits(call, list(waiting))
        if not isinstance(self._gate, ApprovalGate):
            return "This chat's gate does not ask people."
        receipt = self._gate.decide(str(model.approval_id), decision, always=always)
        return receipt.message


def _nothing_waits(call: str | None, waiting: list[str]) -> str:
    if call is None and waiting:
        return f"Several calls wait; name one of {waiting}."
    return f"No call {call!r} waits for a decision." if call else "No call waits."
