"""The AG-UI cases' door into the project."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aistream_nb.core import json_patch
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules import Profile
from aistream_nb.core.ordering.verifier import OrderingVerifier, Violation
from aistream_nb.core.thread.reducer import ThreadReducer
from aistream_nb.core.wire.frames import AGUIFrames, check_answer
from aistream_nb.core.wire.reader import EventReader

__all__ = ["apply_events", "apply_patch", "check_order", "read_sse"]

_SEVERITIES = ({"fatal", "error"}, {"warning"})


def check_order(case: Mapping[str, Any], profile: Profile = "client") -> dict[str, Any]:
    """The verdict on a case: the worst violation that comes first."""
    report = check_ordering(
        case["events"],
        profile=profile,
        run_input=case.get("input"),
        interrupts=case.get("pending") or (),
    )
    worst = _worst(report.violations)
    return {
        "ok": report.ok,
        "failing_index": None if report.ok or worst is None else worst.index,
        "rule": worst and worst.rule,
        "violations": [
            {"rule": v.rule, "index": v.index, "level": v.level}
            for v in report.violations
        ],
    }


def _worst(violations: Iterable[Violation]) -> Violation | None:
    found = list(violations)
    for levels in _SEVERITIES:
        for violation in found:
            if violation.level in levels:
                return violation
    return None


def apply_events(case: Mapping[str, Any]) -> dict[str, Any]:
    """Messages, state and what is left to do, as far as the official client reads."""
    given = case.get("input") or {}
    reducer = ThreadReducer(
        messages=given.get("messages") or (),
        state=given.get("state"),
        interrupts=case.get("pending") or (),
    )
    for event in _read(case):
        reducer.receive(event)
    return _renumbered(
        {
            "messages": reducer.messages,
            "state": reducer.state,
            "outcome": reducer.outcome,
            "pending_tool_call_ids": reducer.pending_tool_call_ids or [],
            "pending_interrupts": [i["id"] for i in reducer.pending_interrupts],
            "ended": reducer.ended,
            "run_error": reducer.run_error,
        }
    )


def _read(case: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The explicit events before the first that the client refuses."""
    numbers = itertools.count()
    reader = EventReader(new_id=lambda: f"<minted{next(numbers)}>")
    verifier = OrderingVerifier(
        profile="client",
        run_input=case.get("input"),
        interrupts=case.get("pending") or (),
    )
    if verifier.opening:
        return
    for event in case["events"]:
        if verifier.receive(event):
            return
        yield from reader.receive(event).events


def _renumbered(value: Any) -> Any:
    """Minted ids as the cases have them: ``<uuid1>`` for the first that is seen."""
    names: dict[str, str] = {}

    def renamed(part: Any) -> Any:
        if isinstance(part, str) and part.startswith("<minted"):
            return names.setdefault(part, f"<uuid{len(names) + 1}>")
        if isinstance(part, list):
            return [renamed(item) for item in part]
        if isinstance(part, dict):
            return {key: renamed(item) for key, item in part.items()}
        return part

    return renamed(value)


def apply_patch(document: Any, patch: list[Any]) -> dict[str, Any]:
    """The document after the patch, and whether the patch failed."""
    try:
        return {"state": json_patch.apply_patch(document, patch), "failed": False}
    except json_patch.PatchError:
        return {"state": document, "failed": True}


def read_sse(
    body: bytes,
    splits: list[int] | None = None,
    *,
    status: int = 200,
    content_type: str | None = None,
    skip_done: bool = False,
) -> dict[str, Any]:
    """What is delivered of a body, cut at ``splits``, until the client refuses it."""
    found = check_answer(status=status, content_type=content_type)
    warnings = [one.rule for one in found if one.rule.startswith("transport.")]
    if len(warnings) < len(found):
        return {"ok": False, "rule": found[0].rule, "delivered": [], "messages": []}
    events: list[Mapping[str, Any]] = []
    rule: str | None = None
    for frame in _frames(body, splits):
        if frame.is_done and skip_done:
            continue
        rules = [fault.rule for fault in frame.faults]
        warnings += [one for one in rules if one.startswith("transport.")]
        rule = next((one for one in rules if one not in warnings), None)
        if rule is not None:
            break
        if frame.event is not None:
            events.append(frame.event)
    verdict = check_order({"events": events})
    good = events if verdict["ok"] else events[: verdict["failing_index"]]
    return {
        "ok": verdict["ok"] and rule is None,
        "rule": verdict["rule"] or rule,
        "delivered": [event["type"] for event in good],
        "messages": apply_events({"events": events})["messages"],
        "warnings": warnings,
    }


def _frames(body: bytes, splits: list[int] | None) -> Iterator[Any]:
    frames = AGUIFrames()
    cuts = [0, *(splits or ()), len(body)]
    for start, end in itertools.pairwise(cuts):
        yield from frames.receive(body[start:end])
    yield from frames.close()
