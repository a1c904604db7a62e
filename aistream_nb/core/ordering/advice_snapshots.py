"""What is wrong in practice with state, snapshots and sealed values (AG-UI, 8 and 10).

Each check looks at one event and at what is known before it, and yields slips.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aistream_nb.core.json_patch import parse_pointer
from aistream_nb.core.json_text import is_blank
from aistream_nb.core.ordering.facts import ThreadFacts, slip
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.values import Event

__all__ = [
    "check_activity_target",
    "check_moves",
    "check_sealed",
    "check_snapshot_arguments",
    "check_snapshot_ids",
]


def check_moves(_facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """A patch moves nothing into itself."""
    for operation in event.get("delta", event.get("patch", ())):
        if operation["op"] != "move":
            continue
        source, target = (
            parse_pointer(operation["from"]),
            parse_pointer(operation["path"]),
        )
        if len(source) < len(target) and target[: len(source)] == source:
            yield slip(
                "patch.move_into_self",
                f"{event['type']} moves a value into itself; the official client "
                "builds a state that holds itself",
                "'copy' to another place, then 'remove'",
                event.get("messageId"),
            )
            return


def check_activity_target(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """ACTIVITY_DELTA changes an activity that was shown."""
    if facts.reducer.find(event["messageId"]) is None:
        yield slip(
            "activity.delta_no_baseline",
            f"ACTIVITY_DELTA came for {event['messageId']!r}, which was never shown",
            "ACTIVITY_SNAPSHOT for it first",
            event["messageId"],
        )


def check_sealed(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """REASONING_ENCRYPTED_VALUE belongs to a message or a call that is there."""
    entity = event["entityId"]
    is_call = event["subtype"] == "tool-call"
    found = facts.reducer.find_call(entity) if is_call else facts.reducer.find(entity)
    if found is None:
        yield slip(
            "reasoning.encrypted_unknown",
            f"REASONING_ENCRYPTED_VALUE came for {entity!r}, which nobody has seen; "
            "the value is lost",
            "the id of a message or a call; a span alone is none",
            entity,
        )


def check_snapshot_arguments(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """The arguments of a call were streamed, not only restated."""
    hidden = [
        call["id"]
        for message in event["messages"]
        for call in message.get("toolCalls", ())
        if call["id"] in facts.run.arguments
        and is_blank("".join(facts.run.arguments[call["id"]]))
        and call["function"]["arguments"].strip() not in ("", "{}")
        and facts.first_time("args_only_in_snapshot", call["id"])
    ]
    if hidden:
        yield slip(
            "tool.args_only_in_snapshot",
            f"MESSAGES_SNAPSHOT shows arguments of {_names(hidden)} that were never "
            "streamed",
            "TOOL_CALL_ARGS between START and END of the call",
            *hidden,
        )


def check_snapshot_ids(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """A snapshot keeps the ids under which messages were streamed."""
    snapshot: list[Mapping[str, Any]] = event["messages"]
    named = {message["id"] for message in snapshot}
    new = [m for m in snapshot if facts.reducer.find(m["id"]) is None]
    renamed = [
        message_id
        for message_id in facts.run.streamed
        if message_id not in named
        and (held := facts.reducer.find(message_id)) is not None
        and any(_says_the_same(held, message) for message in new)
    ]
    if renamed:
        yield slip(
            "snapshot.rekeyed_message",
            f"MESSAGES_SNAPSHOT holds what was streamed as {_names(renamed)} under "
            "other ids; the messages change their places",
            "the streamed ids in the snapshot",
            *renamed,
            caused_by=facts.run.streamed[renamed[0]],
        )


def _says_the_same(held: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two messages of different ids are one message."""
    if held.get("role") != other.get("role"):
        return False
    if held.get("role") == "tool":
        return held.get("toolCallId") == other.get("toolCallId")
    calls = {call["id"] for call in held.get("toolCalls", ())}
    if calls & {call["id"] for call in other.get("toolCalls", ())}:
        return True
    said = held.get("content")
    return bool(said) and said == other.get("content")


def _names(ids: list[str]) -> str:
    return ", ".join(repr(i) for i in ids)
