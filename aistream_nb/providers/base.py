"""What the adapters share: a request to translate, and what a translator gives back.

An adapter is two pure things: a *dialect* that writes a request, and a *translator*
that reads the answer's frames. Neither knows HTTP, gates or tools; the turn does.
Adapters do not know each other.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from json import decoder
from typing import Any, Final, Protocol, TypeAlias, cast

from pydantic_core import from_json

from aistream_nb.core.json_text import is_blank, join_surrogates, parse_json
from aistream_nb.core.tool_spec import ToolSpec
from aistream_nb.core.turn_events import (
    ServerToolEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallArgsDelta,
    ToolCallResult,
    ToolCallStart,
    Usage,
)
from aistream_nb.core.values import ABSENT, is_array, is_mapping
from aistream_nb.core.wire.sse import ServerSentEvent
from aistream_nb.providers.messages import Message, WebSearch
from aistream_nb.providers.registry import ProviderRecord
from aistream_nb.providers.thinking import ResolvedThinking, ThinkingLike

__all__ = [
    "Dialect",
    "Ending",
    "FrameLog",
    "OutputSchema",
    "ReadyCall",
    "StreamFailure",
    "StreamItem",
    "Translated",
    "Translator",
    "TurnRequest",
    "WireRequest",
    "dict_or_none",
    "object_in",
    "or_absent",
    "parse_arguments",
    "parse_object",
    "scan_string",
    "usage_from",
    "whole_text",
]

_logger: Final = logging.getLogger("aistream_nb.providers")
_FULL_PAYLOAD: Final = "AI_ASSIST_UNRECOGNIZED_EVENT_FULL_PAYLOAD"
_RAW_LIMIT: Final = 200

scan_string = cast("Callable[[str, int], tuple[str, int]]", vars(decoder)["scanstring"])
"""``(text, end)`` of the JSON string whose first character is at the given place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSchema:
    """The JSON Schema that the answer has to fit, where the provider can promise it."""

    schema: Mapping[str, Any]
    name: str = "answer"

    @property
    def strict(self) -> bool:
        """Whether the schema is closed enough for OpenAI's strict mode."""
        return _is_closed(self.schema)


