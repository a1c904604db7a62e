"""What a view reads of a conversation, and how each piece looks on the wire.

The protocols below name the few members that widgets use, so that a test can hand
in a small fake and a driver can show something that is not a chat. Every function
here is a pure mapping from one value to one value of :mod:`aistream_nb.widgets.wire`.

Text from a model is data. The only thing done to it is that halves of surrogate
pairs are replaced: JSON text cannot carry them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Protocol, cast

from aistream_nb.core.tool_spec import ToolAnnotations
from aistream_nb.widgets.wire_views import (
    CallPart,
    CallView,
    MediaPart,
    PartView,
    Role,
    TextPartView,
    ThinkingPartView,
)

__all__ = [
    "RESULT_LIMIT",
    "CallLike",
    "ChangeLike",
    "ConversationLike",
    "MessageLike",
    "TranscriptLike",
    "approval_words",
    "clean",
    "is_shown",
    "raw_text",
    "view_call",
    "view_part",
    "view_role",
]

RESULT_LIMIT: Final = 200_000
"""Characters of a result that go to the browser; Python keeps the whole."""

_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
_MEDIA: Final = frozenset({"image", "audio", "video", "document", "file", "binary"})


class ChangeLike(Protocol):
    """What one event changed."""

    @property
    def messages(self) -> Collection[str]:
        """Ids of the messages that changed, appeared or went."""
        ...

    @property
    def tool_calls(self) -> Collection[str]:
        """Ids of the calls that changed or appeared."""
        ...

    @property
    def structure(self) -> bool:
        """Whether messages appeared, went or changed their order."""
        ...

    @property
    def run(self) -> bool:
        """Whether the state of the run changed."""
        ...

    @property
    def growth(self) -> bool:
        """Whether text only grew, so that telling of it can wait."""
        ...


class MessageLike(Protocol):
    """One message."""

    @property
    def id(self) -> Any:
        """Its id."""
        ...

    @property
    def role(self) -> Any:
        """``user``, ``assistant``, ``system`` or ``tool``."""
        ...

    @property
    def parts(self) -> Any:
        """Its parts, as frozen values with a ``type``."""
        ...


class CallLike(Protocol):
    """One tool call; more members are read where they are there."""

    @property
    def id(self) -> Any:
        """Its id."""
        ...

    @property
    def name(self) -> Any:
        """The tool's name."""
        ...

    @property
    def arguments(self) -> Any:
        """The arguments so far, as JSON text."""
        ...

    @property
    def status(self) -> Any:
        """One of :data:`aistream_nb.widgets.wire.CallStatus`."""
        ...


class TranscriptLike(Protocol):
    """What the static forms show: a conversation, or a part of one."""

    @property
    def messages(self) -> Any:
        """All messages, in order."""
        ...

    @property
    def tool_calls(self) -> Any:
        """All calls by id."""
        ...

    @property
    def status(self) -> Any:
        """One of :data:`aistream_nb.widgets.wire.RunStatus`."""
        ...

    @property
    def error(self) -> Any:
        """Why the run failed, or ``None``."""
        ...


