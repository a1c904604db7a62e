"""Values of the older dialects in the shapes of AG-UI 1.0 (AG-UI, section 14b)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aistream_nb.core.json_text import UnencodableError, encode_json
from aistream_nb.core.values import is_mapping

__all__ = ["id_text", "json_of", "usage_entry", "with_tanstack"]


def with_tanstack(metadata: object, moved: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata with ``moved`` among what is TanStack's own."""
    kept = dict(metadata) if is_mapping(metadata) else {}
    ours = kept.get("tanstack")
    kept["tanstack"] = {**(ours if is_mapping(ours) else {}), **moved}
    return kept


def usage_entry(usage: Mapping[str, Any]) -> dict[str, Any]:
    """One usage entry of AG-UI 1.0 out of the older object."""
    names = {
        "promptTokens": "inputTokens",
        "completionTokens": "outputTokens",
        "totalTokens": "totalTokens",
    }
    return {new: usage[old] for old, new in names.items() if old in usage}


def json_of(value: object) -> str:
    """The JSON text of a value; of one that has none, null."""
    try:
        return encode_json(value)
    except UnencodableError:
        return "null"


def id_text(value: object) -> str:
    """An id as text, also one that is no text: what has the same id stays together.

    >>> id_text("c1"), id_text(7)
    ('c1', '7')
    """
    return value if isinstance(value, str) else json_of(value)
