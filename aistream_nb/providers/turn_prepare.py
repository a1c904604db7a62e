"""A turn's wishes, checked and resolved before anything is sent.

The checks and their order are those of the turn's specification, section 2.1; the
first that fails is raised at once, in the caller's face.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from aistream_nb.core.long_results import RESULT_LIMIT
from aistream_nb.core.tool_spec import ClientTool, refuse_repeated_names
from aistream_nb.errors import ProviderError, TurnError
from aistream_nb.http import ANSWER_LIMIT, HttpClient
from aistream_nb.providers.base import OutputSchema, TurnRequest
from aistream_nb.providers.endpoint import resolve_endpoint
from aistream_nb.providers.messages import (
    MessageLike,
    WebSearch,
    WebSearchLike,
    read_messages,
    read_server_tools,
)
from aistream_nb.providers.options_check import refuse_wrong_kinds
from aistream_nb.providers.registry import (
    ModelChoice,
    ProviderRecord,
    find_provider,
    resolve_key,
    resolve_model,
)
from aistream_nb.providers.retry import RetryPolicy
from aistream_nb.providers.thinking import ThinkingLike, resolve_thinking
from aistream_nb.providers.turn_abort import AbortSignal
from aistream_nb.providers.turn_outcome import ToolConflicts
from aistream_nb.providers.turn_source import TurnHooks

if TYPE_CHECKING:
    import httpx

__all__ = [
    "ConflictPolicy",
    "Prepared",
    "TurnOptions",
    "TurnSettings",
    "check_options",
    "prepare",
]

ConflictPolicy: TypeAlias = Literal[
    "drop-server-tools", "prefer-server-tools", "fail", "combine"
]
"""What to do where a provider refuses server and client tools together."""


class TurnOptions(TypedDict, total=False):
    """What can be asked of a turn besides its messages and tools."""

    system: str
    model: ModelChoice | None
    tier: str
    server_tools: Iterable[WebSearchLike]
    tool_conflict_policy: ConflictPolicy
    temperature: float | None
    thinking: ThinkingLike | None
    max_tokens: int | None
    output_schema: OutputSchema | Mapping[str, Any] | None
    api_key: str | None
    endpoint: str | None
    headers: Mapping[str, str]
    extra_body: Mapping[str, Any]
    client: HttpClient | httpx.AsyncClient | None
    retry: RetryPolicy
    abort: AbortSignal | None
    concurrent: bool
    tool_timeout: float | None
    interrupt_tools: bool
    max_answer_bytes: int | None
    max_result_chars: int | None
    on_request: Callable[[Mapping[str, Any], str], None] | None
    on_bytes: Callable[[bytes], None] | None
    on_retry: Callable[[ProviderError, int, float], None] | None


@dataclass(frozen=True, kw_only=True)
class TurnSettings:
    """The options of a turn, with a default for each."""

    system: str = ""
    model: ModelChoice | None = None
    tier: str = "base"
    server_tools: Iterable[WebSearchLike] = ()
    tool_conflict_policy: ConflictPolicy = "drop-server-tools"
    temperature: float | None = None
    thinking: ThinkingLike | None = None
    max_tokens: int | None = None
    output_schema: OutputSchema | Mapping[str, Any] | None = None
    api_key: str | None = field(default=None, repr=False)
    endpoint: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    extra_body: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    client: HttpClient | httpx.AsyncClient | None = None
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    abort: AbortSignal | None = None
    concurrent: bool = False
    tool_timeout: float | None = None
    interrupt_tools: bool = False
    max_answer_bytes: int | None = ANSWER_LIMIT
    """The longest answer to one request; ``None`` reads as long as bytes come."""
    max_result_chars: int | None = RESULT_LIMIT
    """The longest JSON text of one tool result; a longer one is cut, and says so.
    ``None`` sends and shows it all, however long that takes."""
    on_request: Callable[[Mapping[str, Any], str], None] | None = None
    on_bytes: Callable[[bytes], None] | None = None
    on_retry: Callable[[ProviderError, int, float], None] | None = None

    @property
    def hooks(self) -> TurnHooks:
        """Who watches the wire."""
        return TurnHooks(
            on_request=self.on_request,
            on_bytes=self.on_bytes,
            on_retry=self.on_retry,
        )


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A turn that may start."""

    request: TurnRequest
    tools: Mapping[str, ClientTool]
    conflicts: ToolConflicts | None


