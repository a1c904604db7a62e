"""Gemini's ``streamGenerateContent``: what its stream means.

Frames have no names and there is no terminal marker but ``finishReason``. Parts go
back as they came, in their order, signatures where they were and nowhere else
(provider turns, sections 8.3, 9.3 and 14.3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aistream_nb.core.turn_events import ToolCallResult
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.core.wire.sse import parse_frame
from aistream_nb.providers.base import (
    Ending,
    ReadyCall,
    Translated,
    TurnRequest,
    WireRequest,
    dict_or_none,
    object_in,
    parse_object,
    scan_string,
    usage_from,
    whole_text,
)
from aistream_nb.providers.continuation import gemini_continuation
from aistream_nb.providers.gemini_request import gemini_request
from aistream_nb.providers.quick_events import text_delta
from aistream_nb.providers.translating import AnswerReader

__all__ = ["GeminiDialect", "GeminiTranslator"]

_USAGE: Final[Mapping[str, str]] = {
    "input_tokens": "promptTokenCount",
    "output_tokens": "candidatesTokenCount",
    "reasoning_tokens": "thoughtsTokenCount",
    "cached_input_tokens": "cachedContentTokenCount",
}
_GOOD: Final = frozenset({"STOP", "MAX_TOKENS"})
_TRY_AGAIN: Final = (429, 500, 502, 503, 504)
"""No set: what a server says in this place may be a list."""
_NO_PIECES: Final = (
    "its arguments came in pieces, which this client did not ask for, so it was not run"
)
_NOTHING: Final = "\0"
"""No frame starts with it."""
_SURROUNDINGS: Final = re.compile(
    r'data: \{"candidates": ?\[\{"content": ?\{"parts": ?\[\{"text": ?"'
)
_USAGE_NAME: Final = '"usageMetadata"'
_NEVER_QUICK: Final = ('"error"', '"promptFeedback"', '"candidates"', _USAGE_NAME)
"""What may follow in a frame and change what it means."""


class GeminiDialect:
    """Google's Gemini API."""

    def request(self, turn: TurnRequest) -> WireRequest:
        """The request for ``turn``."""
        return gemini_request(turn)

    def translator(self, turn: TurnRequest) -> GeminiTranslator:
        """A new translator for the answer."""
        del turn  # nothing in an answer depends on the question
        return GeminiTranslator()


