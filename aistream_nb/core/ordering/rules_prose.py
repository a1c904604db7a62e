"""The rules that only the specification's prose has (AG-UI, 8)."""

from __future__ import annotations

from typing import Any, Final

from aistream_nb.core.ordering.rules import (
    STARTED,
    Example,
    Level,
    Profile,
    Rule,
    event,
    run,
)
from aistream_nb.core.values import Event

__all__ = ["PROSE_RULES"]

_FINISHED: Final = event("RUN_FINISHED", threadId="t1", runId="r1")
_TEXT: Final = (
    event("TEXT_MESSAGE_START", messageId="m1"),
    event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="Hi"),
    event("TEXT_MESSAGE_END", messageId="m1"),
)
_CALL: Final = (
    event("TOOL_CALL_START", toolCallId="c1", toolCallName="look"),
    event("TOOL_CALL_ARGS", toolCallId="c1", delta="{}"),
    event("TOOL_CALL_END", toolCallId="c1"),
)
_RESULT: Final = event(
    "TOOL_CALL_RESULT", messageId="t1", toolCallId="c1", content="ok"
)
_ACTIVITY: Final = event(
    "ACTIVITY_SNAPSHOT", messageId="a1", activityType="search", content={}
)
_FOUND: Final = event(
    "ACTIVITY_DELTA",
    messageId="a1",
    activityType="search",
    patch=[{"op": "add", "path": "/found", "value": 3}],
)
_STATE: Final = event("STATE_SNAPSHOT", snapshot={"a": {"b": 1}})
_AGENT: Final = event("SUBAGENT_STARTED", subagentRunId="g1", name="helper")
_AGENT_END: Final = event("SUBAGENT_FINISHED", subagentRunId="g1")
_CHUNK: Final = event("TEXT_MESSAGE_CHUNK", messageId="m1", delta="Hi")
_ASKED: Final = event("CUSTOM", name="on_interrupt", value={})
_ANSWERED: Final = (*_CALL, _RESULT)


def _with(base: Event, **fields: object) -> Event:
    return {**base, **fields}


def _events(*events: Event, **finish: Any) -> Example:
    return Example(events=run(*events, **finish))


def _rule(  # noqa: PLR0913  # a row of a table
    rule_id: str,
    meaning: str,
    fix: str,
    breaks: Example,
    keeps: Example,
    *,
    level: Level = "error",
    shown_from: Profile | None = None,
) -> Rule:
    return Rule(
        id=rule_id,
        level=level,
        meaning=meaning,
        fix=fix,
        breaks=breaks,
        keeps=keeps,
        shown_from=shown_from,
    )


def _two(**second: object) -> Example:
    """Two runs, one after the other."""
    again = {"threadId": "t1", "runId": "r2", **second}
    return Example(
        events=(*run(), _with(STARTED, **again), _with(_FINISHED, **again)),
    )


def _interrupt(*ids: str) -> dict[str, Any]:
    return {
        "type": "interrupt",
        "interrupts": [{"id": i, "reason": "confirmation"} for i in ids],
    }


def _pending(*ids: str) -> dict[str, Any]:
    return {"type": "success", "pendingToolCallIds": list(ids)}


def _moved(source: str, target: str) -> Example:
    patch = [{"op": "move", "from": source, "path": target}]
    return _events(_STATE, event("STATE_DELTA", delta=patch))


