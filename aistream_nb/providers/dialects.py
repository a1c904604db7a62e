"""Which adapter speaks which wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aistream_nb.providers.anthropic import AnthropicDialect
from aistream_nb.providers.base import Dialect
from aistream_nb.providers.gemini import GeminiDialect
from aistream_nb.providers.openai import ResponsesDialect
from aistream_nb.providers.openai_chat import ChatDialect
from aistream_nb.providers.proxy import ProxyDialect
from aistream_nb.providers.registry import Wire

__all__ = ["DIALECTS"]

DIALECTS: Final[Mapping[Wire, Dialect]] = {
    "anthropic": AnthropicDialect(),
    "responses": ResponsesDialect(),
    "chat": ChatDialect(),
    "gemini": GeminiDialect(),
    "proxy": ProxyDialect(),
}
"""The adapter of each wire."""
