"""The parts of a message: frozen values, and their JSON.

Rules that a change must keep. A value never changes after it was handed out.
``to_wire`` gives exactly the JSON of the reference (stream processor, section 1) and
adds a member that the reference lacks only where a stream set it. Reading is total:
whatever comes, a part comes out, and one of an unknown kind survives as
:class:`OtherPart`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Literal, TypeAlias, cast

from aistream_nb.core.values import ABSENT, is_array, is_mapping, present

__all__ = [
    "Approval",
    "CallState",
    "MediaPart",
    "Metadata",
    "OtherPart",
    "Part",
    "StructuredOutputPart",
    "TextPart",
    "ThinkingPart",
    "ToolCallPart",
    "ToolResultPart",
    "part_from_wire",
    "parts_from_wire",
    "result_content",
    "without_none",
]

CallState: TypeAlias = Literal[
    "awaiting-input",
    "input-streaming",
    "input-complete",
    "approval-requested",
    "approval-responded",
    "complete",
    "error",
]
ResultState: TypeAlias = Literal["streaming", "complete", "error"]
MediaType: TypeAlias = Literal["image", "audio", "video", "document"]
StructuredStatus: TypeAlias = Literal["streaming", "complete", "error"]
Metadata: TypeAlias = Mapping[str, Any]

_CALL_STATES: Final = (
    "awaiting-input",
    "input-streaming",
    "input-complete",
    "approval-requested",
    "approval-responded",
    "complete",
    "error",
)
_MEDIA_TYPES: Final = ("image", "audio", "video", "document")


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text to read."""

    content: str
    _: KW_ONLY
    metadata: Metadata | None = None
    type: Literal["text"] = "text"

    def to_wire(self) -> dict[str, Any]:
        """The part as JSON.

        >>> TextPart("Ahoy").to_wire()
        {'type': 'text', 'content': 'Ahoy'}
        """
        return without_none(
            type=self.type, content=self.content, metadata=self.metadata
        )


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """What the model thought aloud; one part for each step that the stream names."""

    content: str
    _: KW_ONLY
    step_id: str | None = None
    signature: str | None = None
    """The provider's seal; thinking without it cannot be sent back."""
    type: Literal["thinking"] = "thinking"

    def to_wire(self) -> dict[str, Any]:
        """The part as JSON."""
        return without_none(
            type=self.type,
            content=self.content,
            stepId=self.step_id,
            signature=self.signature,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """The question whether a call may run, and its answer once there is one."""

    id: str
    approved: bool | None = None
    needs_approval: bool = True

    def to_wire(self) -> dict[str, Any]:
        """The approval as JSON."""
        return without_none(
            id=self.id, needsApproval=self.needs_approval, approved=self.approved
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallPart:
    """A call that the model asked for."""

    id: str
    name: str
    arguments: str = ""
    """Raw JSON text; not complete while ``state`` is ``input-streaming``."""
    state: CallState = "awaiting-input"
    approval: Approval | None = None
    output: object = ABSENT
    """The tool's value; :data:`ABSENT` until there is one, since null is a value."""
    input: object = ABSENT
    """The finished input: what the stream said, else the arguments read strictly."""
    metadata: Metadata | None = None
    type: Literal["tool-call"] = "tool-call"

    @property
    def has_output(self) -> bool:
        """Whether the tool gave a value; null counts."""
        return self.output is not ABSENT

    def to_wire(self, *, with_input: bool = False) -> dict[str, Any]:
        """The part as JSON; ``with_input`` adds the finished input.

        >>> ToolCallPart(id="c", name="f", output=None).to_wire()["output"] is None
        True
        """
        return {
            "type": self.type,
            "id": self.id,
            "name": self.name,
            "arguments": self.arguments,
            "state": self.state,
            **present(input=self.input if with_input else ABSENT, output=self.output),
            **without_none(
                approval=self.approval.to_wire() if self.approval else None,
                metadata=self.metadata,
            ),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultPart:
    """What a call gave, as the model is told."""

    tool_call_id: str
    content: str | Sequence[Mapping[str, Any]]
    """Text, or a list of content parts."""
    state: ResultState = "complete"
    error: str | None = None
    id: str | None = None
    """The id of the tool message that brought it, if one did."""
    type: Literal["tool-result"] = "tool-result"

    def to_wire(self) -> dict[str, Any]:
        """The part as JSON."""
        return without_none(
            type=self.type,
            toolCallId=self.tool_call_id,
            content=self.content,
            state=self.state,
            error=self.error,
            id=self.id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaPart:
    """A picture, a sound, a film or a document; only the host puts one in."""

    type: MediaType
    source: Mapping[str, Any]
    metadata: Metadata | None = None

    def to_wire(self) -> dict[str, Any]:
        """The part as JSON."""
        return without_none(type=self.type, source=self.source, metadata=self.metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredOutputPart:
    """An answer that is one JSON value, shown while it grows."""

    status: StructuredStatus = "streaming"
    raw: str = ""
    partial: object = ABSENT
    data: object = ABSENT
    reasoning: str | None = None
    error_message: str | None = None
    type: Literal["structured-output"] = "structured-output"

    def to_wire(self) -> dict[str, Any]:
        """The part as JSON."""
        return {
            **present(
                type=self.type,
                status=self.status,
                data=self.data,
                partial=self.partial,
                raw=self.raw,
            ),
            **without_none(reasoning=self.reasoning, errorMessage=self.error_message),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherPart:
    """A part of a kind that we do not know, kept as it came."""

    wire: Mapping[str, Any]

    @property
    def type(self) -> str:
        """The part's own word for its kind."""
        return str(self.wire.get("type", ""))

    def to_wire(self) -> dict[str, Any]:
        """The part as it came."""
        return dict(self.wire)


Part: TypeAlias = (
    TextPart
    | ThinkingPart
    | ToolCallPart
    | ToolResultPart
    | MediaPart
    | StructuredOutputPart
    | OtherPart
)


def parts_from_wire(parts: object) -> tuple[Part, ...]:
    """The parts of a list; anything else is no parts."""
    return tuple(map(part_from_wire, parts)) if is_array(parts) else ()


def part_from_wire(wire: object) -> Part:
    """The part that ``wire`` describes; what we do not know survives as it is.

    >>> part_from_wire({"type": "text", "content": "Ahoy"})
    TextPart(content='Ahoy', metadata=None, type='text')
    """
    if not is_mapping(wire):
        return wire if isinstance(wire, _PARTS) else OtherPart(wire={"content": wire})
    read = _READERS.get(str(wire.get("type")), _other)
    return read(wire)


def result_content(value: object) -> str | Sequence[Mapping[str, Any]] | None:
    """``value`` if it can be a result's content as it is: text, or content parts."""
    if isinstance(value, str):
        return value
    if is_array(value) and value and all(_is_content_part(item) for item in value):
        return cast("Sequence[Mapping[str, Any]]", value)
    return None


def _is_content_part(item: object) -> bool:
    if not is_mapping(item):
        return False
    if item.get("type") == "text":
        return isinstance(item.get("content"), str)
    return item.get("type") in _MEDIA_TYPES and is_mapping(item.get("source"))


def _read_text(wire: Mapping[str, Any]) -> Part:
    content = wire.get("content")
    if not isinstance(content, str):
        return _other(wire)
    return TextPart(content, metadata=_mapping(wire.get("metadata")))


def _read_thinking(wire: Mapping[str, Any]) -> Part:
    return ThinkingPart(
        _text(wire.get("content")),
        step_id=_optional(wire.get("stepId")),
        signature=_optional(wire.get("signature")),
    )


def _read_call(wire: Mapping[str, Any]) -> Part:
    state = wire.get("state")
    return ToolCallPart(
        id=_text(wire.get("id")),
        name=_text(wire.get("name")),
        arguments=_text(wire.get("arguments")),
        state=state if state in _CALL_STATES else "awaiting-input",
        approval=_read_approval(wire.get("approval")),
        output=wire.get("output", ABSENT),
        input=wire.get("input", ABSENT),
        metadata=_mapping(wire.get("metadata")),
    )


def _read_approval(wire: object) -> Approval | None:
    if not is_mapping(wire):
        return None
    approved = wire.get("approved")
    return Approval(
        id=_text(wire.get("id")),
        approved=approved if isinstance(approved, bool) else None,
        needs_approval=wire.get("needsApproval") is not False,
    )


def _read_result(wire: Mapping[str, Any]) -> Part:
    state = wire.get("state")
    content = result_content(wire.get("content"))
    return ToolResultPart(
        tool_call_id=_text(wire.get("toolCallId")),
        content="" if content is None else content,
        state=state if state in ("streaming", "error") else "complete",
        error=_optional(wire.get("error")),
        id=_optional(wire.get("id")),
    )


def _read_media(wire: Mapping[str, Any]) -> Part:
    source = wire.get("source")
    if not is_mapping(source):
        return _other(wire)
    return MediaPart(
        type=cast("MediaType", wire["type"]),
        source=source,
        metadata=_mapping(wire.get("metadata")),
    )


def _read_structured(wire: Mapping[str, Any]) -> Part:
    status = wire.get("status")
    return StructuredOutputPart(
        status=status if status in ("complete", "error") else "streaming",
        raw=_text(wire.get("raw")),
        partial=wire.get("partial", ABSENT),
        data=wire.get("data", ABSENT),
        reasoning=_optional(wire.get("reasoning")),
        error_message=_optional(wire.get("errorMessage")),
    )


def _other(wire: Mapping[str, Any]) -> Part:
    return OtherPart(wire=wire)


_READERS: Final = {
    "text": _read_text,
    "thinking": _read_thinking,
    "tool-call": _read_call,
    "tool-result": _read_result,
    "structured-output": _read_structured,
    **dict.fromkeys(_MEDIA_TYPES, _read_media),
}

_PARTS: Final = (
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    MediaPart,
    StructuredOutputPart,
    OtherPart,
)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _optional(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _mapping(value: object) -> Metadata | None:
    return value if is_mapping(value) else None


def without_none(**fields: object) -> dict[str, Any]:
    """The fields that are not ``None``."""
    return {name: value for name, value in fields.items() if value is not None}
