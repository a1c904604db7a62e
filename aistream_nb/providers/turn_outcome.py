"""What a turn leaves behind: how it ended, and what to send to go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from aistream_nb.core.turn_events import Usage

__all__ = ["Continuation", "ToolCallSummary", "ToolConflicts", "TurnOutcome"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallSummary:
    """One call of a round, with its answer."""

    tool_name: str
    call_id: str | None
    arguments: Mapping[str, Any]
    """As the model wrote them."""
    result: str
    is_error: bool
    edited_arguments: Mapping[str, Any] | None = None
    """What the tool ran with instead, when the gate replaced the arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """What the next round needs: pass ``messages`` as its ``continuation_messages``.

    The messages are cumulative. They replace those of the round before; appending
    them to those would send each call twice.
    """

    messages: tuple[Any, ...]
    summary: tuple[ToolCallSummary, ...]
    """The calls of this round only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConflicts:
    """Tools that were left out, because the provider refuses both kinds together."""

    policy: Literal["drop-server-tools", "prefer-server-tools", "fail", "combine"]
    dropped_server_tools: tuple[str, ...] = ()
    dropped_client_tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    """How a round ended well. A round that failed raises instead."""

    continuation: Continuation | None
    """``None`` when the model is finished; otherwise run another round with it."""
    truncated: bool
    full_text: str
    """The text of this round only."""
    usage: Usage | None = None
    stop_reason: str | None = None
    incomplete_reason: str | None = None
    """Why the answer is not whole, in the provider's word: a refusal, a limit."""
    tool_conflicts: ToolConflicts | None = None
