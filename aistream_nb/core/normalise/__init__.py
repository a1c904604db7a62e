"""Older dialects of AG-UI, turned into today's."""

from __future__ import annotations

from aistream_nb.core.normalise.normaliser import Normaliser, normalise

__all__ = [
    "Normaliser",
    "normalise",
]
