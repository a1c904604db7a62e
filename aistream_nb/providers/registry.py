"""Who can be asked, where, and under which names: data, all of it replaceable.

Registries age. ``dataclasses.replace(record, …)`` makes your own record of one that
is here, and everything that takes a provider's id takes a record as well.
Checks of models, endpoints and keys happen here, before anything is sent; each says
which provider it is about.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from aistream_nb.errors import TurnError

__all__ = [
    "PROVIDERS",
    "ModelChoice",
    "ProviderRecord",
    "Wire",
    "find_provider",
    "resolve_key",
    "resolve_model",
    "split_target",
    "uses_responses_only",
]

Wire: TypeAlias = Literal["anthropic", "responses", "chat", "gemini", "proxy"]
"""The languages that servers speak; a proxy speaks in turn events itself."""

ModelChoice: TypeAlias = str | Mapping[str, str]
"""A model, or models by tier: ``base``, ``advanced``, ``frontier``."""

_FALLBACK_TIERS: Final = ("frontier", "advanced", "base")


def _frozen(**entries: str) -> Mapping[str, str]:
    return MappingProxyType(entries)


@dataclass(frozen=True, kw_only=True)
class ProviderRecord:
    """One provider, as far as a turn needs to know it."""

    id: str
    api_format: Literal["anthropic", "openai", "gemini"]
    wire: Wire
    """What is spoken in a turn with tools."""
    base_url: str = ""
    default_model: ModelChoice = ""
    aliases: Mapping[str, str] = field(default_factory=_frozen)
    key_variables: tuple[str, ...] = ()
    """Environment variables that may hold the key; none for local servers."""
    accepts_images: bool = False
    thinking_family: Literal["anthropic", "openai", "google", "xai"] | None = None
    adaptive_models: tuple[str, ...] = ()
    """Prefixes of models that think as much as they like, told an effort."""
    responses_only_models: tuple[str, ...] = ()
    """Prefixes of models that do not speak Chat Completions."""
    exclusive_server_tools: tuple[str, ...] = ()
    """Server tools that cannot stand beside client tools."""
    stream_usage: bool = True
    """Whether Chat Completions may be asked to count tokens in the stream."""
    headers: Mapping[str, str] = field(default_factory=_frozen, repr=False)
    """Sent with every request, besides the key."""


def _local(ident: str, base_url: str, *, images: bool = True) -> ProviderRecord:
    return ProviderRecord(
        id=ident,
        api_format="openai",
        wire="chat",
        base_url=base_url,
        accepts_images=images,
    )


_RECORDS: Final = (
    ProviderRecord(
        id="anthropic",
        api_format="anthropic",
        wire="anthropic",
        base_url="https://api.anthropic.com/v1",
        default_model=_frozen(base="@anthropic:sonnet", advanced="@anthropic:opus"),
        aliases=MappingProxyType(
            {
                "@anthropic:sonnet": "claude-sonnet-5",
                "@anthropic:opus": "claude-opus-5",
                "@anthropic:haiku": "claude-haiku-4-5-20251001",
                "@anthropic:fable": "claude-fable-5",
            }
        ),
        key_variables=("ANTHROPIC_API_KEY",),
        accepts_images=True,
        thinking_family="anthropic",
        adaptive_models=(
            "claude-opus-4-7",
            "claude-opus-4-8",
            "claude-sonnet-5",
            "claude-opus-5",
            "claude-fable-5",
        ),
    ),
    ProviderRecord(
        id="google-gemini",
        api_format="gemini",
        wire="gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta",
        default_model=_frozen(
            base="@google-gemini:flash", advanced="@google-gemini:pro"
        ),
        aliases=MappingProxyType(
            {
                "@google-gemini:flash": "gemini-3.5-flash",
                "@google-gemini:pro": "gemini-3.1-pro-preview",
                "@google-gemini:flash-lite": "gemini-3.1-flash-lite",
            }
        ),
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        accepts_images=True,
        thinking_family="google",
        exclusive_server_tools=("web_search",),
    ),
    ProviderRecord(
        id="openai",
        api_format="openai",
        wire="responses",
        base_url="https://api.openai.com/v1",
        default_model=_frozen(
            base="@openai:mini", advanced="@openai:flagship", frontier="@openai:pro"
        ),
        aliases=MappingProxyType(
            {
                "@openai:mini": "gpt-5.6-luna",
                "@openai:flagship": "gpt-5.6-terra",
                "@openai:pro": "gpt-5.6-sol",
                "@openai:nano": "gpt-5.4-nano",
            }
        ),
        key_variables=("OPENAI_API_KEY",),
        accepts_images=True,
        thinking_family="openai",
        responses_only_models=("gpt-5.5-pro",),
    ),
    ProviderRecord(
        id="xai-grok",
        api_format="openai",
        wire="responses",
        base_url="https://api.x.ai/v1",
        default_model=_frozen(base="@xai-grok:standard", advanced="@xai-grok:flagship"),
        aliases=MappingProxyType(
            {"@xai-grok:standard": "grok-4.3", "@xai-grok:flagship": "grok-4.5"}
        ),
        key_variables=("XAI_API_KEY",),
        accepts_images=True,
        thinking_family="xai",
    ),
    ProviderRecord(
        id="groq",
        api_format="openai",
        wire="chat",
        base_url="https://api.groq.com/openai/v1",
        default_model="llama-3.3-70b-versatile",
        key_variables=("GROQ_API_KEY",),
    ),
    ProviderRecord(
        id="mistral",
        api_format="openai",
        wire="chat",
        base_url="https://api.mistral.ai/v1",
        default_model="mistral-large-latest",
        key_variables=("MISTRAL_API_KEY",),
        stream_usage=False,  # it counts unasked, and refuses keys that it does not know
    ),
    _local("ollama", "http://localhost:11434/v1", images=False),
    _local("lm-studio", "http://localhost:1234/v1"),
    _local("vllm", "http://localhost:8000/v1"),
    _local("llama-cpp", "http://localhost:8080/v1"),
    _local("openai-compat", "", images=False),
)

PROVIDERS: Final[Mapping[str, ProviderRecord]] = MappingProxyType(
    {record.id: record for record in _RECORDS}
)
"""The providers that are known, by id."""

_ALIASES: Final = _frozen(
    claude="anthropic",
    gemini="google-gemini",
    google="google-gemini",
    grok="xai-grok",
    xai="xai-grok",
    lmstudio="lm-studio",
    llamacpp="llama-cpp",
)


def find_provider(provider: str | ProviderRecord) -> ProviderRecord:
    """The record of a provider's id or short name; a record is given back as it is.

    Raises:
        TurnError: Nobody is known under that name.

    >>> find_provider("xai").id
    'xai-grok'
    """
    if isinstance(provider, ProviderRecord):
        return provider
    record = PROVIDERS.get(_ALIASES.get(provider, provider))
    if record is None:
        known = ", ".join(sorted({*PROVIDERS, *_ALIASES}))
        raise TurnError(f"unknown provider {provider!r}; known are {known}")
    return record


def split_target(target: str) -> tuple[ProviderRecord, str | None]:
    """The provider and the model of ``"provider:model"`` or ``"provider"``.

    Raises:
        TurnError: Nobody is known under that name.

    >>> record, model = split_target("ollama:qwen3:8b")
    >>> record.id, model
    ('ollama', 'qwen3:8b')
    """
    provider, _, model = target.partition(":")
    return find_provider(provider), model or None


def resolve_model(
    record: ProviderRecord, choice: ModelChoice | None = None, *, tier: str = "base"
) -> str:
    """The model's own name: a tier is chosen, and aliases are followed.

    Raises:
        TurnError: There is no model, or an alias that leads nowhere or in a circle.
    """
    model = _of_tier(choice or record.default_model, tier)
    if not model:
        raise TurnError(
            f'provider "{record.id}": no model resolved; name one after the provider '
            f'("{record.id}:MODEL"), or pass model'
        )
    seen: set[str] = set()
    while model.startswith("@"):
        if model in seen:
            raise TurnError(f'provider "{record.id}": cyclic model alias "{model}"')
        seen.add(model)
        if model not in record.aliases:
            raise TurnError(f'provider "{record.id}": unknown model alias "{model}"')
        model = record.aliases[model]
    return model


def _of_tier(choice: ModelChoice, tier: str) -> str:
    if isinstance(choice, str):
        return choice
    if tier in _FALLBACK_TIERS:
        tiers = _FALLBACK_TIERS[_FALLBACK_TIERS.index(tier) :]
    else:
        tiers = (tier, "base")
    found = next((choice[name] for name in tiers if name in choice), "")
    return found or next(iter(choice.values()), "")


def uses_responses_only(record: ProviderRecord, model: str) -> bool:
    """Whether ``model`` does not speak Chat Completions.

    >>> uses_responses_only(find_provider("openai"), "gpt-5.5-pro-2026-04-23")
    True
    """
    return model.startswith(record.responses_only_models or ("\0",))


def resolve_key(record: ProviderRecord, key: str | None) -> str:
    """The key to send: the given one, or the one in the provider's usual variable.

    An empty key is sent to nobody, which is what servers of your own want.

    Raises:
        TurnError: The provider needs a key and there is none, or it cannot be sent.
    """
    if key is None:
        key = next(filter(None, map(os.environ.get, record.key_variables)), None)
    if key is None and record.key_variables:
        names = " or ".join(record.key_variables)
        raise TurnError(
            f'provider "{record.id}" needs a key: pass api_key or set {names}'
        )
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise TurnError(
            f'provider "{record.id}": the key holds characters that no header can carry'
        )
    return key
