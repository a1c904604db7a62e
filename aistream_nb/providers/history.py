"""Entries of a conversation's history, in the words of each provider's wire.

Between two runs a chat keeps what was said as the provider's own entries, so that a
model sees its earlier calls exactly as it made them. The calls come from
continuations; here are the two entries around them: a person's message and a final
answer. Thinking is not repeated: a provider wants it back only inside a tool loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from aistream_nb.providers.registry import Wire

__all__ = ["assistant_entry", "user_entry"]


def _content(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def _parts(role: str, text: str) -> dict[str, Any]:
    named = "model" if role == "assistant" else role
    return {"role": named, "parts": [{"text": text}]}


_ENTRIES: Final[Mapping[Wire, Callable[[str, str], dict[str, Any]]]] = {
    "anthropic": _content,
    "responses": _content,
    "chat": _content,
    "gemini": _parts,
    "proxy": _content,
}


def user_entry(wire: Wire, text: str) -> dict[str, Any]:
    """A person's message.

    >>> user_entry("gemini", "Hi")
    {'role': 'user', 'parts': [{'text': 'Hi'}]}
    """
    return _ENTRIES[wire]("user", text)


def assistant_entry(wire: Wire, text: str) -> dict[str, Any]:
    """An answer of the model that called no tool.

    >>> assistant_entry("anthropic", "Hello")
    {'role': 'assistant', 'content': 'Hello'}
    """
    return _ENTRIES[wire]("assistant", text)
