"""What a caller says to a model: messages, images, and tools that the provider runs.

Mappings with the wire names of the turn's specification are read as well, so that a
conversation can be kept as plain JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from aistream_nb.core.values import ABSENT, is_mapping, present
from aistream_nb.errors import TurnError

__all__ = [
    "Attachment",
    "Message",
    "MessageLike",
    "WebSearch",
    "WebSearchLike",
    "read_messages",
    "read_server_tools",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """An image of a user's message."""

    mime_type: str
    base64: str = field(repr=False)
    detail: str | None = None
    """``low``, ``high`` or ``auto``, where the provider knows that."""

    @property
    def url(self) -> str:
        """The image as a ``data:`` URL."""
        return f"data:{self.mime_type};base64,{self.base64}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the conversation before this turn, or the turn itself."""

    role: Literal["system", "user", "assistant"]
    content: str
    attachments: tuple[Attachment, ...] = ()


MessageLike: TypeAlias = Message | Mapping[str, Any]
"""A message, or a mapping ``{"role", "content", "attachments"?}``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearch:
    """The provider's own search of the web."""

    allowed_domains: tuple[str, ...] | None = None
    blocked_domains: tuple[str, ...] | None = None
    max_uses: int | None = None
    understand_images: bool = False

    @property
    def name(self) -> str:
        """What every provider calls it."""
        return "web_search"

    def to_wire(self) -> dict[str, Any]:
        """The tool in the turn's own spelling, as a relay reads it."""
        return present(
            type=self.name,
            allowedDomains=_list_or_absent(self.allowed_domains),
            blockedDomains=_list_or_absent(self.blocked_domains),
            maxUses=ABSENT if self.max_uses is None else self.max_uses,
            enableImageUnderstanding=self.understand_images or ABSENT,
        )


WebSearchLike: TypeAlias = WebSearch | Mapping[str, Any] | Literal["web_search"]
"""A search tool, its wire mapping, or just its name."""


def _list_or_absent(items: tuple[str, ...] | None) -> Any:
    return ABSENT if items is None else list(items)


def read_messages(messages: Iterable[MessageLike]) -> tuple[Message, ...]:
    """The messages as values.

    Raises:
        TurnError: A message has no role, or content that is not text.
    """
    return tuple(_read_message(message) for message in messages)


def _read_message(message: MessageLike) -> Message:
    if isinstance(message, Message):
        return message
    role, content = message.get("role"), message.get("content")
    if role not in {"system", "user", "assistant"} or not isinstance(content, str):
        raise TurnError(
            f"a message needs a role (system, user or assistant) and text; got role "
            f"{role!r} and content of type {type(content).__name__!r}"
        )
    attachments = tuple(map(_read_attachment, message.get("attachments") or ()))
    return Message(role=role, content=content, attachments=attachments)


def _read_attachment(attachment: Attachment | Mapping[str, Any]) -> Attachment:
    if isinstance(attachment, Attachment):
        return attachment
    return Attachment(
        mime_type=str(attachment["mimeType"]),
        base64=str(attachment["base64"]),
        detail=attachment.get("detail"),
    )


def read_server_tools(tools: Iterable[WebSearchLike]) -> tuple[WebSearch, ...]:
    """The tools that the provider runs, as values.

    Raises:
        TurnError: A tool is of a kind that is not known here.
    """
    return tuple(_read_server_tool(tool) for tool in tools)


def _read_server_tool(tool: WebSearchLike) -> WebSearch:
    if isinstance(tool, WebSearch):
        return tool
    wire: Mapping[str, Any] = {"type": tool} if isinstance(tool, str) else tool
    if not is_mapping(wire) or wire.get("type") != "web_search":
        kind = wire.get("type") if is_mapping(wire) else type(tool).__name__
        raise TurnError(f"unknown server tool {kind!r}; only 'web_search' is known")
    return WebSearch(
        allowed_domains=_tuple_or_none(wire.get("allowedDomains")),
        blocked_domains=_tuple_or_none(wire.get("blockedDomains")),
        max_uses=wire.get("maxUses"),
        understand_images=wire.get("enableImageUnderstanding") is True,
    )


def _tuple_or_none(items: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if items is None else tuple(items)
