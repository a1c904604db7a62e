"""How much a model should think, said once for all providers.

``{"effort": "low"}`` is understood everywhere. Blocks under ``providers`` override it
for one family or some models; a block for ``other`` is put on the wire as it is.
Later wins: the general effort, blocks of the family without ``models``, blocks with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.errors import TurnError
from aistream_nb.providers.registry import ProviderRecord

__all__ = ["ResolvedThinking", "ThinkingLike", "is_model_of", "resolve_thinking"]

ThinkingLike: TypeAlias = str | Mapping[str, Any]
"""An effort, or ``{"effort"?, "show"?, "providers"?: [block, …]}`` where a block is
``{"provider", "models"?, "config"}``.
"""

_EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

_GEMINI_BUDGETS: Final[Mapping[str, int]] = {
    "none": 0,
    "minimal": 512,
    "low": 1024,
    "medium": 4096,
    "high": 8192,
    "xhigh": 16384,
    "max": 24576,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedThinking:
    """What is left after merging, for one provider and one model."""

    effort: str | None = None
    budget: int | None = None
    """Tokens, for Gemini."""
    show: bool | None = None
    """Whether to ask for thinking that a person can read."""
    other: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Members for the body, word for word."""

    @property
    def is_on(self) -> bool:
        """Whether an effort was asked for (other than none at all)."""
        return self.effort not in {None, "none"}


def is_model_of(model: str, entries: object) -> bool:
    """Whether ``model`` is one of the entries, or a dated version of one.

    >>> (
    ...     is_model_of("gpt-5.5-2026-04-01", ["gpt-5.5"]),
    ...     is_model_of("gpt-5.5", ["gpt-5"]),
    ... )
    (True, False)
    """
    if not is_array(entries):
        return False
    return any(model == entry or model.startswith(f"{entry}-") for entry in entries)


def resolve_thinking(
    record: ProviderRecord, model: str, thinking: ThinkingLike | None
) -> ResolvedThinking:
    """The merged wishes; a provider without a thinking family ignores them all.

    Raises:
        TurnError: The effort is not a word that any provider knows.
    """
    wishes: Mapping[str, Any]
    wishes = {"effort": thinking} if isinstance(thinking, str) else thinking or {}
    family = record.thinking_family
    if family is None:
        return ResolvedThinking()
    merged = _general(family, wishes.get("effort"))
    other: dict[str, Any] = {}
    for block in _blocks(family, model, wishes.get("providers")):
        config = block.get("config")
        if is_mapping(config):
            (other if block["provider"] == "other" else merged).update(config)
    return ResolvedThinking(
        effort=_known_effort(merged.get("effort")),
        budget=merged.get("thinkingBudget"),
        show=wishes.get("show"),
        other=other,
    )


def _general(family: str, effort: str | None) -> dict[str, Any]:
    if _known_effort(effort) is None:
        return {}
    if family == "google":
        return {"thinkingBudget": _GEMINI_BUDGETS[str(effort)]}
    return {"effort": effort}


def _known_effort(effort: object) -> str | None:
    if effort is None or effort in _EFFORTS:
        return None if effort is None else str(effort)
    raise TurnError(
        f"unknown thinking effort {effort!r}; known are {', '.join(_EFFORTS)}"
    )


def _blocks(family: str, model: str, blocks: object) -> list[Mapping[str, Any]]:
    if not is_array(blocks):
        return []
    known = [block for block in blocks if is_mapping(block)]
    # No set: what a recording's header says in this place may be a list.
    ours = [block for block in known if block.get("provider") in (family, "other")]
    general = [
        block
        for block in ours
        if block["provider"] == family and not block.get("models")
    ]
    special = [block for block in ours if is_model_of(model, block.get("models"))]
    return general + special
