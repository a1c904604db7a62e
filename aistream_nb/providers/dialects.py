"""Which adapter speaks which wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aistream_nb.providers.anthropic import AnthropicDialect
from aistream_nb.providers.base import Dialect
from aistream_nb.providers.registry import Wire

__all__ = ["DIALECTS"]

DIALECTS: Final[Mapping[Wire, Dialect]] = {
    "anthropic": AnthropicDialect(),
}
"""The adapter of each wire."""
