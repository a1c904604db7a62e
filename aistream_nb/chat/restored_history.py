"""What a provider is told of a saved conversation, when it is to go on.

Where the recording holds the provider's own rounds, the history is what it was, to the
signature. Where it does not (another provider, a server, bare events), it is told in
the provider's words from what the messages say; thinking stays behind then, because
nobody takes back what another one signed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aistream_nb.chat.open_items import OpenItems
from aistream_nb.chat.run_log import SavedCall, SavedRound, text_of
from aistream_nb.chat.saved import SavedConversation, SavedTurn
from aistream_nb.core.values import Event, is_mapping
from aistream_nb.providers.continuation import call_text
from aistream_nb.providers.history import ToldCall, assistant_entry, call_entries
from aistream_nb.providers.registry import ProviderRecord
from aistream_nb.providers.saved_round import SavedAnswer, round_entries

__all__ = ["closing_events", "entries_of", "turn_entries"]


def turn_entries(
    saved: SavedConversation,
    turn: SavedTurn,
    record: ProviderRecord,
    *,
    origin: str,
    tail: Sequence[Any],
) -> tuple[Any, ...]:
    """What the answer to one question adds to a provider's history.

    Args:
        saved: The conversation.
        turn: The question and its answer.
        record: The provider that is to go on.
        origin: Who that is; only its own rounds are taken as they are.
        tail: The history behind the first message, up to the question.
    """
    if not turn.rounds or any(one.origin != origin for one in turn.rounds):
        return tuple(_told(turn.messages, saved.calls, record))
    entries: tuple[Any, ...] = ()
    for one in turn.rounds:
        entries += entries_of(one, record, tail=(*tail, *entries))
    return entries


def entries_of(
    one: SavedRound, record: ProviderRecord, *, tail: Sequence[Any]
) -> tuple[Any, ...]:
    """What one round adds to a provider's history, as far as it came."""
    answers = [
        SavedAnswer(
            id=call.id,
            content=call.content,
            is_error=call.is_error,
            why_open=call.why_open,
        )
        for call in one.calls
    ]
    return round_entries(record, one.body, answers=answers, tail=tail)


def _told(
    messages: Iterable[Mapping[str, Any]],
    calls: Mapping[str, SavedCall],
    record: ProviderRecord,
) -> Iterable[Any]:
    for message in messages:
        if message.get("role") != "assistant":
            continue
        text = text_of(message.get("content"))
        made = [_told_call(calls[one["id"]]) for one in message.get("toolCalls") or ()]
        if made:
            yield from call_entries(record.wire, text, made)
        elif text.strip():
            yield assistant_entry(record.wire, text)


def _told_call(call: SavedCall) -> ToldCall:
    is_open = call.content is None
    answer = call_text(call.name, call.id, call.why_open) if is_open else call.content
    return ToldCall(
        id=call.id,
        name=call.name,
        arguments=call.arguments,
        answer=answer or "",
        is_error=is_open or call.is_error,
    )


def closing_events(run: Sequence[Event]) -> tuple[Event, ...]:
    """What ends a run of a provider that a crash tore, as if it had been stopped."""
    items, usage = OpenItems(), list[Any]()
    for event in run:
        items.note(event)
        value = event.get("value")
        if event.get("name") == "aistream:round" and is_mapping(value):
            usage += [value["usage"]] if "usage" in value else []
    closing = items.close()
    calls = [one for one in reversed(closing) if one["type"] == "TOOL_CALL_END"]
    prose = [one for one in closing if one["type"] != "TOOL_CALL_END"]
    ids = {name: run[0].get(name) for name in ("threadId", "runId")}
    finished = {"type": "RUN_FINISHED", **ids, "outcome": {"type": "cancelled"}}
    counted = {"usage": usage} if usage else {}
    return (*prose, *calls, {**finished, **counted})
