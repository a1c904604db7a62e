"""The words that Python and the browser exchange: frames down, actions up.

Rule 1: this file and ``wire_views.py`` are all that the browser knows. They
hold no AG-UI and no tools.
Rule 2: names are the same on both sides; ``js/src/wire.gen.ts`` is generated from
here (``npm --prefix js run wire``), and a test fails when it is stale.
Rule 3: frames are linear in the text. What grows is appended, what is small is put
whole; only :class:`Snapshot` is as large as the conversation.
Rule 4: an action is untrusted input. It is parsed by :data:`ACTIONS`, carries an
id, may arrive twice, and is always answered.

Not here: what a person sees (``wire_views.py``), deciding which frames to send
(``frames.py``), and sending (``base.py``).
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, Field, TypeAdapter

from aistream_nb.widgets.wire_inspector import EventDetail, PutInspect, Rows, Story
from aistream_nb.widgets.wire_views import (
    CallView,
    ConversationView,
    PartView,
    Role,
    RunView,
    TurnView,
    Wire,
)

__all__ = [
    "ACTIONS",
    "DOWN",
    "Action",
    "Answer",
    "AppendArguments",
    "AppendText",
    "Asset",
    "AssetAction",
    "Batch",
    "ClosePart",
    "DecideAction",
    "Down",
    "Drop",
    "EditAction",
    "EventAction",
    "Frame",
    "OpenMessage",
    "OpenPart",
    "PlayAction",
    "PutCall",
    "PutPart",
    "PutRun",
    "PutTurn",
    "ReadyAction",
    "RenameMessage",
    "Reset",
    "ResyncAction",
    "RetryAction",
    "RowsAction",
    "SeekAction",
    "SendAction",
    "Snapshot",
    "StopAction",
    "StoryAction",
    "schema",
]


# ---------------------------------------------------------------- frames


class OpenMessage(Wire):
    """A new message at the end."""

    type: Literal["open-message"] = "open-message"
    message: str
    role: Role


class RenameMessage(Wire):
    """A message learned its own id; nothing else of it changed."""

    type: Literal["rename-message"] = "rename-message"
    message: str
    to: str


class OpenPart(Wire):
    """A new part at the end of a message."""

    type: Literal["open-part"] = "open-part"
    message: str
    part: PartView


class AppendText(Wire):
    """More text of a part."""

    type: Literal["append-text"] = "append-text"
    message: str
    part: int
    text: str


class AppendArguments(Wire):
    """More of a call's arguments."""

    type: Literal["append-arguments"] = "append-arguments"
    call: str
    text: str


class PutPart(Wire):
    """A part that changed otherwise than by growing."""

    type: Literal["put-part"] = "put-part"
    message: str
    part: int
    value: PartView


class ClosePart(Wire):
    """A part that will not grow any more, and for thinking how long it took."""

    type: Literal["close-part"] = "close-part"
    message: str
    part: int
    seconds: float | None = None


class PutCall(Wire):
    """The small facts of a call; ``arguments`` only if they did not just grow."""

    type: Literal["put-call"] = "put-call"
    call: CallView
    arguments: str | None = None


class PutTurn(Wire):
    """The footer of the turn that ends with this message."""

    type: Literal["put-turn"] = "put-turn"
    message: str
    turn: TurnView


class PutRun(Wire):
    """What the conversation is doing now."""

    type: Literal["put-run"] = "put-run"
    run: RunView


class Drop(Wire):
    """A message is gone, or its parts from ``part`` on."""

    type: Literal["drop"] = "drop"
    message: str
    part: int | None = None


class Reset(Wire):
    """Everything is different; start over from here."""

    type: Literal["reset"] = "reset"
    conversation: ConversationView


Frame: TypeAlias = Annotated[
    OpenMessage
    | RenameMessage
    | OpenPart
    | AppendText
    | AppendArguments
    | PutPart
    | ClosePart
    | PutCall
    | PutTurn
    | PutRun
    | PutInspect
    | Drop
    | Reset,
    Field(discriminator="type"),
]


class Batch(Wire):
    """One comm message: frames, in order. ``seq`` grows by one."""

    type: Literal["batch"] = "batch"
    seq: int
    frames: tuple[Frame, ...]


class Snapshot(Wire):
    """The whole conversation as it was after the batch numbered ``seq``."""

    type: Literal["snapshot"] = "snapshot"
    seq: int
    conversation: ConversationView


class Answer(Wire):
    """What became of an action."""

    type: Literal["answer"] = "answer"
    action: str
    """The id of the action that is answered."""
    accepted: bool
    why: str = ""
    seq: int = 0
    """The last batch that was sent, so that a page notices a lost one."""


class Asset(Wire):
    """A second bundle, asked for when it is first needed."""

    type: Literal["asset"] = "asset"
    name: Literal["math"]
    source: str


Down: TypeAlias = Annotated[
    Batch | Snapshot | Answer | Asset | Rows | Story | EventDetail,
    Field(discriminator="type"),
]

# ---------------------------------------------------------------- actions

ActionId: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]
ShortText: TypeAlias = Annotated[str, Field(max_length=2_000)]
LongText: TypeAlias = Annotated[str, Field(max_length=400_000)]


class _Action(Wire):
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


class RowsAction(_Action):
    """The page shows these rows of the list of events."""

    type: Literal["rows"] = "rows"
    filter: ShortText = ""
    start: Annotated[int, Field(ge=0)]
    count: Annotated[int, Field(ge=1, le=500)]


class StoryAction(_Action):
    """The page wants the spans and violations so far."""

    type: Literal["story"] = "story"


class EventAction(_Action):
    """A person looks at one event; -1 is the stream as a whole."""

    type: Literal["event"] = "event"
    index: Annotated[int, Field(ge=-1)]


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
    | RowsAction
    | StoryAction
    | EventAction
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
