"""Anthropic's Messages: the request, and what its stream means.

A block is kept as the wire began it and only grows, because what is not known here
has to go back unchanged (provider turns, sections 6.1, 8.1, 9.1 and 14.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from aistream_nb.core.json_text import is_blank
from aistream_nb.core.turn_events import ToolCallResult
from aistream_nb.core.values import is_mapping
from aistream_nb.providers.anthropic_request import anthropic_request
from aistream_nb.providers.base import (
    Ending,
    FrameLog,
    ReadyCall,
    Translated,
    TurnRequest,
    WireRequest,
    object_in,
    parse_arguments,
    scan_string,
    usage_from,
    whole_text,
)
from aistream_nb.providers.continuation import anthropic_continuation
from aistream_nb.providers.quick_events import args_delta, text_delta, thinking_delta
from aistream_nb.providers.translating import AnswerReader

__all__ = ["AnthropicDialect", "AnthropicTranslator"]

_USAGE: Final[Mapping[str, str]] = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cached_input_tokens": "cache_read_input_tokens",
    "cache_write_input_tokens": "cache_creation_input_tokens",
}
_TRUNCATED: Final = frozenset({"max_tokens", "model_context_window_exceeded"})
_INCOMPLETE: Final = _TRUNCATED | {"refusal", "pause_turn"}
_TRY_AGAIN: Final = (
    *("overloaded_error", "rate_limit_error"),
    *("api_error", "timeout_error"),
)
"""No set: what a server says in this place may be a list."""
_DELTA_FIELDS: Final[Mapping[str, str]] = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}
_Hot: TypeAlias = tuple[str, int, Callable[[str], Translated]]
"""How the next frame begins, how long that is, and what to do with its string."""
_COLD: Final[_Hot] = ("\0", 1, text_delta)
"""Nothing is expected: no frame begins like this."""


class AnthropicDialect:
    """Anthropic's Messages API, and servers that speak it."""

    def request(self, turn: TurnRequest) -> WireRequest:
        """The request for ``turn``."""
        return anthropic_request(turn)

    def translator(self, turn: TurnRequest) -> AnthropicTranslator:
        """A new translator for the answer."""
        del turn  # nothing in an answer depends on the question
        return AnthropicTranslator()


class _Block:
    """One content block: as it began, and what was added to it."""

    __slots__ = ("arguments", "call_id", "citations", "field", "pieces", "raw", "signs")

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw: Final = raw
        self.field: Final = {"text": "text", "thinking": "thinking"}.get(raw["type"])
        start = raw.get(self.field) if self.field else None
        self.pieces: list[str] = [start] if isinstance(start, str) and start else []
        self.signs: list[str] = [raw.get("signature") or ""]
        self.citations: list[Any] = list(raw.get("citations") or ())
        self.call_id: str = raw.get("id") or ""
        self.arguments: dict[str, Any] = {}

    def parse_input(self) -> str | None:
        """Settle the arguments; what is wrong with them, if anything."""
        given = self.raw.get("input")
        if not self.pieces and is_mapping(given):
            self.arguments = dict(given)
            return None
        self.arguments, problem = parse_arguments("".join(self.pieces))
        return problem

    def replayed(self) -> dict[str, Any] | None:
        """The block as it goes back; ``None`` when the API would refuse it."""
        kind = self.raw["type"]
        if kind == "text":
            return self._replayed_text()
        if kind == "thinking":
            text = whole_text(self.pieces)
            return {**self.raw, "thinking": text, "signature": "".join(self.signs)}
        if kind in {"tool_use", "server_tool_use"}:
            return {**self.raw, "input": self.arguments}
        return self.raw

    def _replayed_text(self) -> dict[str, Any] | None:
        text = whole_text(self.pieces)
        if is_blank(text):
            return None
        block = {**self.raw, "text": text, "citations": self.citations}
        if not self.citations:
            del block["citations"]
        return block


