"""What is wrong in practice with messages and calls as they stream (AG-UI, 8).

Each check looks at one event and at what is known before it, and yields slips.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from aistream_nb.core.json_text import is_blank, parse_json
from aistream_nb.core.ordering.facts import (
    APPROVAL_CALLS,
    APPROVAL_EVENTS,
    ThreadFacts,
    slip,
)
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.values import Event

__all__ = [
    "check_approval",
    "check_arguments",
    "check_call",
    "check_collision",
    "check_owner",
    "check_repeated",
    "check_result",
    "check_text",
    "check_time",
]

_FIRST_PLAUSIBLE_TIME: Final = 100_000_000_000
"""In milliseconds the year 1973; a smaller time is in seconds, or no time."""
_TEXT_ROLES: Final = frozenset({"developer", "system", "assistant", "user"})


def check_text(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """TEXT_MESSAGE_START for a message that is there already."""
    message_id = event["messageId"]
    held = facts.reducer.find(message_id)
    if held is None or held.get("role") not in _TEXT_ROLES:
        return
    if facts.is_from_history("message", message_id):
        yield slip(
            "text.replayed_from_history",
            f"TEXT_MESSAGE_START came for {message_id!r}, which the client holds "
            "already; its text will stand there twice",
            "a new messageId, or MESSAGES_SNAPSHOT to restate the history",
            message_id,
        )
        return
    first = facts.openers.get(("message", message_id))
    if first is None:
        return
    for field, default in (("role", "assistant"), ("name", None)):
        if event.get(field, default) != first.get(field, default):
            yield slip(
                "text.reopen_disagrees",
                f"TEXT_MESSAGE_START opens {message_id!r} again with another {field}",
                f"the {field} of the first TEXT_MESSAGE_START, or a new messageId",
                message_id,
            )
            return


def check_collision(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """A message id that stands for something else already."""
    message_id = event["messageId"]
    held = facts.reducer.find(message_id)
    if held is None:
        return
    wanted = _ROLES_OF[event["type"]]
    role = held.get("role")
    if role in wanted:
        return
    if {role} | wanted <= _TEXT_ROLES | {"reasoning"}:
        yield slip(
            "message.kind_collision",
            f"{event['type']} came for {message_id!r}, which is a message of role "
            f"{role!r}: the text is appended there and never shown as its own",
            "another messageId for reasoning than for the answer",
            message_id,
        )
    elif event["type"] != "ACTIVITY_SNAPSHOT" or event.get("replace", True):
        yield slip(
            "message.id_reused",
            f"{event['type']} came for {message_id!r}, which is a message of role "
            f"{role!r}",
            "a messageId that nothing else in the thread has",
            message_id,
        )


_ROLES_OF: Final = {
    "TEXT_MESSAGE_START": _TEXT_ROLES,
    "REASONING_MESSAGE_START": frozenset({"reasoning"}),
    "ACTIVITY_SNAPSHOT": frozenset({"activity"}),
    "TOOL_CALL_RESULT": frozenset({"tool"}),
}


def check_call(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """TOOL_CALL_START for a call that is there already."""
    call_id = event["toolCallId"]
    if facts.is_from_history("call", call_id):
        yield slip(
            "tool.replayed_from_history",
            f"TOOL_CALL_START came for {call_id!r}, which the client holds already; "
            "its arguments will stand there twice",
            "only the result of the call, or MESSAGES_SNAPSHOT to restate the history",
            call_id,
        )
        return
    first = facts.openers.get(("call", call_id))
    if first is None:
        return
    for field in ("toolCallName", "parentMessageId"):
        if event.get(field) not in (None, first.get(field)):
            yield slip(
                "tool.reopen_disagrees",
                f"TOOL_CALL_START opens {call_id!r} again with another {field}",
                f"the {field} of the first TOOL_CALL_START, or a new toolCallId",
                call_id,
                caused_by=facts.run.calls.get(call_id),
            )
            return


def check_approval(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """A person is asked by a call or a CUSTOM event, not by the outcome."""
    name = event.get("toolCallName", event.get("name"))
    known = APPROVAL_CALLS if event["type"] == "TOOL_CALL_START" else APPROVAL_EVENTS
    if name in known and facts.first_time("interrupt.own_convention", name):
        yield slip(
            "interrupt.own_convention",
            f"{event['type']} {name!r} asks a person in this server's own way",
            "the interrupt in the outcome of RUN_FINISHED alone",
            event.get("toolCallId"),
        )


def check_arguments(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """At TOOL_CALL_END the arguments are one JSON document."""
    call_id = event["toolCallId"]
    text = "".join(facts.run.arguments.get(call_id, ()))
    done = facts.run.ended_calls | facts.run.spoiled_calls
    if is_blank(text) or call_id in done:
        return
    try:
        parse_json(text)
    except ValueError:
        yield slip(
            "tool.args_not_json",
            f"TOOL_CALL_END came for {call_id!r}, and its arguments are no JSON",
            "argument fragments that together are one JSON document",
            call_id,
            opened_at=facts.run.calls.get(call_id),
        )


def check_result(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """TOOL_CALL_RESULT: which call it answers, and under which id."""
    call_id = event["toolCallId"]
    call = facts.reducer.find_call(call_id)
    if call is None:
        yield slip(
            "tool.result_without_call",
            f"TOOL_CALL_RESULT came for call {call_id!r}, which nobody made",
            "the toolCallId of a call in this run or in the history",
            call_id,
        )
        return
    if facts.tools is not None and call["function"]["name"] in facts.tools:
        yield slip(
            "tool.frontend_answered",
            f"TOOL_CALL_RESULT came for {call_id!r}, a call of a tool that is the "
            "client's to run",
            "no result: the client runs the tool and answers in the next run",
            call_id,
        )
        return
    yield from _check_result_order(facts, event)


def _check_result_order(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    call_id, message_id = event["toolCallId"], event["messageId"]
    if facts.reducer.results_of(call_id):
        yield slip(
            "tool.duplicate_result",
            f"TOOL_CALL_RESULT came for {call_id!r}, which has a result already",
            "one result for each call",
            call_id,
            caused_by=facts.run.answered.get(call_id),
        )
    elif call_id in facts.run.calls and call_id not in facts.run.ended_calls:
        yield slip(
            "tool.result_before_end",
            f"TOOL_CALL_RESULT came for {call_id!r}, whose arguments are not complete",
            "TOOL_CALL_END for the call first",
            call_id,
            opened_at=facts.run.calls[call_id],
        )
    if message_id == call_id and facts.reducer.find(message_id) is None:
        yield slip(
            "tool.result_id_is_call_id",
            f"TOOL_CALL_RESULT has the id of its call, {call_id!r}, as its messageId",
            "a messageId of its own, which later snapshots repeat",
            call_id,
        )
    yield from _check_answered(facts, call_id)


def _check_answered(facts: ThreadFacts, call_id: str) -> Iterator[Slip]:
    """In a resumed run the call that was decided is the one that is answered."""
    decided = {
        call
        for interrupt_id in facts.resume
        if (call := facts.interrupts.get(interrupt_id, {}).get("toolCallId"))
    }
    if decided and call_id not in decided and call_id in facts.old_calls:
        yield slip(
            "interrupt.answered_other_call",
            f"TOOL_CALL_RESULT came for {call_id!r}, about which nobody decided",
            "the result of the call that the resume entry is about",
            call_id,
        )


def check_repeated(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """A whole message that says what an earlier one said."""
    held = facts.reducer.find(event["messageId"])
    text = held.get("content") if held else None
    if held is None or not isinstance(text, str) or is_blank(text):
        return
    first = facts.said.setdefault((held["role"], text), event["messageId"])
    if first != event["messageId"]:
        yield slip(
            "message.repeated",
            f"message {event['messageId']!r} says the same as {first!r}",
            "each text once",
            event["messageId"],
            first,
        )


def check_owner(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """A subagent is announced before anything is attributed to it."""
    owner = event.get("subagentRunId")
    if owner is None or event["type"].startswith("SUBAGENT_"):
        return
    unknown = owner not in facts.run.announced
    if unknown and facts.first_time("unannounced", facts.run.run_id, owner):
        yield slip(
            "subagent.unannounced",
            f"{event['type']} is tagged {owner!r}, a subagent that was not announced",
            f"SUBAGENT_STARTED for {owner!r} first",
            owner,
        )


def check_time(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """Times are milliseconds."""
    time = event.get("timestamp")
    seconds = time is not None and 0 < time < _FIRST_PLAUSIBLE_TIME
    if seconds and facts.first_time("event.timestamp_unit"):
        yield slip(
            "event.timestamp_unit",
            f"the timestamp of {event['type']} is too small for milliseconds",
            "milliseconds since 1970",
        )
