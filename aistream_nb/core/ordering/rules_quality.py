"""The rules that no specification has and that every reported bug needs (AG-UI, 8)."""

from __future__ import annotations

from typing import Any, Final

from aistream_nb.core.ordering.rules import Example, Level, Rule, event, run
from aistream_nb.core.values import Event

__all__ = ["QUALITY_RULES"]

_TEXT: Final = (
    event("TEXT_MESSAGE_START", messageId="m1"),
    event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="Hi"),
    event("TEXT_MESSAGE_END", messageId="m1"),
)
_THOUGHT: Final = (
    event("REASONING_MESSAGE_START", messageId="m1", role="reasoning"),
    event("REASONING_MESSAGE_CONTENT", messageId="m1", delta="Hm"),
    event("REASONING_MESSAGE_END", messageId="m1"),
)
_CALL: Final = (
    event("TOOL_CALL_START", toolCallId="c1", toolCallName="look"),
    event("TOOL_CALL_ARGS", toolCallId="c1", delta='{"at": "sky"}'),
    event("TOOL_CALL_END", toolCallId="c1"),
)
_BARE_CALL: Final = _CALL[::2]
_RESULT: Final = event(
    "TOOL_CALL_RESULT", messageId="t1", toolCallId="c1", content="ok"
)
_ANSWERED: Final = (*_CALL, _RESULT)
_ACTIVITY: Final = event(
    "ACTIVITY_SNAPSHOT", messageId="a1", activityType="search", content={}
)


def _with(base: Event, **fields: object) -> Event:
    return {**base, **fields}


def _events(*events: Event, **finish: Any) -> Example:
    return Example(events=run(*events, **finish))


def _asked(*events: Event, **run_input: Any) -> Example:
    return Example(events=run(*events), run_input=run_input)


def _rule(
    rule_id: str, level: Level, meaning: str, fix: str, *examples: Example
) -> Rule:
    breaks, keeps = examples
    return Rule(
        id=rule_id, level=level, meaning=meaning, fix=fix, breaks=breaks, keeps=keeps
    )


def _holder(message_id: str = "c1") -> dict[str, Any]:
    function = {"name": "look", "arguments": '{"at": "sky"}'}
    call = {"id": "c1", "type": "function", "function": function}
    return {"id": message_id, "role": "assistant", "toolCalls": [call]}


def _snapshot(*messages: dict[str, Any]) -> Event:
    return event("MESSAGES_SNAPSHOT", messages=list(messages))


def _said(message_id: str) -> dict[str, Any]:
    return {"id": message_id, "role": "assistant", "content": "Hi"}


def _patched(path: str) -> Event:
    return event("STATE_DELTA", delta=[{"op": "add", "path": path, "value": 1}])


def _activity_patched(path: str) -> Event:
    return event(
        "ACTIVITY_DELTA",
        messageId="a1",
        activityType="search",
        patch=[{"op": "add", "path": path, "value": 1}],
    )


def _interrupted(**fields: Any) -> dict[str, Any]:
    interrupt = {"id": "i1", "reason": "tool_call", **fields}
    return {"type": "interrupt", "interrupts": [interrupt]}


def _resumed(*results: Event) -> Example:
    """A run that answers what was decided about c1; nobody was asked about c2."""
    calls = [{**_holder()["toolCalls"][0], "id": i} for i in ("c1", "c2")]
    return Example(
        events=run(*results, outcome=_interrupted(id="i2", toolCallId="c2")),
        run_input={
            "messages": [{"id": "m0", "role": "assistant", "toolCalls": calls}],
            "resume": [{"interruptId": "i1", "status": "resolved"}],
        },
        interrupts=({"id": "i1", "reason": "tool_call", "toolCallId": "c1"},),
    )