class AnthropicTranslator(AnswerReader):
    """Reads one stream of Anthropic's Messages."""

    def __init__(self) -> None:
        super().__init__()
        self._log: Final = FrameLog()
        self._blocks: dict[Any, _Block] = {}
        self._usage: dict[str, Any] = {}
        self._stop_reason: str | None = None
        self._stopped = False
        # The frame that most likely comes next, and what its text means.
        self._hot: _Hot = _COLD
        self._by_event: Final[Mapping[str, Callable[[dict[str, Any]], None]]] = {
            "message_start": self._start_message,
            "content_block_start": self._start_block,
            "content_block_delta": self._grow_block,
            "content_block_stop": self._stop_block,
            "message_delta": self._change_message,
            "message_stop": self._stop_message,
            "error": self._fail,
        }

    def receive(self, frames: Sequence[str]) -> list[Translated]:
        """What the frames say.

        Most frames grow the open block, and differ in nothing but one string. They
        are known by their start and not parsed as JSON; all others take the long way.
        """
        out: list[Translated] = []
        self._out = out
        prefix, length, grow = self._hot
        for frame in frames:
            if frame.startswith(prefix):
                try:
                    delta, end = scan_string(frame, length)
                except ValueError:
                    delta, end = "", len(frame)  # no string, so the long way
                # Two braces are due; blanks between them pad against eavesdroppers.
                if frame[end : end + 1] == "}" and frame.endswith("}", end + 1):
                    if delta:
                        out.append(grow(delta))
                    continue
            self._read(frame)
            prefix, length, grow = self._hot
        return out

    def close(self) -> Ending:
        """How the stream ended."""
        if not self._stopped:
            return Ending(error="Anthropic stream ended without a message_stop event")
        reason = self._stop_reason
        return Ending(
            truncated=reason in _TRUNCATED,
            incomplete_reason=reason if reason in _INCOMPLETE else None,
            stop_reason=reason,
            usage=usage_from(self._usage or None, _USAGE),
            paused=reason == "pause_turn",
        )

    def continuation(self, results: Sequence[ToolCallResult]) -> list[dict[str, Any]]:
        """The assistant's message as it was, and the results."""
        ordered = [self._blocks[index] for index in sorted(self._blocks)]
        blocks = [block.replayed() for block in ordered]
        return anthropic_continuation([b for b in blocks if b is not None], results)

    def _read(self, frame: str) -> None:
        opened = self._opened(frame)
        if opened is None:
            return
        event, payload = opened
        name = event.event or str(payload.get("type") or "")
        act = self._by_event.get(name)
        if act is not None:
            act(payload)
        elif name != "ping":
            self._log.unknown_event(name, event)

    def _start_message(self, payload: dict[str, Any]) -> None:
        self._count(object_in(payload, "message").get("usage"))

    def _count(self, usage: object) -> None:
        if is_mapping(usage):
            said = {name: count for name, count in usage.items() if count is not None}
            self._usage.update(said)

    def _start_block(self, payload: dict[str, Any]) -> None:
        raw = object_in(payload, "content_block")
        if not isinstance(raw.get("type"), str):
            return
        index = _index(payload)
        if raw["type"] == "tool_use" and not (raw.get("id") and raw.get("name")):
            self._log.malformed_call("a tool_use block without a name or an id")
            self._blocks.pop(index, None)
            self._hot = _COLD
            return
        block = self._blocks[index] = _Block(raw)
        self._tell_of(block)
        self._expect(index, block)

    def _tell_of(self, block: _Block) -> None:
        raw = block.raw
        kind = raw["type"]
        if kind == "text":
            self._say("".join(block.pieces))
        elif kind == "thinking":
            self._think("".join(block.pieces))
        elif kind == "tool_use":
            if self._is_new(block.call_id):
                self._announce(raw["name"], block.call_id)
        elif kind == "server_tool_use" and raw.get("name") == "web_search":
            self._start_search()
        elif kind == "web_search_tool_result":
            self._finish_search()

    def _expect(self, index: object, block: _Block) -> None:
        """Prepare for the deltas that a block of this kind usually gets."""
        kind = {
            "text": "text_delta",
            "thinking": "thinking_delta",
            "tool_use": "input_json_delta",
        }.get(block.raw["type"])
        if kind is None or type(index) is not int or self._over:
            self._hot = _COLD
            return
        prefix = (
            "event: content_block_delta\n"
            f'data: {{"type":"content_block_delta","index":{index},'
            f'"delta":{{"type":"{kind}","{_DELTA_FIELDS[kind]}":"'
        )
        self._hot = prefix, len(prefix), self._grower(kind, block)

    def _grower(self, kind: str, block: _Block) -> Callable[[str], Translated]:
        """Takes a delta of the open block in, and makes the event of it."""
        keep, keep_text, call_id = block.pieces.append, self._text.append, block.call_id

        def grow_text(delta: str) -> Translated:
            keep(delta)
            keep_text(delta)
            return text_delta(delta)

        def grow_thinking(delta: str) -> Translated:
            keep(delta)
            return thinking_delta(delta)

        def grow_input(delta: str) -> Translated:
            keep(delta)
            return args_delta(call_id, delta)

        growers = {"text_delta": grow_text, "thinking_delta": grow_thinking}
        return growers.get(kind, grow_input)

    def _grow_block(self, payload: dict[str, Any]) -> None:
        delta = object_in(payload, "delta")
        kind = delta.get("type")
        block = self._blocks.get(_index(payload))
        if kind == "citations_delta" and block is not None:
            block.citations.append(delta.get("citation"))
            return
        text = delta.get(_DELTA_FIELDS.get(str(kind), ""))
        if isinstance(text, str) and text:
            self._grow_text(str(kind), block, text)

    def _grow_text(self, kind: str, block: _Block | None, text: str) -> None:
        owner = block.raw["type"] if block else None
        if kind == "text_delta":
            # Text without its block is still an answer; it just cannot be replayed.
            self._say(text)
            if block is not None and owner == "text":
                block.pieces.append(text)
        elif block is None:
            return
        elif kind == "signature_delta" and owner == "thinking":
            block.signs.append(text)
        elif kind == "thinking_delta" and owner == "thinking":
            block.pieces.append(text)
            self._think(text)
        elif kind == "input_json_delta":
            block.pieces.append(text)
            if owner == "tool_use":
                self._out.append(args_delta(block.call_id, text))

    def _stop_block(self, payload: dict[str, Any]) -> None:
        self._hot = _COLD
        block = self._blocks.get(_index(payload))
        if block is None or block.raw["type"] not in {"tool_use", "server_tool_use"}:
            return
        problem = block.parse_input()
        if block.raw["type"] == "tool_use":
            self._out.append(
                ReadyCall(
                    name=block.raw["name"],
                    call_id=block.call_id,
                    arguments=block.arguments,
                    problem=problem,
                )
            )

    def _change_message(self, payload: dict[str, Any]) -> None:
        reason = object_in(payload, "delta").get("stop_reason")
        if isinstance(reason, str):
            self._stop_reason = reason
        self._count(payload.get("usage"))

    def _stop_message(self, _payload: dict[str, Any]) -> None:
        self._stopped = True

    def _fail(self, payload: dict[str, Any]) -> None:
        said = object_in(payload, "error")
        message = said.get("message") or "Anthropic stream returned an error event"
        self._break(str(message), retryable=said.get("type") in _TRY_AGAIN)

    def _break(self, message: str, *, retryable: bool = False) -> None:
        super()._break(message, retryable=retryable)
        self._hot = _COLD


def _index(payload: Mapping[str, Any]) -> int:
    index = payload.get("index")
    return index if isinstance(index, int) else 0