def prepare(
    provider: str | ProviderRecord,
    messages: Iterable[MessageLike],
    *,
    tools: Sequence[ClientTool],
    tail: Iterable[Any],
    settings: TurnSettings,
) -> Prepared:
    """The turn, resolved.

    Raises:
        TurnError: A check failed; nothing was sent.
    """
    refuse_wrong_kinds(vars(settings).items())
    record = find_provider(provider)
    said = read_messages(messages)
    _check_current_turn(record, said)
    refuse_repeated_names(tools)
    searches = read_server_tools(settings.server_tools)
    searches, kept, conflicts = _without_conflicts(
        record, searches, tools, settings.tool_conflict_policy
    )
    model = resolve_model(record, settings.model, tier=settings.tier)
    base_url = resolve_endpoint(record, settings.endpoint)
    request = TurnRequest(
        record=record,
        model=model,
        base_url=base_url,
        key=resolve_key(record, settings.api_key),
        system=settings.system,
        messages=said,
        tail=tuple(tail),
        tools=tuple(tool.spec for tool in kept),
        server_tools=searches,
        temperature=settings.temperature,
        thinking=resolve_thinking(record, model, settings.thinking),
        max_tokens=settings.max_tokens,
        output_schema=_output_schema(settings.output_schema),
        headers={**record.headers, **settings.headers},
        extra_body=settings.extra_body,
        conflict_policy=settings.tool_conflict_policy,
    )
    named = {tool.spec.name: tool for tool in kept}
    return Prepared(request=request, tools=named, conflicts=conflicts)


def check_options(record: ProviderRecord, options: TurnOptions) -> None:
    """Check what can be known of a turn's options long before the turn.

    The key is not asked for: it may be put into the environment later.

    Raises:
        TurnError: A turn with these options could not start.
    """
    refuse_wrong_kinds(options.items())
    settings = TurnSettings(**options)
    read_server_tools(settings.server_tools)
    model = resolve_model(record, settings.model, tier=settings.tier)
    resolve_endpoint(record, settings.endpoint)
    resolve_thinking(record, model, settings.thinking)


def _check_current_turn(record: ProviderRecord, messages: Sequence[Any]) -> None:
    if not messages:
        raise TurnError(
            "messages must contain at least one entry (the current user turn)"
        )
    current = messages[-1]
    if current.role != "user":
        raise TurnError(
            "the last message must be the current user turn (role 'user'); got "
            f"'{current.role}'"
        )
    if current.attachments and not record.accepts_images:
        raise TurnError(f'provider "{record.id}" does not accept image input')


def _without_conflicts(
    record: ProviderRecord,
    searches: tuple[WebSearch, ...],
    tools: Sequence[ClientTool],
    policy: ConflictPolicy,
) -> tuple[tuple[WebSearch, ...], Sequence[ClientTool], ToolConflicts | None]:
    names = tuple(
        search.name
        for search in searches
        if search.name in record.exclusive_server_tools
    )
    if not names or not tools:
        return searches, tools, None
    if policy == "fail":
        raise TurnError(
            f'provider "{record.id}" cannot combine server tool(s) '
            f"[{', '.join(names)}] with client (function) tools in the same request; "
            "send one or the other"
        )
    if policy == "combine":
        return searches, tools, ToolConflicts(policy=policy)
    if policy == "prefer-server-tools":
        dropped = tuple(tool.spec.name for tool in tools)
        return searches, (), ToolConflicts(policy=policy, dropped_client_tools=dropped)
    kept = tuple(search for search in searches if search.name not in names)
    return kept, tools, ToolConflicts(policy=policy, dropped_server_tools=names)


def _output_schema(
    schema: OutputSchema | Mapping[str, Any] | None,
) -> OutputSchema | None:
    if schema is None or isinstance(schema, OutputSchema):
        return schema
    return OutputSchema(schema=schema)