class GeminiTranslator(AnswerReader):
    """Reads one stream of Gemini."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: Final[list[dict[str, Any]]] = []
        self._run: Final[list[str]] = []  # texts that will be one part
        self._run_is_thought = False
        self._usage: object = None
        self._usage_frame: str | None = None  # the newest usage, not parsed yet
        self._head = _NOTHING  # what stands before and after the text
        self._middle = _NOTHING
        self._finish_reason: str | None = None

    def receive(self, frames: Sequence[str]) -> list[Translated]:
        """What the frames say.

        Frames with nothing but text differ in little else than that text. What
        surrounds it is learned from the first of them; the others are not parsed.
        """
        out: list[Translated] = []
        self._out = out
        for frame in frames:
            if frame.startswith(self._head) and self._quick_text(frame):
                continue
            self._read(frame)
        return out

    def close(self) -> Ending:
        """How the stream ended."""
        reason = self._finish_reason
        if reason is None:
            return Ending(error="Gemini stream ended without a finishReason")
        return Ending(
            truncated=reason == "MAX_TOKENS",
            stop_reason=reason,
            usage=usage_from(self._newest_usage(), _USAGE),
        )

    def _newest_usage(self) -> object:
        event = parse_frame(self._usage_frame or "")
        payload = None if event is None else parse_object(event.data)
        return self._usage if payload is None else payload.get("usageMetadata")

    def continuation(self, results: Sequence[ToolCallResult]) -> list[dict[str, Any]]:
        """The model's turn as it was, and the responses to its calls."""
        self._end_run()
        return gemini_continuation(self._parts, results)

    def _quick_text(self, frame: str) -> bool:
        try:
            text, end = scan_string(frame, len(self._head))
        except ValueError:
            return False
        rest = end + len(self._middle)
        is_plain = (
            frame.startswith(self._middle, end)
            and frame[-1] == "}"
            and not any(frame.find(name, rest) >= 0 for name in _NEVER_QUICK)
        )
        if not is_plain or self._over:
            return False
        self._usage_frame = frame
        if text:
            self._text.append(text)
            self._out.append(text_delta(text))
            self._extend_run(text, is_thought=False)
        return True

    def _learn(self, frame: str, payload: Mapping[str, Any]) -> None:
        """Remember what surrounds the text, if text is all that there is."""
        found = _SURROUNDINGS.match(frame)
        if found is None or not _is_only_text(payload):
            return
        end = scan_string(frame, found.end())[1]
        usage = frame.find(_USAGE_NAME, end)
        if usage >= 0:
            self._head = found[0]
            self._middle = frame[end : usage + len(_USAGE_NAME)]

    def _read(self, frame: str) -> None:
        opened = self._opened(frame)
        if opened is None:
            return
        _, payload = opened
        if is_mapping(payload.get("usageMetadata")):
            self._usage, self._usage_frame = payload["usageMetadata"], None
        if self._head is _NOTHING:
            self._learn(frame, payload)
        if payload.get("error"):
            self._fail(object_in(payload, "error"))
            return
        candidates = payload.get("candidates")
        if is_array(candidates) and candidates:
            self._read_candidate(dict_or_none(candidates[0]) or {})
        else:
            self._read_feedback(object_in(payload, "promptFeedback"))

    def _read_candidate(self, candidate: dict[str, Any]) -> None:
        reason = candidate.get("finishReason")
        is_bad = isinstance(reason, str) and reason != "" and reason not in _GOOD
        parts = object_in(candidate, "content").get("parts")
        for found in parts if is_array(parts) else ():
            part = _without_nulls(dict_or_none(found) or {})
            # A turn that went wrong runs nothing.
            if part and not (is_bad and "functionCall" in part):
                self._read_part(part)
        if is_bad:
            said = candidate.get("finishMessage")
            tail = f": {said}" if isinstance(said, str) and said else ""
            self._break(f"Gemini stopped with finishReason {reason}{tail}")
        elif isinstance(reason, str) and reason:
            self._finish_reason = reason

    def _read_part(self, part: dict[str, Any]) -> None:
        text = part.get("text")
        if isinstance(text, str):
            self._read_text(part, text)
        elif is_mapping(part.get("functionCall")):
            self._read_call(part)
        else:
            self._keep(part)

    def _read_text(self, part: dict[str, Any], text: str) -> None:
        is_thought = part.get("thought") is True
        (self._think if is_thought else self._say)(text)
        if set(part) - {"text", "thought"}:
            self._keep(part)  # signed: it stays a part of its own, even without text
        elif text:
            self._extend_run(text, is_thought=is_thought)

    def _read_call(self, part: dict[str, Any]) -> None:
        call = object_in(part, "functionCall")
        name, call_id = call.get("name"), call.get("id") or None
        if not isinstance(name, str) or not name:
            return
        if call_id is not None and not self._is_new(call_id):
            return
        in_pieces = "partialArgs" in call or call.get("willContinue") is True
        arguments = {} if in_pieces else object_in(call, "args")
        self._keep(_replayed_call(part, call, arguments))
        self._out.append(
            ReadyCall(
                name=name,
                call_id=call_id,
                arguments=arguments,
                problem=_NO_PIECES if in_pieces else None,
            )
        )

    def _keep(self, part: dict[str, Any]) -> None:
        self._end_run()
        self._parts.append(part)

    def _extend_run(self, text: str, *, is_thought: bool) -> None:
        if is_thought is not self._run_is_thought:
            self._end_run()
            self._run_is_thought = is_thought
        self._run.append(text)

    def _end_run(self) -> None:
        if self._run:
            part: dict[str, Any] = {"text": whole_text(self._run)}
            if self._run_is_thought:
                part["thought"] = True
            self._parts.append(part)
            self._run.clear()

    def _read_feedback(self, feedback: dict[str, Any]) -> None:
        reason = feedback.get("blockReason")
        if reason:
            said = feedback.get("blockReasonMessage")
            tail = f": {said}" if isinstance(said, str) and said else ""
            self._break(f"Gemini blocked the prompt: {reason}{tail}")

    def _fail(self, error: dict[str, Any]) -> None:
        said = error.get("message") or error.get("status")
        self._break(
            str(said or "Gemini stream returned an error"),
            retryable=error.get("code") in _TRY_AGAIN,
        )


def _is_only_text(payload: Mapping[str, Any]) -> bool:
    """Whether a frame holds one text part, without a signature or an ending."""
    candidates = payload.get("candidates")
    if not (is_array(candidates) and len(candidates) == 1):
        return False
    candidate = dict_or_none(candidates[0]) or {}
    parts = object_in(candidate, "content").get("parts")
    if not (is_array(parts) and len(parts) == 1 and is_mapping(parts[0])):
        return False
    return set(parts[0]) == {"text"} and "finishReason" not in candidate


def _replayed_call(
    part: Mapping[str, Any], call: Mapping[str, Any], arguments: dict[str, Any]
) -> dict[str, Any]:
    """The part as it goes back: nothing invented, nothing dropped but nulls."""
    kept = _without_nulls(call)
    for name in ("partialArgs", "willContinue"):
        kept.pop(name, None)
    return {**part, "functionCall": {**kept, "args": arguments}}


def _without_nulls(members: Mapping[str, Any]) -> dict[str, Any]:
    """An explicit null says that something is absent."""
    return {name: value for name, value in members.items() if value is not None}
