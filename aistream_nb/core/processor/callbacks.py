"""Who is told of what: the callbacks of the processor, and the values they get.

Callbacks are optional and synchronous, and are called in the middle of the operation
(stream processor, section 4). A change is told before the detail that belongs to it.
What a callback raises goes to whoever called the processor; what was changed stays.

Only :attr:`ProcessorCallbacks.on_change` is free of the size of the conversation. The
others get whole values, which are made only when somebody listens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from aistream_nb.core.messages import StructuredOutputPart, UIMessage
from aistream_nb.core.values import JSONValue

__all__ = [
    "Activity",
    "ApprovalRequest",
    "Problem",
    "ProcessorCallbacks",
    "RunFailure",
    "StructuredChange",
    "ToolInput",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailure:
    """What a stream said when its run failed."""

    message: str
    code: str | None = None
    raw_event: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInput:
    """A tool of the client is to run now."""

    tool_call_id: str
    tool_name: str
    input: object


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A person is to say whether a call may run."""

    tool_call_id: str
    tool_name: str
    input: object
    approval_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredChange:
    """A structured answer began, grew, or ended."""

    phase: Literal["start", "update", "complete", "error"]
    message_id: str
    part: StructuredOutputPart
    delta: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """Something that an agent shows beside the messages."""

    id: str
    activity_type: str
    content: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something malformed that was read all the same. It names no payload."""

    index: int
    """The position of the event among those received, counted from 0."""
    event_type: str
    field: str
    came: str
    """What kind of value was there, such as ``nothing`` or ``int``."""
    assumed: str
    """What was taken instead."""


_Nothing: TypeAlias = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorCallbacks:
    """The callbacks of a processor; each may be left out.

    >>> heard = []
    >>> callbacks = ProcessorCallbacks(on_change=heard.append)
    """

    on_change: Callable[[str | None], object] | None = None
    """A message changed (its id), or the list did (``None``). Costs next to nothing."""
    on_messages_change: Callable[[tuple[UIMessage, ...]], object] | None = None
    """All messages, whenever one changed."""
    on_stream_start: _Nothing | None = None
    """The first content of a stream came."""
    on_stream_end: Callable[[UIMessage], object] | None = None
    """The stream was finalised: the message it filled."""
    on_error: Callable[[RunFailure], object] | None = None
    on_tool_call: Callable[[ToolInput], object] | None = None
    on_approval_request: Callable[[ApprovalRequest], object] | None = None
    on_text_update: Callable[[str, str], object] | None = None
    """A message's id, and the text of the part that grew."""
    on_tool_call_state_change: Callable[[str, str, str, str], object] | None = None
    """Message id, call id, state of the input, arguments so far."""
    on_thinking_update: Callable[[str, str, str | None], object] | None = None
    """Message id, the thinking so far, and the step it belongs to."""
    on_custom_event: Callable[[str, Any, str | None], object] | None = None
    """Name, value, and the tool call that the value names, if it names one."""
    on_structured_output_change: Callable[[StructuredChange], object] | None = None
    on_state_change: Callable[[JSONValue], object] | None = None
    """The shared state, whole."""
    on_activity_change: Callable[[Activity], object] | None = None
    on_problem: Callable[[Problem], object] | None = None

    @classmethod
    def of(
        cls, callbacks: ProcessorCallbacks | Mapping[str, Any] | None
    ) -> ProcessorCallbacks:
        """Callbacks from a mapping of names; the reference's spelling is known too.

        Raises:
            TypeError: A name is not that of a callback.

        >>> ProcessorCallbacks.of({"onChange": print}).on_change is print
        True
        """
        if isinstance(callbacks, ProcessorCallbacks):
            return callbacks
        known = {_camel(field.name): field.name for field in fields(cls)}
        return cls(
            **{known.get(name, name): call for name, call in (callbacks or {}).items()}
        )

    @property
    def hear_deltas(self) -> bool:
        """Whether anybody hears of more than a change, or wants events counted."""
        return (
            self.on_messages_change is not None
            or self.on_text_update is not None
            or self.on_problem is not None
        )


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