class ConversationLike(TranscriptLike, Protocol):
    """A conversation as a live view sees it."""

    @property
    def usage(self) -> Any:
        """Tokens of the last run, by name."""
        ...

    def subscribe(self, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Have ``callback`` called after each event; call the answer to stop."""
        ...


def clean(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON text cannot carry.

    >>> clean("a" + chr(0xD800) + "b")
    'a�b'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def view_role(role: object) -> Role:
    """The role to show; a role that nobody knows is shown as the assistant's."""
    return _ROLES.get(str(role), "assistant")


def is_shown(part: Any) -> bool:
    """Whether a part has a place of its own; results are shown in their call."""
    return getattr(part, "type", "") in {"text", "thinking", "tool-call"} | _MEDIA


def raw_text(part: Any) -> str | None:
    """The growing text of a part, or ``None`` for a part that does not grow."""
    if getattr(part, "type", "") in {"text", "thinking"}:
        return str(part.content)
    return None


def view_part(part: Any, *, text: str | None = None) -> PartView:
    """A part as the browser gets it when it is opened; ``text`` is what it says."""
    words = clean((raw_text(part) or "") if text is None else text)
    match part.type:
        case "text":
            return TextPartView(text=words)
        case "thinking":
            return ThinkingPartView(text=words)
        case "tool-call":
            return CallPart(call=clean(str(part.id)))
        case _:
            return _view_media(part)


def _view_media(part: Any) -> MediaPart:
    source = getattr(part, "source", None)
    fields: Mapping[str, Any] = (
        cast("Mapping[str, Any]", source) if isinstance(source, Mapping) else {}
    )
    mime = str(fields.get("mimeType") or fields.get("mime_type") or "")
    value = str(fields.get("value") or fields.get("url") or fields.get("data") or "")
    # No set: what stands in a stranger's message may be a list.
    if fields.get("type") in ("data", "base64") and not value.startswith("data:"):
        value = f"data:{mime or 'application/octet-stream'};base64,{value}"
    name = getattr(part, "name", None) or fields.get("filename") or ""
    return MediaPart(
        media_type=str(part.type), mime=clean(mime), source=value, name=clean(str(name))
    )


def view_call(
    call: CallLike, *, title: str = "", limit: int = RESULT_LIMIT
) -> CallView:
    """The small facts of a call; its approval is added by who may ask for one."""
    result = _result_text(getattr(call, "result", None))
    return CallView(
        id=clean(str(call.id)),
        name=clean(str(call.name)),
        title=clean(title),
        status=call.status,
        result=None if result is None else clean(result[:limit]),
        result_cut=0 if result is None else max(0, len(result) - limit),
        error=_optional(call, "error"),
        reason=_optional(call, "reason"),
        decided_by=_optional(call, "decided_by"),
        decided_at=getattr(call, "decided_at", None),
        by_server=bool(getattr(call, "by_server", False)),
        edited=_edited_text(call),
        started_at=getattr(call, "executed_at", None)
        or getattr(call, "started_at", None),
        waited=_waited(call),
        ended_at=getattr(call, "ended_at", None),
    )


def _waited(call: object) -> float | None:
    asked, decided = getattr(call, "asked_at", None), getattr(call, "decided_at", None)
    if not isinstance(asked, (int, float)) or not isinstance(decided, (int, float)):
        return None
    return round(max(0.0, decided - asked), 3)


def _optional(call: object, name: str) -> str | None:
    value = getattr(call, name, None)
    return None if value in (None, "") else clean(str(value))


def _edited_text(call: object) -> str | None:
    edited = getattr(call, "edited_arguments", None)
    if edited is None:
        return None
    return clean(json.dumps(edited, ensure_ascii=False, default=str))


def _result_text(result: object) -> str | None:
    if result is None or isinstance(result, str):
        return result
    return json.dumps(result, ensure_ascii=False, default=str)


_UNKNOWN: Final = "may change things: its author did not say"


def approval_words(annotations: object) -> tuple[tuple[str, ...], bool]:
    """What a tool's hints say to a person, and whether to show it as dangerous.

    Silence is shown as such: MCP's default for a tool that says nothing is that it
    may destroy.

    >>> approval_words({"readOnlyHint": True, "openWorldHint": True})
    (('reads only', 'reaches the network'), False)
    >>> approval_words({})
    (('may change things: its author did not say',), False)
    """
    hints = _annotations(annotations)
    words: list[str] = []
    if hints.read_only:
        words.append("reads only")
    elif hints.destructive:
        words.append("may be impossible to undo")
    elif hints.destructive is False:
        words.append("changes things, destroys nothing")
    else:
        words.append(_UNKNOWN)
    if hints.idempotent and not hints.read_only:
        words.append("safe to repeat")
    if hints.open_world:
        words.append("reaches the network")
    return tuple(words), bool(hints.destructive and not hints.read_only)


def _annotations(value: object) -> ToolAnnotations:
    if isinstance(value, ToolAnnotations):
        return value
    if isinstance(value, Mapping):
        return ToolAnnotations.from_wire(cast("Mapping[str, Any]", value))
    return ToolAnnotations()
