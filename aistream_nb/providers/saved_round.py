"""A round that was recorded, as history: read again, never sent and never run again.

The recorded bytes go through the adapter that read them when they came, so that what
a provider wants back (signatures, ids, its own blocks) comes out as it was. What is
missing is a result for a call that nobody answered; then the model is told the plain
truth in its place, because providers refuse a history with an open call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.core.turn_events import ToolCallResult
from aistream_nb.core.wire.sse import FrameSplitter
from aistream_nb.providers.base import ReadyCall, Translator, TurnRequest
from aistream_nb.providers.continuation import call_text
from aistream_nb.providers.dialects import DIALECTS
from aistream_nb.providers.history import assistant_entry
from aistream_nb.providers.registry import ProviderRecord
from aistream_nb.providers.thinking import ResolvedThinking

__all__ = ["SavedAnswer", "round_entries"]

_UNKNOWN: Final = "the recording does not say what became of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedAnswer:
    """What became of one call of the round, in the order of the calls."""

    id: str
    content: str | None
    """What the model was told; ``None`` where it was told nothing."""
    is_error: bool = False
    why_open: str = ""
    """Where it was told nothing: why, in words for the model."""


def round_entries(
    record: ProviderRecord,
    body: bytes,
    *,
    answers: Sequence[SavedAnswer],
    tail: Sequence[Any],
) -> tuple[Any, ...]:
    """What a round adds to the history; nothing if it holds only a half answer.

    Args:
        record: The provider that answered.
        body: The bytes of its answer, perhaps torn.
        answers: What became of the round's calls.
        tail: The history behind the first message, before this round.
    """
    translator = DIALECTS[record.wire].translator(_request(record, tail))
    ready = _ready_calls(translator, body)
    ending = translator.close()
    if ready or (ending.paused and ending.error is None):
        return tuple(translator.continuation(_results(ready, answers)))
    text = translator.full_text()
    if ending.error is not None or not text.strip():
        return ()
    return (assistant_entry(record.wire, text),)


def _request(record: ProviderRecord, tail: Sequence[Any]) -> TurnRequest:
    """As much of the request as the reading of its answer depends on."""
    return TurnRequest(
        record=record,
        model="",
        base_url="",
        key="",
        system="",
        messages=(),
        tail=tuple(tail),
        thinking=ResolvedThinking(),
    )


def _ready_calls(translator: Translator, body: bytes) -> list[ReadyCall]:
    splitter = FrameSplitter()
    frames = [*splitter.receive(body), *splitter.close()]
    read = translator.receive(frames)
    return [item for item in read if isinstance(item, ReadyCall)]


def _results(
    calls: Sequence[ReadyCall], answers: Sequence[SavedAnswer]
) -> list[ToolCallResult]:
    named = {call.call_id for call in calls if call.call_id}
    by_id = {answer.id: answer for answer in answers}
    # A call without an id was given one when it was recorded; the order is the same.
    unnamed = iter([answer for answer in answers if answer.id not in named])
    return [
        _result(call, by_id.get(call.call_id) if call.call_id else next(unnamed, None))
        for call in calls
    ]


def _result(call: ReadyCall, answer: SavedAnswer | None) -> ToolCallResult:
    if answer is not None and answer.content is not None:
        said, is_error = answer.content, answer.is_error
    else:
        why = _UNKNOWN if answer is None else answer.why_open
        said, is_error = call_text(call.name, call.call_id, why), True
    return ToolCallResult(
        tool_name=call.name, call_id=call.call_id, result=said, is_error=is_error
    )
