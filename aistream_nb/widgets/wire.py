"""The words that Python and the browser exchange: frames down, actions up.

Rule 1: this file is all that the browser knows. It holds no AG-UI and no tools.
Rule 2: names are the same on both sides; ``js/src/wire.gen.ts`` is generated from
here (``npm --prefix js run wire``), and a test fails when it is stale.
Rule 3: frames are linear in the text. What grows is appended, what is small is put
whole; only :class:`Snapshot` is as large as the conversation.
Rule 4: an action is untrusted input. It is parsed by :data:`ACTIONS`, carries an
id, may arrive twice, and is always answered.

Not here: deciding which frames to send (``frames.py``), and sending (``base.py``).
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

__all__ = [
    "ACTIONS",
    "DOWN",
    "Action",
    "Answer",
    "AppendArguments",
    "AppendText",
    "ApprovalView",
    "Asset",
    "AssetAction",
    "Batch",
    "CallPart",
    "CallStatus",
    "CallView",
    "ClosePart",
    "ConversationView",
    "DecideAction",
    "Down",
    "Drop",
    "EditAction",
    "Frame",
    "MediaPart",
    "MessageView",
    "OpenMessage",
    "OpenPart",
    "PartView",
    "PlayAction",
    "PutCall",
    "PutPart",
    "PutRun",
    "PutTurn",
    "ReadyAction",
    "Reset",
    "ResyncAction",
    "RetryAction",
    "Role",
    "RunStatus",
    "RunView",
    "SeekAction",
    "SendAction",
    "Snapshot",
    "StopAction",
    "TextPartView",
    "ThinkingPartView",
    "TurnView",
    "schema",
]


class _Wire(BaseModel):
    """A value on the wire: frozen, and strict about fields that nobody knows."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_serialization_defaults_required=True
    )


# ---------------------------------------------------------------- what is seen

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


class ApprovalView(_Wire):
    """What a person needs to decide whether a tool runs."""

    id: str
    nonce: str
    """Only a decision that repeats it counts: a late click decides nothing else."""
    words: tuple[str, ...] = ()
    """What the annotations say, such as ``deletes or overwrites``."""
    danger: bool = False
    json_schema: dict[str, Any] | None = None
    """The schema of the arguments, for the editor."""
    hint: str = ""
    """What to do where clicks cannot reach a busy kernel."""
    scope: str = ""
    """How far *always* reaches; empty where it is not offered."""


class CallView(_Wire):
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
    """Seconds since the epoch."""
    ended_at: float | None = None
    approval: ApprovalView | None = None


class TextPartView(_Wire):
    """Text of a message, as markdown."""

    kind: Literal["text"] = "text"
    text: str = ""
    done: bool = False


class ThinkingPartView(_Wire):
    """Visible thinking."""

    kind: Literal["thinking"] = "thinking"
    text: str = ""
    seconds: float | None = None
    """How long it took, once it has ended."""
    done: bool = False


class CallPart(_Wire):
    """The place of a tool call in its message."""

    kind: Literal["call"] = "call"
    call: str


class MediaPart(_Wire):
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


class TurnView(_Wire):
    """The quiet line below a turn."""

    model: str = ""
    first_text_seconds: float | None = None
    tokens_per_second: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class MessageView(_Wire):
    """A message with its parts."""

    id: str
    role: Role
    parts: tuple[PartView, ...] = ()
    turn: TurnView | None = None


class RunView(_Wire):
    """What the conversation is doing."""

    status: RunStatus = "idle"
    error: str | None = None
    can_send: bool = False
    can_stop: bool = False
    can_retry: bool = False
    notice: str = ""
    """One line for the bar at the top; empty for none."""


class ConversationView(_Wire):
    """A whole conversation, for a view that opens late."""

    messages: tuple[MessageView, ...] = ()
    calls: dict[str, CallView] = {}
    arguments: dict[str, str] = {}
    """The raw JSON text of each call's arguments, by call id."""
    run: RunView = RunView()
    cut: int = 0
    """How many early messages were left out."""


# ---------------------------------------------------------------- frames


class OpenMessage(_Wire):
    """A new message at the end."""

    type: Literal["open-message"] = "open-message"
    message: str
    role: Role


class OpenPart(_Wire):
    """A new part at the end of a message."""

    type: Literal["open-part"] = "open-part"
    message: str
    part: PartView


class AppendText(_Wire):
    """More text of a part."""

    type: Literal["append-text"] = "append-text"
    message: str
    part: int
    text: str


class AppendArguments(_Wire):
    """More of a call's arguments."""

    type: Literal["append-arguments"] = "append-arguments"
    call: str
    text: str


class PutPart(_Wire):
    """A part that changed otherwise than by growing."""

    type: Literal["put-part"] = "put-part"
    message: str
    part: int
    value: PartView


