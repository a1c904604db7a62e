"""What is wrong in practice with how runs begin and end (AG-UI, 8 and 13).

Each check looks at one event and at what is known before it, and yields slips.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from aistream_nb.core.ordering.facts import APPROVAL_CALLS, ThreadFacts, slip
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.values import Event

__all__ = [
    "check_custom",
    "check_late_error",
    "check_outcome",
    "check_pending",
    "check_run_ids",
    "check_start",
]


def check_start(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """RUN_STARTED: version, thread, run id."""
    run_id, thread_id = event["runId"], event["threadId"]
    if "protocolVersion" not in event:
        yield slip(
            "run.version_missing",
            "RUN_STARTED came without protocolVersion",
            "protocolVersion '1.0'",
            run_id,
        )
    if facts.first_thread_id not in (None, thread_id):
        yield slip(
            "run.thread_changed",
            f"RUN_STARTED names the thread {thread_id!r}, and the stream began with "
            f"the thread {facts.first_thread_id!r}",
            "the same threadId in all runs of a stream",
            thread_id,
            facts.first_thread_id,
        )
    if run_id in facts.run_ids:
        yield slip(
            "run.id_reused",
            f"RUN_STARTED names the run {run_id!r}, which was started at event "
            f"{facts.run_ids[run_id]}",
            "a new runId for every run",
            run_id,
            caused_by=facts.run_ids[run_id],
        )


def check_run_ids(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """RUN_FINISHED names the run and the thread that RUN_STARTED named."""
    for field, begun, rule in (
        ("runId", facts.run.run_id, "run.id_mismatch"),
        ("threadId", facts.run.thread_id, "run.thread_mismatch"),
    ):
        if begun and event[field] != begun:
            yield slip(
                rule,
                f"RUN_FINISHED names {field} {event[field]!r}, and RUN_STARTED named "
                f"{begun!r}",
                f"{field} {begun!r}",
                event[field],
                begun,
                caused_by=facts.run.started_at,
            )


def check_pending(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """What a successful run says of the calls that it leaves to the client."""
    outcome = _outcome(event)
    if outcome["type"] != "success":
        return
    pending, said = facts.run.pending, outcome.get("pendingToolCallIds")
    if said is not None and set(said) != set(pending):
        yield slip(
            "run.pending_list_wrong",
            "pendingToolCallIds differs from the calls that were started in this run "
            "and not answered",
            f"the list of {_names(pending)}",
            *dict.fromkeys([*said, *pending]),
        )
    elif said is None and pending and "outcome" in event:
        yield slip(
            "run.pending_list_missing",
            f"RUN_FINISHED leaves {_names(pending)} unanswered and does not say so",
            "pendingToolCallIds in the outcome",
            *pending,
        )
    yield from _left_unanswered(facts, pending)


def _left_unanswered(facts: ThreadFacts, pending: list[str]) -> Iterator[Slip]:
    if facts.tools is None or facts.run.asked_at is not None:
        return
    nobody_s = [
        call
        for call in pending
        if (name := _call_name(facts, call)) is not None
        and name not in facts.tools
        and name not in APPROVAL_CALLS
    ]
    if nobody_s:
        yield slip(
            "tool.left_unanswered",
            f"RUN_FINISHED leaves {_names(nobody_s)} unanswered, and the client has "
            "no such tool",
            "TOOL_CALL_RESULT for it, or an interrupt if a person must decide",
            *nobody_s,
            opened_at=facts.run.calls[nobody_s[0]],
        )


def check_outcome(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """The outcome of RUN_FINISHED fits what the run did."""
    outcome = _outcome(event)
    check = {
        "success": _check_success,
        "interrupt": _check_interrupts,
        "cancelled": _check_cancelled,
    }[outcome["type"]]
    yield from check(facts, {**event, "outcome": outcome})


def _check_success(facts: ThreadFacts, _event: Event) -> Iterator[Slip]:
    uncovered = facts.uncovered()
    if facts.run.asked_at is not None or uncovered:
        waits = (
            f"{_names(uncovered)} still waits for a person"
            if uncovered
            else f"the run asked a person (event {facts.run.asked_at})"
        )
        yield slip(
            "interrupt.reported_success",
            f"RUN_FINISHED reports success, and {waits}",
            "outcome interrupt, or RUN_ERROR for a run that cannot go on",
            *uncovered,
            caused_by=facts.run.asked_at,
        )
    for interrupt_id in facts.resume:
        call = facts.interrupts.get(interrupt_id, {}).get("toolCallId")
        if isinstance(call, str) and not facts.reducer.results_of(call):
            yield slip(
                "interrupt.call_unanswered",
                f"RUN_FINISHED came, and call {call!r}, about which a person was "
                "asked, has no result",
                "TOOL_CALL_RESULT for the call, also when it was denied",
                call,
                interrupt_id,
            )


def _check_interrupts(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    interrupts = event["outcome"]["interrupts"]
    counts = Counter(interrupt["id"] for interrupt in interrupts)
    twice = [interrupt_id for interrupt_id, count in counts.items() if count > 1]
    if twice:
        yield slip(
            "interrupt.duplicate_id",
            f"two interrupts of one outcome have the id {_names(twice)}",
            "another id for each interrupt",
            *twice,
        )
    unnamed = [i["id"] for i in interrupts if "toolCallId" not in i]
    if unnamed and facts.run.pending:
        yield slip(
            "interrupt.call_not_named",
            f"the interrupt {_names(unnamed)} names no call, and the run leaves "
            f"{_names(facts.run.pending)} unanswered",
            "toolCallId in the interrupt",
            *unnamed,
        )


def _check_cancelled(_facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    if event.get("result") is not None:
        yield slip(
            "cancelled.with_result",
            "RUN_FINISHED reports cancelled and brings a result",
            "no result, or outcome success",
        )


def check_late_error(facts: ThreadFacts, _event: Event) -> Iterator[Slip]:
    """RUN_ERROR after RUN_FINISHED takes the success back."""
    if facts.reducer.ended == "finished":
        yield slip(
            "run.late_error_means_failed",
            "RUN_ERROR came after RUN_FINISHED: the run failed, whatever it reported",
            "treat the run as failed",
            facts.run.run_id,
        )


def check_custom(facts: ThreadFacts, event: Event) -> Iterator[Slip]:
    """CUSTOM: names of one's own, and people asked in one's own way."""
    name = event["name"]
    if ":" not in name and facts.first_time("custom.unprefixed", name):
        yield slip(
            "custom.unprefixed",
            f"the CUSTOM event {name!r} does not say whose it is",
            "a name such as 'acme:progress'",
            name,
        )


def _outcome(event: Event) -> Mapping[str, Any]:
    return event.get("outcome") or {"type": "success"}


def _call_name(facts: ThreadFacts, call_id: str) -> str | None:
    call = facts.reducer.find_call(call_id)
    return None if call is None else call["function"]["name"]


def _names(ids: list[str]) -> str:
    return ", ".join(repr(i) for i in ids) or "no calls"
