"""Messages as a person reads them: frozen values, with their parts in stream order.

Rules that a change must keep. A value never changes after it was handed out.
``to_wire`` gives exactly the JSON of the reference (stream processor, section 1).
``from_wire`` is total: whatever comes, a message comes out. The parts are told in
:mod:`aistream_nb.core.parts`, and how messages grow in
:mod:`aistream_nb.core.processor`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from aistream_nb.core.json_text import join_texts
from aistream_nb.core.parts import (
    Approval,
    CallState,
    MediaPart,
    Metadata,
    OtherPart,
    Part,
    StructuredOutputPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    part_from_wire,
    parts_from_wire,
    without_none,
)
from aistream_nb.core.values import is_mapping

__all__ = [
    "Approval",
    "CallState",
    "MediaPart",
    "OtherPart",
    "Part",
    "Role",
    "StructuredOutputPart",
    "TextPart",
    "ThinkingPart",
    "ToolCallPart",
    "ToolResultPart",
    "UIMessage",
    "part_from_wire",
    "parts_from_wire",
    "role_of",
]

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UIMessage:
    """One message: who speaks, and the parts in the order in which they began."""

    id: str
    role: Role
    parts: tuple[Part, ...] = ()
    created_at: object = None
    metadata: Metadata | None = None

    @property
    def text(self) -> str:
        """All text of the message, joined.

        >>> UIMessage(id="m", role="user", parts=(TextPart("Ahoy"),)).text
        'Ahoy'
        """
        return join_texts([p.content for p in self.parts if isinstance(p, TextPart)])

    @property
    def thinking(self) -> str:
        """All thinking of the message, joined."""
        parts = self.parts
        return join_texts([p.content for p in parts if isinstance(p, ThinkingPart)])

    @property
    def tool_calls(self) -> tuple[ToolCallPart, ...]:
        """The calls of the message, in the order in which they began."""
        return tuple(p for p in self.parts if isinstance(p, ToolCallPart))

    def to_wire(self, *, with_input: bool = False) -> dict[str, Any]:
        """The message as JSON; ``with_input`` adds the finished input of calls."""
        return {
            "id": self.id,
            "role": self.role,
            "parts": [
                part.to_wire(with_input=with_input)
                if isinstance(part, ToolCallPart)
                else part.to_wire()
                for part in self.parts
            ],
            **without_none(createdAt=self.created_at, metadata=self.metadata),
        }

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> UIMessage:
        """Read a message; members that are missing or of a wrong type are left out.

        >>> UIMessage.from_wire({"id": "m", "role": "user", "parts": []}).role
        'user'
        """
        name, metadata = wire.get("id"), wire.get("metadata")
        return cls(
            id=name if isinstance(name, str) else "",
            role=role_of(wire.get("role")),
            parts=parts_from_wire(wire.get("parts")),
            created_at=wire.get("createdAt"),
            metadata=metadata if is_mapping(metadata) else None,
        )


def role_of(word: object) -> Role:
    """The role that ``word`` names; an unknown one is an assistant's."""
    if word == "user":
        return "user"
    return "system" if word == "system" else "assistant"
