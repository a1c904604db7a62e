"""What a stream came to: its result, and its state while it runs, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from aistream_nb.core.parts import without_none
from aistream_nb.core.values import ABSENT, present

__all__ = [
    "CallProgress",
    "Interrupt",
    "RequestedCall",
    "Run",
    "StreamResult",
    "StreamState",
]

RunStatus: TypeAlias = Literal["idle", "running", "finished", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCall:
    """A call whose arguments are complete, as the model asked for it."""

    id: str
    name: str
    arguments: str
    metadata: Mapping[str, Any] | None = None

    def to_wire(self) -> dict[str, Any]:
        """The call as the models' JSON has it."""
        function = {"name": self.name, "arguments": self.arguments}
        return without_none(
            id=self.id, type="function", function=function, metadata=self.metadata
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamResult:
    """What one stream came to."""

    content: str
    thinking: str | None = None
    tool_calls: tuple[RequestedCall, ...] = ()
    finish_reason: object = None

    def to_wire(self) -> dict[str, Any]:
        """The result as JSON.

        >>> StreamResult(content="Ahoy", finish_reason="stop").to_wire()
        {'content': 'Ahoy', 'finishReason': 'stop'}
        """
        calls = [call.to_wire() for call in self.tool_calls]
        return {
            "content": self.content,
            **without_none(thinking=self.thinking, toolCalls=calls or None),
            "finishReason": self.finish_reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """How far the stream is with one call."""

    id: str
    name: str
    arguments: str
    state: Literal["awaiting-input", "input-streaming", "input-complete"]
    parsed_arguments: object
    """The value of the arguments so far; absent if they have none."""
    index: object
    metadata: Mapping[str, Any] | None = None

    def to_wire(self) -> dict[str, Any]:
        """The progress as JSON."""
        return {
            **present(
                id=self.id,
                name=self.name,
                arguments=self.arguments,
                state=self.state,
                parsedArguments=self.parsed_arguments,
                index=self.index,
            ),
            **without_none(metadata=self.metadata),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamState:
    """What one stream has told so far."""

    content: str = ""
    thinking: str = ""
    tool_calls: tuple[CallProgress, ...] = ()
    """In the order in which they started."""
    finish_reason: object = None
    done: bool = False

    def to_wire(self) -> dict[str, Any]:
        """The state as JSON."""
        return {
            "content": self.content,
            "thinking": self.thinking,
            "toolCalls": [call.to_wire() for call in self.tool_calls],
            "toolCallOrder": [call.id for call in self.tool_calls],
            "finishReason": self.finish_reason,
            "done": self.done,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt:
    """A question that ended a run and waits for a person."""

    id: str
    reason: str
    tool_call_id: str | None
    wire: Mapping[str, Any]
    """The whole question, as it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The run that the stream is in, or was in last."""

    status: RunStatus = "idle"
    thread_id: str | None = None
    run_id: str | None = None
    outcome: Mapping[str, Any] | None = None
    """How the run ended, if the stream said more than that it did."""
    interrupts: tuple[Interrupt, ...] = ()
    """The questions that wait; they stay until a run ends without any."""
    result: object = ABSENT
    error: str | None = None
    """Why the run failed, if it did."""
