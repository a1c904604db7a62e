"""The AG-UI cases' door into the project."""

from __future__ import annotations

from typing import Any

from aistream_nb.core import json_patch

__all__ = ["apply_patch"]


def apply_patch(document: Any, patch: list[Any]) -> dict[str, Any]:
    """The document after the patch, and whether the patch failed."""
    try:
        return {"state": json_patch.apply_patch(document, patch), "failed": False}
    except json_patch.PatchError:
        return {"state": document, "failed": True}
