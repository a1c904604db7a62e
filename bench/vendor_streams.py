"""Streams as the three vendors send them, for W4: seeded, of any size.

Half text and half arguments, with what makes real streams awkward: padding,
obfuscation, sequence numbers, usage in every frame, other alphabets.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["STREAMS", "anthropic_stream", "gemini_stream", "openai_stream"]

_WORDS: Final = [
    "the",
    "ferry",
    "leaves",
    "at",
    "eight",
    "thirty",
    "and",
    "takes",
    "dogs",
    "on",
    "deck",
    "while",
    "the",
    "wind",
    "from",
    "the",
    "north",
    "eases",
    "after",
    "noon",
    "so",
    "bring",
    '"warm"',
    "clothes\nand",
    "water",
    "please",
    "—",
    "žena,",
    "船,",
    "🛳️",
]
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"


def _words(chance: random.Random, count: int) -> list[str]:
    return [f"{chance.choice(_WORDS)} " for _ in range(count)]


def _arguments(chance: random.Random, rows: int) -> list[str]:
    """The JSON text of a table, in pieces of about ten characters."""
    table = [
        {"id": row, "name": chance.choice(_WORDS), "price": chance.random()}
        for row in range(rows)
    ]
    text, pieces = json.dumps({"rows": table}), list[str]()
    while text:
        size = chance.randint(4, 16)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _collect(frames: Iterator[str], size: int) -> Iterator[bytes]:
    written = 0
    for frame in frames:
        data = frame.encode()
        written += len(data)
        yield data
        if written >= size:
            return


def anthropic_stream(size: int) -> bytes:
    """Text blocks and calls by turns; frames padded with blanks."""
    chance = random.Random(4)  # noqa: S311 - a workload, not a secret
    end = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}]
    frames = (_named(event, chance.randint(0, 14)) for event in _blocks(chance))
    tail = "".join(_named(event, 0) for event in [*end, {"type": "message_stop"}])
    return b"".join(_collect(frames, size)) + tail.encode()


def _named(event: dict[str, Any], padding: int) -> str:
    text = _compact(event)
    return f"event: {event['type']}\ndata: {text[:-1]}{' ' * padding}}}\n\n"


def _blocks(chance: random.Random) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 472, "output_tokens": 2}
    yield {"type": "message_start", "message": {"id": "msg_1", "usage": usage}}
    for index in range(1_000_000):
        block: dict[str, Any]
        if index % 2:
            block = {"type": "tool_use", "id": f"t{index}", "name": "put", "input": {}}
            kind, field = "input_json_delta", "partial_json"
            pieces = _arguments(chance, 30)
        else:
            block, kind, field = {"type": "text", "text": ""}, "text_delta", "text"
            pieces = _words(chance, 350)
        start = {"type": "content_block_start", "index": index}
        yield {**start, "content_block": block}
        for piece in pieces:
            delta = {"type": kind, field: piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}


def openai_stream(size: int) -> bytes:
    """Messages and calls by turns; every frame numbered and obfuscated."""
    chance = random.Random(5)  # noqa: S311 - a workload, not a secret
    frames = (_numbered(event, number) for number, event in enumerate(_items(chance)))
    end = {"type": "response.completed", "response": {"status": "completed"}}
    tail = _numbered(end, 999_999)
    return b"".join(_collect(frames, size)) + tail.encode()


def _numbered(event: dict[str, Any], number: int) -> str:
    kind = event["type"]
    rest = {name: value for name, value in event.items() if name != "type"}
    payload = {"type": kind, "sequence_number": number, **rest}
    return f"event: {kind}\ndata: {_compact(payload)}\n\n"


def _items(chance: random.Random) -> Iterator[dict[str, Any]]:
    def noise() -> str:
        return "".join(chance.choices(_LETTERS, k=chance.randint(4, 16)))

    for index in range(1_000_000):
        ident = f"item_68af4030592c81938ec0a5fbab4a3e9f{index:08d}"
        place = {"item_id": ident, "output_index": index}
        item: dict[str, Any]
        if index % 2:
            item = {"id": ident, "type": "function_call", "call_id": f"c{index}"}
            item |= {"name": "put", "arguments": ""}
            pieces = _arguments(chance, 30)
            kind, common = "response.function_call_arguments.delta", place
            extra: dict[str, Any] = {}
            done = {**item, "arguments": "".join(pieces)}
        else:
            item = {"id": ident, "type": "message", "role": "assistant", "content": []}
            pieces = _words(chance, 350)
            kind, common = "response.output_text.delta", {**place, "content_index": 0}
            extra = {"logprobs": []}
            part: dict[str, Any] = {"type": "output_text", "text": "".join(pieces)}
            done = {**item, "content": [part]}
        added = {"type": "response.output_item.added", "output_index": index}
        yield {**added, "item": item}
        for piece in pieces:
            delta = {"delta": piece, **extra, "obfuscation": noise()}
            yield {"type": kind, **common, **delta}
        yield {**added, "type": "response.output_item.done", "item": done}


def gemini_stream(size: int) -> bytes:
    """Texts of a dozen words and whole calls, CRLF, usage in every frame."""
    chance = random.Random(6)  # noqa: S311 - a workload, not a secret
    frames = (_chunk(part, count) for count, part in enumerate(_parts(chance)))
    tail = _chunk({"text": ""}, 1_000_000, finish="STOP")
    return b"".join(_collect(frames, size)) + tail.encode()


def _chunk(part: dict[str, Any], count: int, finish: str | None = None) -> str:
    content = {"parts": [part], "role": "model"}
    candidate: dict[str, Any] = {"content": content, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    detail = {"modality": "TEXT", "tokenCount": 37}
    payload = {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": 37,
            "candidatesTokenCount": count,
            "promptTokensDetails": [detail],
        },
        "modelVersion": "gemini-3.5-flash",
        "responseId": "SzKvaPXpMYHTvdIPqcyR8Ao",
    }
    return f"data: {json.dumps(payload, ensure_ascii=False)}\r\n\r\n"


def _parts(chance: random.Random) -> Iterator[dict[str, Any]]:
    while True:
        for _ in range(50):
            yield {"text": "".join(_words(chance, 12))}
        arguments = json.loads("".join(_arguments(chance, 2)))
        yield {"functionCall": {"name": "put", "args": arguments}}


STREAMS: Final = {
    "anthropic": anthropic_stream,
    "openai": openai_stream,
    "gemini": gemini_stream,
}
