"""What happens inside one turn with a model, as values.

The vocabulary is the reference's (specification of provider turns, section 3), and
two events that it lacks: :class:`ThinkingDelta` and :class:`ToolCallArgsDelta`.
For one call the order is start, argument deltas, done, result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

__all__ = [
    "Done",
    "ServerToolEvent",
    "TextDelta",
    "ThinkingDelta",
    "ToolCallArgsDelta",
    "ToolCallDone",
    "ToolCallResult",
    "ToolCallStart",
    "TurnEvent",
    "TurnFailed",
    "Usage",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that a provider counted; ``None`` where it said nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """More of the answer. Never empty."""

    delta: str
    type: Literal["text-delta"] = "text-delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta:
    """More of the model's visible thinking. Never empty."""

    delta: str
    type: Literal["thinking-delta"] = "thinking-delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerToolEvent:
    """A tool that the provider runs itself began or ended."""

    tool_type: str
    phase: Literal["started", "completed"]
    detail: str | None = None
    type: Literal["tool-event"] = "tool-event"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStart:
    """The model began to write a call."""

    tool_name: str
    call_id: str
    type: Literal["client-tool-call-start"] = "client-tool-call-start"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallArgsDelta:
    """More of a call's arguments, as JSON text. Never empty."""

    call_id: str
    delta: str
    type: Literal["client-tool-args-delta"] = "client-tool-args-delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallDone:
    """A call's arguments are complete; nothing is said of its execution."""

    tool_name: str
    call_id: str | None
    """``None`` where the provider gives calls no ids."""
    arguments: Mapping[str, Any]
    """As the model wrote them, before validation."""
    type: Literal["client-tool-call-done"] = "client-tool-call-done"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallResult:
    """What the model is told about a call: the tool's value, or why there is none."""

    tool_name: str
    call_id: str | None
    result: str
    is_error: bool
    type: Literal["client-tool-result"] = "client-tool-result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The round's stream ended as it should."""

    truncated: bool
    full_text: str
    incomplete_reason: str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None
    type: Literal["done"] = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed:
    """The round failed; what had arrived stands."""

    message: str
    type: Literal["error"] = "error"


TurnEvent: TypeAlias = (
    TextDelta
    | ThinkingDelta
    | ServerToolEvent
    | ToolCallStart
    | ToolCallArgsDelta
    | ToolCallDone
    | ToolCallResult
    | Done
    | TurnFailed
)
"""Everything that ``turn.events`` can yield."""