def _decided(*results: Event) -> Example:
    return Example(
        events=run(*results),
        run_input={
            "messages": [_holder()],
            "resume": [{"interruptId": "i1", "status": "resolved"}],
        },
        interrupts=({"id": "i1", "reason": "tool_call", "toolCallId": "c1"},),
    )


QUALITY_RULES: Final = (
    _rule(
        "tool.args_not_json",
        "warning",
        "At TOOL_CALL_END the arguments of the call are JSON.",
        "Send every fragment, to its own call, and nothing twice.",
        _events(_CALL[0], _with(_CALL[1], delta='{"at":'), _CALL[2]),
        _events(*_CALL),
    ),
    _rule(
        "tool.args_only_in_snapshot",
        "warning",
        "Arguments are streamed before a snapshot shows them.",
        "Send TOOL_CALL_ARGS between START and END.",
        _events(*_BARE_CALL, _snapshot(_holder())),
        _events(*_CALL, _snapshot(_holder())),
    ),
    _rule(
        "tool.replayed_from_history",
        "warning",
        "A call that the client holds is not streamed again.",
        "Send only its result; restate the history by MESSAGES_SNAPSHOT.",
        _asked(*_CALL, messages=[_holder()]),
        _asked(_RESULT, messages=[_holder()]),
    ),
    _rule(
        "text.replayed_from_history",
        "warning",
        "A message that the client holds is not streamed again.",
        "Use a new messageId; restate the history by MESSAGES_SNAPSHOT.",
        _asked(*_TEXT, messages=[_said("m1")]),
        _asked(*_TEXT, messages=[_said("m0")]),
    ),
    _rule(
        "tool.duplicate_result",
        "warning",
        "A call has one result.",
        "Send TOOL_CALL_RESULT once for each call.",
        _events(*_ANSWERED, _with(_RESULT, messageId="t2")),
        _events(*_ANSWERED),
    ),
    _rule(
        "tool.result_without_call",
        "warning",
        "A result answers a call of this run or of the history.",
        "Use the toolCallId of the call; send the call first.",
        _events(_RESULT),
        _events(*_ANSWERED),
    ),
    _rule(
        "tool.result_before_end",
        "info",
        "A result comes after its call's arguments are complete.",
        "Send TOOL_CALL_END before the call is executed.",
        _events(_CALL[0], _RESULT, *_CALL[1:]),
        _events(*_ANSWERED),
    ),
    _rule(
        "tool.result_id_is_call_id",
        "info",
        "A result has a messageId of its own.",
        "Make an id for the tool message, and keep it in snapshots.",
        Example(
            events=run(
                *_TEXT,
                _with(_CALL[0], parentMessageId="m1"),
                *_CALL[1:],
                _with(_RESULT, messageId="c1"),
            )
        ),
        _events(*_ANSWERED),
    ),
    _rule(
        "tool.left_unanswered",
        "warning",
        "A successful run answers every call of a tool that the client lacks.",
        "Send TOOL_CALL_RESULT for executed calls; ask a person by an interrupt.",
        _asked(*_CALL, tools=[]),
        _asked(*_ANSWERED, tools=[]),
    ),
    _rule(
        "tool.parent_not_assistant",
        "warning",
        "The parent of a call is an assistant message.",
        "Name the assistant message, or leave parentMessageId out.",
        _events(
            _with(_TEXT[0], role="user"),
            *_TEXT[1:],
            _with(_CALL[0], parentMessageId="m1"),
            *_CALL[1:],
        ),
        _events(*_TEXT, _with(_CALL[0], parentMessageId="m1"), *_CALL[1:]),
    ),
    _rule(
        "snapshot.rekeyed_message",
        "warning",
        "A snapshot keeps the ids under which messages were streamed.",
        "Store the streamed ids, and repeat them in the snapshot.",
        _events(*_TEXT, _snapshot(_said("m9"))),
        _events(*_TEXT, _snapshot(_said("m1"))),
    ),
    _rule(
        "message.kind_collision",
        "warning",
        "Reasoning and answer have different messageIds.",
        "Make a new messageId for the answer.",
        _events(*_THOUGHT, *_TEXT),
        _events(*_THOUGHT),
    ),
    _rule(
        "message.repeated",
        "info",
        "A text is said once.",
        "Send each text under one messageId, once.",
        _events(*_TEXT, *(_with(e, messageId="m2") for e in _TEXT)),
        _events(*_TEXT),
    ),
    _rule(
        "state.patch_failed",
        "warning",
        "A patch applies to the state as it is.",
        "Send STATE_SNAPSHOT first, and create what a path leads through.",
        _events(_patched("/todo/0")),
        _events(_patched("/todo")),
    ),
    _rule(
        "activity.patch_failed",
        "warning",
        "A patch applies to the activity as it is.",
        "Send ACTIVITY_SNAPSHOT with what the path leads through.",
        _events(_ACTIVITY, _activity_patched("/found/0")),
        _events(_ACTIVITY, _activity_patched("/found")),
    ),
    _rule(
        "activity.wrong_role",
        "warning",
        "ACTIVITY_DELTA names an activity.",
        "Use the messageId of the ACTIVITY_SNAPSHOT.",
        _events(*_TEXT, _with(_activity_patched("/found"), messageId="m1")),
        _events(_ACTIVITY, _activity_patched("/found")),
    ),
    _rule(
        "interrupt.answered_other_call",
        "warning",
        "A resumed run executes the call that was decided, and no other.",
        "Match each resume entry to its interrupt by id.",
        _resumed(_with(_RESULT, toolCallId="c2")),
        _resumed(_RESULT),
    ),
    _rule(
        "interrupt.call_unanswered",
        "warning",
        "A call about which a person decided gets a result, also when denied.",
        "Send TOOL_CALL_RESULT that says that the call was denied or cancelled.",
        _decided(),
        _decided(_RESULT),
    ),
    _rule(
        "interrupt.call_not_named",
        "info",
        "An interrupt about a call names it.",
        "Set toolCallId in the interrupt.",
        _events(*_CALL, outcome=_interrupted()),
        _events(*_CALL, outcome=_interrupted(toolCallId="c1")),
    ),
    _rule(
        "interrupt.own_convention",
        "info",
        "A person is asked by the outcome of the run.",
        "End the run with outcome interrupt, without pseudo calls and CUSTOM events.",
        _events(
            event("TOOL_CALL_START", toolCallId="c1", toolCallName="confirm_changes"),
            _CALL[2],
            outcome=_interrupted(toolCallId="c1"),
        ),
        _events(*_CALL),
    ),
    _rule(
        "run.version_missing",
        "info",
        "RUN_STARTED says which version of the protocol it speaks.",
        "Send protocolVersion '1.0'.",
        Example(events=(event("RUN_STARTED", threadId="t1", runId="r1"), run()[-1])),
        _events(),
    ),
    _rule(
        "run.pending_list_missing",
        "info",
        "An outcome says which calls it leaves to the client.",
        "Send pendingToolCallIds.",
        _events(*_CALL, outcome={"type": "success"}),
        _events(*_CALL, outcome={"type": "success", "pendingToolCallIds": ["c1"]}),
    ),
    _rule(
        "custom.unprefixed",
        "info",
        "The name of a CUSTOM event says whose it is.",
        "Name it '<who>:<what>'.",
        _events(event("CUSTOM", name="ping", value=1)),
        _events(event("CUSTOM", name="acme:ping", value=1)),
    ),
    _rule(
        "event.timestamp_unit",
        "info",
        "Timestamps are in milliseconds.",
        "Multiply seconds by 1000.",
        _events(event("CUSTOM", name="acme:x", value=1, timestamp=1_700_000_000)),
        _events(event("CUSTOM", name="acme:x", value=1, timestamp=1_700_000_000_000)),
    ),
)