def _is_closed(schema: object) -> bool:
    """Every object names all its properties as required, and allows no others."""
    if is_mapping(schema):
        properties = schema.get("properties")
        if schema.get("type") == "object" and (
            schema.get("additionalProperties") is not False
            or set(properties or ()) != set(schema.get("required") or ())
        ):
            return False
        return all(_is_closed(member) for member in schema.values())
    if is_array(schema):
        return all(_is_closed(member) for member in schema)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """One round, resolved: every default is filled in and every check was made."""

    record: ProviderRecord
    model: str
    base_url: str
    key: str = field(repr=False)
    system: str
    messages: tuple[Message, ...]
    """The last one is the current user turn."""
    tail: tuple[Any, ...] = field(default=(), repr=False)
    tools: tuple[ToolSpec, ...] = ()
    server_tools: tuple[WebSearch, ...] = ()
    temperature: float | None = None
    thinking: ResolvedThinking
    max_tokens: int | None = None
    output_schema: OutputSchema | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    extra_body: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    conflict_policy: str = "drop-server-tools"
    wishes: ThinkingLike | None = None
    """Thinking as the caller put it, for a relay that resolves it itself."""

    @property
    def head(self) -> tuple[Message, ...]:
        """Everything before the current user turn."""
        return self.messages[:-1]

    @property
    def current(self) -> Message:
        """The current user turn."""
        return self.messages[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRequest:
    """A request in a provider's own words."""

    url: str
    body: dict[str, Any] = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    private: tuple[str, ...] = ()
    """Members of the body that nobody who watches may see."""

    @property
    def shown_body(self) -> dict[str, Any]:
        """The body without its private members."""
        return {
            name: value for name, value in self.body.items() if name not in self.private
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyCall:
    """A call whose arguments are complete, or will never be."""

    name: str
    call_id: str | None
    arguments: dict[str, Any]
    problem: str | None = None
    """Why the call must not run: its arguments were not a JSON object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFailure:
    """The provider said, inside its stream, that it failed."""

    message: str
    retryable: bool = False
    """Whether the same request may work a little later."""


StreamItem: TypeAlias = (
    TextDelta
    | ThinkingDelta
    | ServerToolEvent
    | ToolCallStart
    | ToolCallArgsDelta
    | ReadyCall
)
"""What a stream that works gives to a turn."""

Translated: TypeAlias = StreamItem | StreamFailure
"""What a translator makes of frames."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a stream ended."""

    error: str | None = None
    """Why it counts as broken, if it does."""
    truncated: bool = False
    incomplete_reason: str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None
    paused: bool = False
    """The provider wants the same turn resent as it is, to go on."""


class Translator(Protocol):
    """Reads one stream. Make a new one for each stream."""

    def receive(self, frames: Sequence[str]) -> list[Translated]:
        """What the frames say; never raises."""
        ...

    def close(self) -> Ending:
        """How the stream ended, now that its bytes have."""
        ...

    def full_text(self) -> str:
        """All text of the answer so far."""
        ...

    def continuation(self, results: Sequence[ToolCallResult]) -> list[dict[str, Any]]:
        """The messages that continue after this stream, in the provider's words.

        Raises:
            TurnError: A result does not belong to a call of this stream.
        """
        ...


class Dialect(Protocol):
    """How one kind of server is spoken to."""

    def request(self, turn: TurnRequest) -> WireRequest:
        """The request for ``turn``.

        Raises:
            TurnError: The turn asks for something that this wire cannot say.
        """
        ...

    def translator(self, turn: TurnRequest) -> Translator:
        """A new translator for the answer."""
        ...


def parse_object(data: str) -> dict[str, Any] | None:
    """The JSON object in a frame's data; ``None`` for anything else."""
    try:
        value: Any = from_json(data, allow_inf_nan=False)
    except ValueError:
        # The fast parser refuses lone surrogates and deep nesting, which are legal.
        try:
            value = parse_json(data)
        except ValueError:
            return None
    return dict_or_none(value)


def dict_or_none(value: object) -> dict[str, Any] | None:
    """``value`` if it is a JSON object that was parsed here."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def object_in(payload: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The object that is a member of ``payload``; an empty one if there is none."""
    return dict_or_none(payload.get(name)) or {}


def parse_arguments(text: str) -> tuple[dict[str, Any], str | None]:
    """A call's arguments, and what is wrong with them if they are not an object.

    >>> parse_arguments(" ")
    ({}, None)
    >>> parse_arguments('{"city": ')
    ({}, 'its arguments are not valid JSON, so it was not run')
    """
    if is_blank(text):
        return {}, None
    try:
        value = parse_json(text)
    except ValueError:
        return {}, "its arguments are not valid JSON, so it was not run"
    if not isinstance(value, dict):
        return {}, "its arguments are not a JSON object, so it was not run"
    return value, None


def or_absent(value: object) -> Any:
    """``value``; for ``None`` the mark that ``present`` leaves out."""
    return ABSENT if value is None else value


def whole_text(pieces: Sequence[str]) -> str:
    """The pieces as one text; characters that were cut in two are whole again."""
    return join_surrogates("".join(pieces))


def usage_from(counts: object, names: Mapping[str, str]) -> Usage | None:
    """The usage in a provider's counts; ``names`` maps our fields to dotted paths."""
    if not is_mapping(counts):
        return None
    found = {field: _count(counts, path) for field, path in names.items()}
    return Usage(**found)


def _count(counts: Mapping[str, Any], path: str) -> int | None:
    value: Any = counts
    for name in path.split("."):
        value = value.get(name) if is_mapping(value) else None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if is_number else None


class FrameLog:
    """Warns of what a stream holds that its translator does not know, once a name."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def unknown_event(self, name: str, event: ServerSentEvent) -> None:
        """Tell of an unknown event: its keys and its length, never a value."""
        if name in self._seen:
            return
        self._seen.add(name)
        payload = parse_object(event.data) or {}
        shown = f"keys {sorted(payload)}, {len(event.data)} characters"
        if os.environ.get(_FULL_PAYLOAD, "0") not in {"", "0"}:
            shown = f"{shown}: {event.data[:_RAW_LIMIT]}"
        _logger.warning("ai-assist:unrecognized-event %r (%s)", name, shown)

    def malformed_call(self, what: str) -> None:
        """Tell of a call that has no usable name or id."""
        _logger.warning("ai-assist:malformed-tool-use %s; it is ignored", what)
