"""Entries of a conversation's history, in the words of each provider's wire.

Between two runs a chat keeps what was said as the provider's own entries, so that a
model sees its earlier calls exactly as it made them. The calls come from
continuations; here are the two entries around them: a person's message and a final
answer. Thinking is not repeated: a provider wants it back only inside a tool loop.

A conversation that was held with another provider has no such entries. Its calls are
told by :func:`call_entries`, from what every provider says of a call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from aistream_nb.core.turn_events import ToolCallResult
from aistream_nb.providers.base import parse_arguments
from aistream_nb.providers.continuation import (
    anthropic_continuation,
    chat_continuation,
    gemini_continuation,
    responses_continuation,
)
from aistream_nb.providers.registry import Wire

__all__ = [
    "ToldCall",
    "anthropic_id",
    "assistant_entry",
    "call_entries",
    "user_entry",
]

_NO_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldCall:
    """A call as any provider would tell it, with its answer."""

    id: str
    name: str
    arguments: str
    """As JSON text."""
    answer: str
    is_error: bool = False

    @property
    def input(self) -> dict[str, Any]:
        """The arguments as an object; empty where they are none."""
        return parse_arguments(self.arguments)[0]

    @property
    def result(self) -> ToolCallResult:
        """The answer as a turn has it."""
        return ToolCallResult(
            tool_name=self.name,
            call_id=self.id,
            result=self.answer,
            is_error=self.is_error,
        )


def call_entries(
    wire: Wire, text: str, calls: Sequence[ToldCall]
) -> list[dict[str, Any]]:
    """An answer that called tools, and what the calls came to.

    A relay runs no client tools, so to it only the text is told.

    >>> call = ToldCall(id="c", name="add", arguments="{}", answer="2")
    >>> [entry["role"] for entry in call_entries("chat", "", [call])]
    ['assistant', 'tool']
    """
    return _CALLS[wire](text, calls)


def anthropic_id(call_id: str) -> str:
    """An id in letters that Anthropic takes; the same one for a call and its result.

    >>> anthropic_id("call:7")
    'call_7'
    """
    return _NO_ID.sub("_", call_id) or "_"


def _anthropic_calls(text: str, calls: Sequence[ToldCall]) -> list[dict[str, Any]]:
    calls = [replace(call, id=anthropic_id(call.id)) for call in calls]
    uses = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}
        for call in calls
    ]
    said = [{"type": "text", "text": text}] if text.strip() else []
    return anthropic_continuation([*said, *uses], [call.result for call in calls])


def _responses_calls(text: str, calls: Sequence[ToldCall]) -> list[dict[str, Any]]:
    items = [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments or "{}",
        }
        for call in calls
    ]
    said = [_content("assistant", text)] if text.strip() else []
    return [*said, *responses_continuation(items, [call.result for call in calls])]


def _chat_calls(text: str, calls: Sequence[ToldCall]) -> list[dict[str, Any]]:
    told = [
        {"id": call.id, "name": call.name, "arguments": call.arguments or "{}"}
        for call in calls
    ]
    return chat_continuation(text, told, [call.result for call in calls])


def _gemini_calls(text: str, calls: Sequence[ToldCall]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": text}] if text.strip() else []
    parts += [
        {"functionCall": {"id": call.id, "name": call.name, "args": call.input}}
        for call in calls
    ]
    return gemini_continuation(parts, [call.result for call in calls])


def _no_calls(text: str, calls: Sequence[ToldCall]) -> list[dict[str, Any]]:
    del calls
    return [_content("assistant", text)] if text.strip() else []


_CALLS: Final[
    Mapping[Wire, Callable[[str, Sequence[ToldCall]], list[dict[str, Any]]]]
] = {
    "anthropic": _anthropic_calls,
    "responses": _responses_calls,
    "chat": _chat_calls,
    "gemini": _gemini_calls,
    "proxy": _no_calls,
}
