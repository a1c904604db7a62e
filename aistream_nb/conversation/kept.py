"""A conversation as it was at one moment: a value that nothing changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from aistream_nb.conversation.calls import KeptCalls
from aistream_nb.core.processor import keeping

__all__ = ["Kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a conversation has to know to be again what it was."""

    TRAITS: ClassVar[tuple[str, ...]] = (
        "status",
        "error",
        "model",
        "state",
        "usage",
        "timing",
    )
    """Traits whose values are replaced and never modified."""

    processor: keeping.Kept
    messages: tuple[str, ...]
    """The ids of the messages, in order."""
    calls: KeptCalls
    tools: Mapping[str, Mapping[str, Any]]
    round_usage_seen: bool
    in_run: bool
    traits: Mapping[str, Any]