PROSE_RULES: Final = (
    _rule(
        "stream.truncated",
        "A stream ends after its run has ended, and holds at least one run.",
        "End every run with RUN_FINISHED or RUN_ERROR, also when the process fails.",
        Example(events=(STARTED, *_TEXT)),
        _events(*_TEXT),
    ),
    _rule(
        "run.id_mismatch",
        "RUN_FINISHED names the run that RUN_STARTED named.",
        "Repeat the runId of RUN_STARTED.",
        Example(events=(STARTED, _with(_FINISHED, runId="r2"))),
        _events(),
    ),
    _rule(
        "run.thread_mismatch",
        "RUN_FINISHED names the thread that RUN_STARTED named.",
        "Repeat the threadId of RUN_STARTED.",
        Example(events=(STARTED, _with(_FINISHED, threadId="t2"))),
        _events(),
    ),
    _rule(
        "run.thread_changed",
        "All runs of one stream belong to one thread.",
        "Use one stream for each thread.",
        _two(threadId="t2"),
        _two(),
    ),
    _rule(
        "run.id_reused",
        "A runId stands for one run.",
        "Make a new runId for every run.",
        _two(runId="r1"),
        _two(),
    ),
    _rule(
        "run.late_error_means_failed",
        "A run with a late RUN_ERROR failed, whatever it had reported.",
        "Readers: show the run as failed. Producers: finish last of all.",
        Example(events=(*run(), event("RUN_ERROR", message="flush failed"))),
        _events(),
        level="warning",
        shown_from="spec",
    ),
    _rule(
        "run.pending_list_wrong",
        "pendingToolCallIds are the calls that were started and not answered.",
        "List exactly the calls that wait for the client.",
        _events(*_ANSWERED, outcome=_pending("c1")),
        _events(*_CALL, outcome=_pending("c1")),
    ),
    _rule(
        "interrupt.duplicate_id",
        "The interrupts of one outcome have different ids.",
        "Make a new id for every interrupt.",
        _events(outcome=_interrupt("i1", "i1")),
        _events(outcome=_interrupt("i1", "i2")),
    ),
    _rule(
        "interrupt.reported_success",
        "A run that waits for a person does not end with success.",
        "End it with outcome interrupt.",
        _events(_ASKED),
        _events(_ASKED, outcome=_interrupt("i1")),
    ),
    _rule(
        "cancelled.with_result",
        "A cancelled run has no result.",
        "Leave the result out, or report success.",
        _events(outcome={"type": "cancelled"}, result=1),
        _events(outcome={"type": "cancelled"}),
        level="warning",
    ),
    _rule(
        "text.reopen_disagrees",
        "A message that is started again keeps its role and its name.",
        "Repeat role and name, or use a new messageId.",
        _events(*_TEXT, _with(_TEXT[0], role="user"), *_TEXT[1:]),
        _events(*_TEXT, _with(_TEXT[0], role="assistant"), *_TEXT[1:]),
    ),
    _rule(
        "tool.reopen_disagrees",
        "A call that is started again keeps its name and its parent.",
        "Repeat them, or use a new toolCallId.",
        _events(*_CALL[::2], _with(_CALL[0], toolCallName="see"), *_CALL[1:]),
        _events(*_CALL[::2], *_CALL),
    ),
    _rule(
        "tool.frontend_answered",
        "The result of a client's tool comes from the client.",
        "Leave the call unanswered and end the run; the next run brings the result.",
        Example(
            events=run(*_ANSWERED),
            run_input={"tools": [{"name": "look", "description": "Look"}]},
        ),
        Example(events=run(*_ANSWERED), run_input={"tools": []}),
    ),
    _rule(
        "activity.delta_no_baseline",
        "ACTIVITY_DELTA changes an activity that a snapshot has shown.",
        "Send ACTIVITY_SNAPSHOT first.",
        _events(_FOUND),
        _events(_ACTIVITY, _FOUND),
    ),
    _rule(
        "reasoning.encrypted_unknown",
        "An encrypted value belongs to a message or call that was seen.",
        "Open the reasoning message before its value; an empty one will do.",
        _events(
            event(
                "REASONING_ENCRYPTED_VALUE",
                subtype="message",
                entityId="s1",
                encryptedValue="x",
            )
        ),
        _events(
            *_TEXT,
            event(
                "REASONING_ENCRYPTED_VALUE",
                subtype="message",
                entityId="m1",
                encryptedValue="x",
            ),
        ),
    ),
    _rule(
        "mixed.chunk_explicit",
        "One message or call comes in chunks, or in explicit events, not in both.",
        "Choose one form for each item.",
        _events(_CHUNK, event("CUSTOM", name="acme:x", value=1), *_TEXT),
        _events(_CHUNK, _CHUNK),
    ),
    _rule(
        "message.id_reused",
        "A messageId stands for one thing in a thread.",
        "Make a new messageId for every message, result and activity.",
        _events(*_TEXT, _with(_ACTIVITY, messageId="m1")),
        _events(*_TEXT, _ACTIVITY),
    ),
    _rule(
        "patch.move_into_self",
        "A patch moves no value into itself.",
        "Copy the value to another place, then remove it.",
        _moved("/a", "/a/b"),
        _moved("/a/b", "/c"),
    ),
    _rule(
        "subagent.unannounced",
        "A subagent is announced before anything is attributed to it.",
        "Send SUBAGENT_STARTED first.",
        _events(_with(_TEXT[0], subagentRunId="g1"), *_TEXT[1:]),
        _events(_AGENT, _with(_TEXT[0], subagentRunId="g1"), *_TEXT[1:], _AGENT_END),
        level="warning",
    ),
)
