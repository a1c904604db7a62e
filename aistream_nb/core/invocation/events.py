"""What a tool's ``stream_call`` and the host are told of calls, as values.

Reader events are what ``reader.events()`` yields; a response is the answer to a
call; a diagnostic is what went wrong, or what the host may want to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from aistream_nb.core.values import ABSENT, present

__all__ = [
    "AnswerCleared",
    "AnswerReplaced",
    "Answered",
    "ArgsChanged",
    "ArgsDelta",
    "ArgsDone",
    "ArgsRegressed",
    "ArgsReplaced",
    "Diagnostic",
    "Ended",
    "Left",
    "ReaderEvent",
    "Returned",
    "ToolResponse",
]


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """The answer to a call. A tool may return one to say more than a value."""

    result: Any
    is_error: bool = False
    artifact: Any = ABSENT
    """For the host's eyes only; absent unless the tool supplied it."""
    model_content: Any = ABSENT
    """What the model is told instead of the result; absent unless supplied."""

    def to_wire(self) -> dict[str, Any]:
        """The answer in the wire's spelling, without what is absent.

        >>> ToolResponse(7).to_wire()
        {'result': 7, 'isError': False}
        """
        return present(
            result=self.result,
            isError=self.is_error,
            artifact=self.artifact,
            modelContent=self.model_content,
        )

    @classmethod
    def from_wire(cls, part: Mapping[str, Any]) -> ToolResponse:
        """The answer that a call part carries under ``result``."""
        return cls(
            part["result"],
            is_error=bool(part.get("isError", False)),
            artifact=part.get("artifact", ABSENT),
            model_content=part.get("modelContent", ABSENT),
        )


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something that went wrong, or that the host may want to know; never raised."""

    code: str
    message: str
    tool_call_id: str | None = None
    error: Exception | None = None
    """What was raised, if something was. The message never quotes it."""


@dataclass(frozen=True, slots=True)
class ArgsDelta:
    """More of the arguments' text. Never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ArgsRegressed:
    """A snapshot shows a text that does not extend what was streamed (A.2)."""

    streamed: str
    observed: str


@dataclass(frozen=True, slots=True)
class ArgsChanged:
    """The arguments changed after they were complete (A.4)."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ArgsReplaced:
    """The call runs with this value, and not with what was streamed."""

    value: Any


@dataclass(frozen=True, slots=True)
class ArgsDone:
    """No more text will come."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The one response of the call."""

    response: ToolResponse


@dataclass(frozen=True, slots=True)
class AnswerReplaced:
    """A snapshot shows another result than the first one (A.6)."""

    response: ToolResponse


@dataclass(frozen=True, slots=True)
class AnswerCleared:
    """A snapshot shows no result any more (A.7)."""


@dataclass(frozen=True, slots=True)
class Left:
    """The call is not in the latest snapshot (B.1)."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The call is back."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more will be heard of the call."""

    reason: str
    """``reset``, ``abort`` or ``forgotten``."""


ReaderEvent: TypeAlias = (
    ArgsDelta
    | ArgsRegressed
    | ArgsChanged
    | ArgsReplaced
    | ArgsDone
    | Answered
    | AnswerReplaced
    | AnswerCleared
    | Left
    | Returned
    | Ended
)
"""Everything that ``reader.events()`` can yield."""
