"""What a person sees, as values on the wire: messages, parts, calls, the run.

They are frozen and small. What grows (the text of a part, the arguments of a call) is
in them only in a snapshot; while it streams it is appended by the frames of
``wire.py``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "ApprovalView",
    "CallPart",
    "CallStatus",
    "CallView",
    "ConversationView",
    "InspectView",
    "MediaPart",
    "MessageView",
    "PartView",
    "Role",
    "RunStatus",
    "RunView",
    "TextPartView",
    "ThinkingPartView",
    "TurnView",
    "Wire",
]


class Wire(BaseModel):
    """A value on the wire: frozen, and strict about fields that nobody knows."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_serialization_defaults_required=True
    )


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
RunStatus: TypeAlias = Literal[
    "idle", "running", "waiting", "finished", "error", "aborted"
]
Role: TypeAlias = Literal["user", "assistant", "system", "tool"]


class ApprovalView(Wire):
    """What a person needs to decide whether a tool runs."""

    id: str
    nonce: str
    """Only a decision that repeats it counts: a late click decides nothing else."""
    words: tuple[str, ...] = ()
    """What the annotations say, such as ``may be impossible to undo``."""
    danger: bool = False
    json_schema: dict[str, Any] | None = None
    """The schema of the arguments, for the editor."""
    hint: str = ""
    """What to do where clicks cannot reach a busy kernel."""
    scope: str = ""
    """How far *always* reaches; empty where it is not offered."""


class CallView(Wire):
    """A tool call without its arguments, which are appended."""

    id: str
    name: str
    title: str = ""
    status: CallStatus
    result: str | None = None
    result_cut: int = 0
    """How many characters of the result were left out."""
    error: str | None = None
    reason: str | None = None
    decided_by: str | None = None
    decided_at: float | None = None
    edited: str | None = None
    """What a person made of the arguments, as JSON text."""
    by_server: bool = False
    started_at: float | None = None
    """When its tool began to run, in seconds since the epoch; where nobody says that,
    when the call began."""
    waited: float | None = None
    """How many seconds a person took to decide; not a part of the run."""
    ended_at: float | None = None
    approval: ApprovalView | None = None


class TextPartView(Wire):
    """Text of a message, as markdown."""

    kind: Literal["text"] = "text"
    text: str = ""
    done: bool = False


class ThinkingPartView(Wire):
    """Visible thinking."""

    kind: Literal["thinking"] = "thinking"
    text: str = ""
    seconds: float | None = None
    """How long it took, once it has ended."""
    done: bool = False


class CallPart(Wire):
    """The place of a tool call in its message."""

    kind: Literal["call"] = "call"
    call: str


class MediaPart(Wire):
    """An image or a file in a message."""

    kind: Literal["media"] = "media"
    media_type: str
    mime: str = ""
    source: str = ""
    """A ``data:`` address, or a remote one that is loaded only on a click."""
    name: str = ""


PartView: TypeAlias = Annotated[
    TextPartView | ThinkingPartView | CallPart | MediaPart, Field(discriminator="kind")
]


class TurnView(Wire):
    """The quiet line below a turn."""

    model: str = ""
    first_text_seconds: float | None = None
    tokens_per_second: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class MessageView(Wire):
    """A message with its parts."""

    id: str
    role: Role
    parts: tuple[PartView, ...] = ()
    turn: TurnView | None = None


class RunView(Wire):
    """What the conversation is doing."""

    status: RunStatus = "idle"
    error: str | None = None
    can_send: bool = False
    can_stop: bool = False
    can_retry: bool = False
    notice: str = ""
    """One line for the bar at the top; empty for none."""


class InspectView(Wire):
    """Where the inspector stands."""

    count: int = 0
    """How many events there are."""
    position: int = 0
    """How many of them have been folded."""
    playing: bool = False
    speed: float = 1.0
    live: bool = False
    """Whether events are still coming."""
    state: str | None = None
    """The shared state at this position, as JSON text."""


class ConversationView(Wire):
    """A whole conversation, for a view that opens late."""

    messages: tuple[MessageView, ...] = ()
    calls: dict[str, CallView] = {}
    arguments: dict[str, str] = {}
    """The raw JSON text of each call's arguments, by call id."""
    run: RunView = RunView()
    cut: int = 0
    """How many early messages were left out."""
    inspect: InspectView | None = None
    """Where an inspector stands; ``None`` in a transcript."""