class ClosePart(_Wire):
    """A part that will not grow any more, and for thinking how long it took."""

    type: Literal["close-part"] = "close-part"
    message: str
    part: int
    seconds: float | None = None


class PutCall(_Wire):
    """The small facts of a call; ``arguments`` only if they did not just grow."""

    type: Literal["put-call"] = "put-call"
    call: CallView
    arguments: str | None = None


class PutTurn(_Wire):
    """The footer of the turn that ends with this message."""

    type: Literal["put-turn"] = "put-turn"
    message: str
    turn: TurnView


class PutRun(_Wire):
    """What the conversation is doing now."""

    type: Literal["put-run"] = "put-run"
    run: RunView


class Drop(_Wire):
    """A message is gone, or its parts from ``part`` on."""

    type: Literal["drop"] = "drop"
    message: str
    part: int | None = None


class Reset(_Wire):
    """Everything is different; start over from here."""

    type: Literal["reset"] = "reset"
    conversation: ConversationView


Frame: TypeAlias = Annotated[
    OpenMessage
    | OpenPart
    | AppendText
    | AppendArguments
    | PutPart
    | ClosePart
    | PutCall
    | PutTurn
    | PutRun
    | Drop
    | Reset,
    Field(discriminator="type"),
]


class Batch(_Wire):
    """One comm message: frames, in order. ``seq`` grows by one."""

    type: Literal["batch"] = "batch"
    seq: int
    frames: tuple[Frame, ...]


class Snapshot(_Wire):
    """The whole conversation as it was after the batch numbered ``seq``."""

    type: Literal["snapshot"] = "snapshot"
    seq: int
    conversation: ConversationView


class Answer(_Wire):
    """What became of an action."""

    type: Literal["answer"] = "answer"
    action: str
    """The id of the action that is answered."""
    accepted: bool
    why: str = ""
    seq: int = 0
    """The last batch that was sent, so that a page notices a lost one."""


class Asset(_Wire):
    """A second bundle, asked for when it is first needed."""

    type: Literal["asset"] = "asset"
    name: Literal["math"]
    source: str


Down: TypeAlias = Annotated[
    Batch | Snapshot | Answer | Asset, Field(discriminator="type")
]

# ---------------------------------------------------------------- actions

ActionId: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]
ShortText: TypeAlias = Annotated[str, Field(max_length=2_000)]
LongText: TypeAlias = Annotated[str, Field(max_length=400_000)]


class _Action(_Wire):
    id: ActionId


class ReadyAction(_Action):
    """A page shows this many views of the widget."""

    type: Literal["ready"] = "ready"
    page: ActionId
    views: Annotated[int, Field(ge=0, le=1_000)]


class ResyncAction(_Action):
    """The page noticed a gap after batch ``have``."""

    type: Literal["resync"] = "resync"
    have: int


class AssetAction(_Action):
    """The page needs a second bundle."""

    type: Literal["asset"] = "asset"
    name: Literal["math"]


class SendAction(_Action):
    """A person wrote a message."""

    type: Literal["send"] = "send"
    text: LongText


class DecideAction(_Action):
    """A person decided about a tool call."""

    type: Literal["decide"] = "decide"
    call: ShortText
    approval: ShortText
    nonce: ShortText
    decision: Literal["proceed", "deny"]
    reason: ShortText = ""
    arguments: LongText | None = None
    """Edited arguments as JSON text; ``None`` where they stand as they were."""
    always: bool = False


class StopAction(_Action):
    """A person wants the turn to end."""

    type: Literal["stop"] = "stop"


class RetryAction(_Action):
    """A person wants the last turn again."""

    type: Literal["retry"] = "retry"


class EditAction(_Action):
    """A person rewrote an earlier message of theirs and sends it again."""

    type: Literal["edit"] = "edit"
    message: ShortText
    text: LongText


class SeekAction(_Action):
    """Show the conversation as it was after this many events."""

    type: Literal["seek"] = "seek"
    index: Annotated[int, Field(ge=0)]


class PlayAction(_Action):
    """Play or pause a recording."""

    type: Literal["play"] = "play"
    playing: bool
    speed: Annotated[float, Field(gt=0, le=1_000)] = 1.0


Action: TypeAlias = Annotated[
    ReadyAction
    | ResyncAction
    | AssetAction
    | SendAction
    | DecideAction
    | StopAction
    | RetryAction
    | EditAction
    | SeekAction
    | PlayAction,
    Field(discriminator="type"),
]

ACTIONS: Final[TypeAdapter[Action]] = TypeAdapter(Action)
"""The one door for what a browser says."""

DOWN: Final[TypeAdapter[Down]] = TypeAdapter(Down)
"""Everything that a browser may be told."""


class _Both(BaseModel):
    down: Down
    up: Action


def schema() -> dict[str, Any]:
    """The JSON Schema of both directions, from which the TypeScript is made."""
    return _Both.model_json_schema(mode="serialization")
