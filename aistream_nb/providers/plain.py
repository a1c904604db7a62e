"""Rounds without client tools: straight from a provider, or through a relay.

Here what a turn with tools forgives is refused: a temperature together with
thinking. A failure to connect is raised to the caller, and is no event (provider
turns, section 10.1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Unpack

from aistream_nb.errors import TurnError
from aistream_nb.providers.base import TurnRequest
from aistream_nb.providers.endpoint import resolve_endpoint
from aistream_nb.providers.messages import MessageLike
from aistream_nb.providers.registry import (
    ProviderRecord,
    find_provider,
    uses_responses_only,
)
from aistream_nb.providers.turn import Turn, make_turn
from aistream_nb.providers.turn_prepare import (
    Prepared,
    TurnOptions,
    TurnSettings,
    prepare,
)

__all__ = ["call_provider_completion_stream", "call_proxied_completion_stream"]

_PROXY_PATH: Final = "/api/ai/completion-stream"


async def call_provider_completion_stream(
    *,
    provider: str | ProviderRecord,
    messages: Iterable[MessageLike],
    **options: Unpack[TurnOptions],
) -> Turn:
    """A round without client tools, already connected.

    Raises:
        TurnError: The turn cannot start.
        ProviderError: There is no answer, or none that is a success.
    """
    settings = TurnSettings(**options)
    prepared = prepare(provider, messages, tools=(), tail=(), settings=settings)
    _check_temperature(prepared.request)
    turn = make_turn(_on_plain_wire(prepared), settings)
    await turn.connect()
    return turn


async def call_proxied_completion_stream(
    *,
    proxy_url: str,
    provider: str | ProviderRecord,
    messages: Iterable[MessageLike],
    **options: Unpack[TurnOptions],
) -> Turn:
    """A round through a relay that speaks turn events itself, already connected.

    The relay gets the key in the body and resolves model and endpoint on its side.

    Raises:
        TurnError: The turn cannot start.
        ProviderError: There is no answer, or none that is a success.
    """
    settings = TurnSettings(**options)
    record = find_provider(provider)
    base = resolve_endpoint(record, proxy_url)
    relayed = replace(record, default_model="(the relay's)", accepts_images=True)
    prepared = prepare(
        relayed, messages, tools=(), tail=(), settings=replace(settings, model=None)
    )
    request = replace(
        prepared.request,
        record=replace(record, wire="proxy"),
        base_url=f"{base}{_PROXY_PATH}",
        model=settings.model if isinstance(settings.model, str) else "",
        wishes=settings.thinking,
    )
    turn = make_turn(replace(prepared, request=request), settings)
    await turn.connect()
    return turn


def _check_temperature(request: TurnRequest) -> None:
    family = request.record.thinking_family
    clashes = family in {"anthropic", "openai", "xai"}
    if clashes and request.thinking.is_on and request.temperature is not None:
        raise TurnError(
            f"thinking mode is not compatible with temperature on provider {family}: "
            "remove temperature or disable thinking"
        )


def _on_plain_wire(prepared: Prepared) -> Prepared:
    """OpenAI's plain wire is Chat Completions, where the model and tools allow it."""
    request = prepared.request
    record = request.record
    needs_responses = request.server_tools or uses_responses_only(record, request.model)
    if record.api_format != "openai" or needs_responses:
        return prepared
    plain = replace(record, wire="chat")
    return replace(prepared, request=replace(request, record=plain))
