"""A turn of the embedded agent as the chunks of Chat Completions.

The shape is the one that most servers share: the first chunk says who speaks, thinking
comes under ``reasoning``, a call begins with its id and name and goes on in pieces of
its arguments, the counts come last in a chunk without choices, and then ``[DONE]``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.providers.offline_conversation import OfflineConversation
from aistream_nb.providers.offline_pieces import (
    Seed,
    count_read_tokens,
    count_tokens,
    cut_at_words,
    cut_evenly,
    written_text,
)
from aistream_nb.providers.offline_story import PlannedCall, Script

__all__ = ["chat_frames"]

_DAY: Final = 1764921600
"""When the other wires' recorded responses were created."""


def chat_frames(
    conversation: OfflineConversation, script: Script, seed: Seed
) -> Iterator[bytes]:
    """The stream of a turn, frame by frame, ``[DONE]`` included."""
    envelope = {
        "id": f"chatcmpl-{seed.letters('completion', 24)}",
        "object": "chat.completion.chunk",
        "created": _DAY,
        "model": conversation.model,
        "system_fingerprint": "fp_offline",
    }
    for choice in _choices(script, seed):
        yield _frame({**envelope, "choices": [choice]})
    usage = _usage(conversation, script)
    yield _frame({**envelope, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _frame(chunk: Mapping[str, Any]) -> bytes:
    return f"data: {encode_json(chunk)}\n\n".encode()


def _choices(script: Script, seed: Seed) -> Iterator[dict[str, Any]]:
    for delta in _deltas(script, seed):
        yield {"index": 0, "delta": delta, "finish_reason": None}
    reason = "tool_calls" if script.calls else "stop"
    yield {"index": 0, "delta": {}, "finish_reason": reason}


def _deltas(script: Script, seed: Seed) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for piece in cut_at_words(script.thinking):
        yield {"reasoning": piece}
    for piece in cut_at_words(script.text):
        yield {"content": piece}
    for index, call in enumerate(script.calls):
        for fragment in _fragments(index, call, seed):
            yield {"tool_calls": [{"index": index, **fragment}]}


def _fragments(index: int, call: PlannedCall, seed: Seed) -> Iterator[dict[str, Any]]:
    yield {
        "id": f"call_{seed.letters(f'call {index}', 24)}",
        "type": "function",
        "function": {"name": call.name, "arguments": ""},
    }
    for piece in cut_evenly(json.dumps(call.arguments, ensure_ascii=False)):
        yield {"function": {"arguments": piece}}


def _usage(conversation: OfflineConversation, script: Script) -> dict[str, Any]:
    read = count_read_tokens(conversation)
    thought = count_tokens(script.thinking)
    written = thought + count_tokens(written_text(script))
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }
