"""A turn of the embedded agent as server-sent events, in each vendor's shape.

The shapes are those of the recorded streams. The events of a Responses stream are built
in :mod:`aistream_nb.providers.offline_responses`, the chunks of Chat Completions in
:mod:`aistream_nb.providers.offline_chat`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.providers.offline_chat import chat_frames
from aistream_nb.providers.offline_conversation import OfflineConversation
from aistream_nb.providers.offline_pieces import (
    Seed,
    count_read_tokens,
    count_tokens,
    cut_at_words,
    cut_evenly,
    written_text,
)
from aistream_nb.providers.offline_responses import ResponsesEvents
from aistream_nb.providers.offline_story import PlannedCall, Script

__all__ = ["build_frames"]

_GEMINI_LETTERS: Final = 28
"""Gemini's pieces are larger than the others'."""


def build_frames(
    conversation: OfflineConversation, script: Script
) -> tuple[bytes, ...]:
    """The stream of a turn, frame by frame."""
    seed = Seed(conversation)
    if conversation.vendor == "chat":
        return tuple(chat_frames(conversation, script, seed))
    if conversation.vendor == "anthropic":
        return tuple(_named(_anthropic(conversation, script, seed)))
    if conversation.vendor == "gemini":
        return tuple(_unnamed(_gemini(conversation, script, seed)))
    return tuple(_named(ResponsesEvents(conversation, script, seed).events()))


def _named(events: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for event in events:
        yield f"event: {event['type']}\ndata: {encode_json(event)}\n\n".encode()


def _unnamed(chunks: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for chunk in chunks:
        yield f"data: {encode_json(chunk)}\r\n\r\n".encode()


# ------------------------------------------------------------- Anthropic Messages


def _anthropic(
    conversation: OfflineConversation, script: Script, seed: Seed
) -> Iterator[dict[str, Any]]:
    read = {
        "input_tokens": count_read_tokens(conversation),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    message: dict[str, Any] = {
        "model": conversation.model,
        "id": f"msg_01{seed.letters('message', 22)}",
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "stop_details": None,
        "usage": {**read, "output_tokens": 1, "service_tier": "standard"},
    }
    yield {"type": "message_start", "message": message}
    blocks = [_thinking_block(script, seed), _text_block(script)]
    blocks += [_tool_block(call, at, seed) for at, call in enumerate(script.calls)]
    for index, (start, deltas) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": start}
        if index == 0:
            yield {"type": "ping"}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    thought = count_tokens(script.thinking)
    yield {
        "type": "message_delta",
        "delta": {
            "stop_reason": "tool_use" if script.calls else "end_turn",
            "stop_sequence": None,
            "stop_details": None,
        },
        "usage": {
            **read,
            "output_tokens": thought + count_tokens(written_text(script)),
            "output_tokens_details": {"thinking_tokens": thought},
        },
    }
    yield {"type": "message_stop"}


_Block = tuple[dict[str, Any], list[dict[str, Any]]]


def _thinking_block(script: Script, seed: Seed) -> _Block:
    deltas: list[dict[str, Any]] = [
        {"type": "thinking_delta", "thinking": piece}
        for piece in cut_at_words(script.thinking)
    ]
    signature = f"EusC{seed.letters('signature', 180)}"
    deltas.append({"type": "signature_delta", "signature": signature})
    return {"type": "thinking", "thinking": "", "signature": ""}, deltas


def _text_block(script: Script) -> _Block:
    deltas = [
        {"type": "text_delta", "text": piece} for piece in cut_at_words(script.text)
    ]
    return {"type": "text", "text": ""}, deltas


def _tool_block(call: PlannedCall, at: int, seed: Seed) -> _Block:
    start = {
        "type": "tool_use",
        "id": f"toolu_01{seed.letters(f'call {at}', 22)}",
        "name": call.name,
        "input": {},
        "caller": {"type": "direct"},
    }
    # An empty piece comes first, as on the real wire.
    pieces = ["", *cut_evenly(json.dumps(call.arguments, ensure_ascii=False))]
    return start, [{"type": "input_json_delta", "partial_json": one} for one in pieces]


# ------------------------------------------------------------- Gemini


def _gemini(
    conversation: OfflineConversation, script: Script, seed: Seed
) -> Iterator[dict[str, Any]]:
    thought = count_tokens(script.thinking)
    read = count_read_tokens(conversation)
    written = 0

    def chunk(parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        usage: dict[str, Any] = {"promptTokenCount": read}
        if written:
            usage["candidatesTokenCount"] = written
        usage["totalTokenCount"] = read + thought + written
        usage["promptTokensDetails"] = [{"modality": "TEXT", "tokenCount": read}]
        usage["thoughtsTokenCount"] = thought
        content = {"parts": parts, "role": "model"}
        return {
            "candidates": [{"content": content, **more, "index": 0}],
            "usageMetadata": usage,
            "modelVersion": conversation.model or "gemini-3.5-flash",
            "responseId": seed.letters("response", 23),
        }

    yield chunk([{"text": f"{script.thinking}\n\n\n", "thought": True}])
    for piece in cut_at_words(script.text, _GEMINI_LETTERS):
        written += count_tokens(piece)
        yield chunk([{"text": piece}])
    signature = f"f{seed.letters('signature', 199)}"
    if script.calls:
        written += count_tokens(written_text(script))
        parts = [_gemini_call(call, at, seed) for at, call in enumerate(script.calls)]
        # Of parallel calls only the first one is signed.
        parts[0]["thoughtSignature"] = signature
        yield chunk(parts)
    last = {"text": ""} if script.calls else {"text": "", "thoughtSignature": signature}
    yield chunk([last], finishReason="STOP")


def _gemini_call(call: PlannedCall, at: int, seed: Seed) -> dict[str, Any]:
    name = f"call_{seed.hexadecimal(f'call {at}', 8)}"
    return {"functionCall": {"name": call.name, "args": call.arguments, "id": name}}
