"""What a browser was told: the mirror that frames are compared with, and its limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aistream_nb.widgets.view_model import MessageLike, is_shown, raw_text, view_role
from aistream_nb.widgets.wire_views import (
    CallView,
    ConversationView,
    PartView,
    Role,
    TurnView,
)

__all__ = [
    "SentCall",
    "SentMessage",
    "SentPart",
    "continues",
    "fitting",
    "whole_text",
]


@dataclass(slots=True)
class SentPart:
    """A part, its text as far as it was sent, and its view."""

    part: Any
    raw: str | None
    view: PartView


@dataclass(slots=True)
class SentMessage:
    """A message with its parts."""

    role: Role
    parts: list[SentPart] = field(default_factory=list[SentPart])
    turn: TurnView | None = None


@dataclass(slots=True)
class SentCall:
    """A call, and its arguments as far as they were sent."""

    view: CallView
    raw: str


def continues(sent: SentMessage, message: MessageLike) -> bool:
    """Whether a message is one that was sent, with more at its end."""
    parts = [part for part in message.parts if is_shown(part)]
    if view_role(message.role) != sent.role or len(parts) < len(sent.parts):
        return False
    return all(
        before.part.type == part.type
        and (before.raw is None or (whole_text(part) or "").startswith(before.raw))
        for before, part in zip(sent.parts, parts, strict=False)
    )


def whole_text(part: Any) -> str | None:
    """The text of a part up to its last whole character.

    A delta may end between the halves of a surrogate pair; the first half waits.
    """
    text = raw_text(part)
    if text and "\ud800" <= text[-1] <= "\udbff":
        return text[:-1]
    return text


def fitting(view: ConversationView, *, limit: int) -> ConversationView:
    """The last messages of a view whose JSON text is at most ``limit`` long."""
    size, kept = 0, 0
    for message in reversed(view.messages):
        size += len(message.model_dump_json())
        if size > limit and kept:
            break
        kept += 1
    if kept == len(view.messages):
        return view
    messages = view.messages[-kept:]
    named = {
        part.call
        for message in messages
        for part in message.parts
        if part.kind == "call"
    }
    return view.model_copy(
        update={
            "messages": messages,
            "calls": {key: view.calls[key] for key in view.calls.keys() & named},
            "arguments": {
                key: view.arguments[key] for key in view.arguments.keys() & named
            },
            "cut": view.cut + len(view.messages) - kept,
        }
    )
