"""The rules of the official client: who breaks one is refused (AG-UI, 7a to 7d)."""

from __future__ import annotations

from typing import Final

from aistream_nb.core.ordering.rules import STARTED, Example, Rule, event, run
from aistream_nb.core.values import Event

__all__ = ["CLIENT_RULES"]

_ERROR: Final = event("RUN_ERROR", message="no route")
_FINISHED: Final = event("RUN_FINISHED", threadId="t1", runId="r1")
_TEXT: Final = event("TEXT_MESSAGE_START", messageId="m1")
_SAID: Final = event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="Hi")
_TEXT_END: Final = event("TEXT_MESSAGE_END", messageId="m1")
_CALL: Final = event("TOOL_CALL_START", toolCallId="c1", toolCallName="look")
_ARGS: Final = event("TOOL_CALL_ARGS", toolCallId="c1", delta="{}")
_CALL_END: Final = event("TOOL_CALL_END", toolCallId="c1")
_STEP: Final = event("STEP_STARTED", stepName="plan")
_STEP_END: Final = event("STEP_FINISHED", stepName="plan")
_SPAN: Final = event("REASONING_START", messageId="s1")
_SPAN_END: Final = event("REASONING_END", messageId="s1")
_THOUGHT: Final = event("REASONING_MESSAGE_START", messageId="q1", role="reasoning")
_THOUGHT_SAID: Final = event("REASONING_MESSAGE_CONTENT", messageId="q1", delta="Hm")
_THOUGHT_END: Final = event("REASONING_MESSAGE_END", messageId="q1")
_AGENT: Final = event("SUBAGENT_STARTED", subagentRunId="g1", name="helper")
_AGENT_END: Final = event("SUBAGENT_FINISHED", subagentRunId="g1")
_TEXT_ALL: Final = (_TEXT, _SAID, _TEXT_END)
_CALL_ALL: Final = (_CALL, _ARGS, _CALL_END)
_THOUGHT_ALL: Final = (_THOUGHT, _THOUGHT_SAID, _THOUGHT_END)


def _with(base: Event, **fields: object) -> Event:
    return {**base, **fields}


def _rule(
    rule_id: str,
    meaning: str,
    fix: str,
    breaks: tuple[Event, ...],
    keeps: tuple[Event, ...],
) -> Rule:
    return Rule(
        id=rule_id,
        level="fatal",
        meaning=meaning,
        fix=fix,
        breaks=Example(events=breaks),
        keeps=Example(events=keeps),
    )


CLIENT_RULES: Final = (
    _rule(
        "run.first_event",
        "A stream begins with RUN_STARTED, or with RUN_ERROR if the run never began.",
        "Send RUN_STARTED before anything else.",
        (_TEXT, *run(_SAID, _TEXT_END)[1:]),
        run(*_TEXT_ALL),
    ),
    _rule(
        "run.nested",
        "One run at a time: no RUN_STARTED while a run is active.",
        "Send RUN_FINISHED or RUN_ERROR for the active run first.",
        (STARTED, *run()),
        (*run(), _with(STARTED, runId="r2"), _with(_FINISHED, runId="r2")),
    ),
    _rule(
        "run.after_finished",
        "After RUN_FINISHED comes a new run, or a late RUN_ERROR; nothing else.",
        "Send it before RUN_FINISHED, or begin a new run for it.",
        (*run(), event("CUSTOM", name="acme:late", value=1)),
        (*run(), _with(STARTED, runId="r2"), _with(_FINISHED, runId="r2")),
    ),
    _rule(
        "run.after_error",
        "After RUN_ERROR comes a new run; nothing else, and no second RUN_ERROR.",
        "End a failed run with RUN_ERROR alone, without RUN_FINISHED.",
        (STARTED, _ERROR, _FINISHED),
        (STARTED, _ERROR),
    ),
    _rule(
        "end.step_open",
        "No step is open at RUN_FINISHED.",
        "Send STEP_FINISHED for every step, also when something fails half-way.",
        run(_STEP),
        run(_STEP, _STEP_END),
    ),
    _rule(
        "end.text_open",
        "No text message is open at RUN_FINISHED.",
        "Send TEXT_MESSAGE_END for every message, or end the run with RUN_ERROR.",
        run(_TEXT),
        run(*_TEXT_ALL),
    ),
    _rule(
        "end.reasoning_message_open",
        "No reasoning message is open at RUN_FINISHED.",
        "Send REASONING_MESSAGE_END for every reasoning message.",
        run(_THOUGHT),
        run(*_THOUGHT_ALL),
    ),
    _rule(
        "end.reasoning_span_open",
        "No reasoning span is open at RUN_FINISHED.",
        "Send REASONING_END for every REASONING_START.",
        run(_SPAN),
        run(_SPAN, _SPAN_END),
    ),
    _rule(
        "end.tool_open",
        "No tool call is open at RUN_FINISHED.",
        "Send TOOL_CALL_END when the arguments are complete, executed or not.",
        run(_CALL),
        run(*_CALL_ALL),
    ),
    _rule(
        "end.subagent_open",
        "No subagent is active at RUN_FINISHED.",
        "Send SUBAGENT_FINISHED or SUBAGENT_ERROR for every SUBAGENT_STARTED.",
        run(_AGENT),
        run(_AGENT, _AGENT_END),
    ),
    _rule(
        "text.start_open",
        "A message that is open is not started again.",
        "Continue it with TEXT_MESSAGE_CONTENT; do not mix START with chunks.",
        run(_TEXT, _TEXT, _SAID, _TEXT_END),
        run(*_TEXT_ALL, *_TEXT_ALL),
    ),
    _rule(
        "text.content_unopened",
        "TEXT_MESSAGE_CONTENT belongs to an open message.",
        "Send TEXT_MESSAGE_START first; a closed message may be started again.",
        run(_SAID, _TEXT_END),
        run(*_TEXT_ALL),
    ),
    _rule(
        "text.end_unopened",
        "TEXT_MESSAGE_END belongs to an open message.",
        "End each message once, and only what was started.",
        run(*_TEXT_ALL, _TEXT_END),
        run(*_TEXT_ALL),
    ),
    _rule(
        "tool.start_open",
        "A call that is open is not started again.",
        "Start each call once; give a second call its own toolCallId.",
        run(_CALL, _CALL, _ARGS, _CALL_END),
        run(*_CALL_ALL),
    ),
    _rule(
        "tool.args_unopened",
        "TOOL_CALL_ARGS belongs to an open call.",
        "Send all argument fragments between START and END of their own call, also "
        "when the fragments of several calls alternate.",
        run(*_CALL_ALL, _ARGS),
        run(*_CALL_ALL),
    ),
    _rule(
        "tool.end_unopened",
        "TOOL_CALL_END belongs to an open call.",
        "End each call once; a result goes into TOOL_CALL_RESULT.",
        run(*_CALL_ALL, _CALL_END),
        run(*_CALL_ALL),
    ),
    _rule(
        "tool.parent_owner",
        "A tagged call belongs to the owner of the message that carries it.",
        "Tag the call as its message is tagged, or name another parentMessageId.",
        run(
            _AGENT,
            _with(_TEXT, subagentRunId="g1"),
            _TEXT_END,
            _with(_CALL, parentMessageId="m1", subagentRunId="g2"),
            _CALL_END,
            _AGENT_END,
        ),
        run(
            _AGENT,
            _with(_TEXT, subagentRunId="g1"),
            _TEXT_END,
            _with(_CALL, parentMessageId="m1", subagentRunId="g1"),
            _CALL_END,
            _AGENT_END,
        ),
    ),
    _rule(
        "tool.reopen_parent_owner",
        "A call that is started again keeps its owner, whatever message it names.",
        "Name a parentMessageId of the call's own owner.",
        run(
            _AGENT,
            *_CALL_ALL,
            _with(_TEXT, subagentRunId="g1"),
            _TEXT_END,
            _with(_CALL, parentMessageId="m1"),
            _CALL_END,
            _AGENT_END,
        ),
        run(_CALL, _CALL_END, *_CALL_ALL),
    ),
    _rule(
        "step.start_open",
        "A step that is open is not started again by the same owner.",
        "Finish the step first, or give the inner one another name.",
        run(_STEP, _STEP, _STEP_END),
        run(
            _STEP,
            _with(_STEP, stepName="act"),
            _STEP_END,
            _with(_STEP_END, stepName="act"),
        ),
    ),
    _rule(
        "step.finish_owner",
        "A step is finished by whoever started it.",
        "Tag STEP_FINISHED as its STEP_STARTED was tagged.",
        run(_AGENT, _STEP, _with(_STEP_END, subagentRunId="g1"), _STEP_END, _AGENT_END),
        run(_STEP, _STEP_END),
    ),
    _rule(
        "step.finish_unopened",
        "STEP_FINISHED belongs to an open step.",
        "Send STEP_STARTED with the same stepName first, and finish it once.",
        run(_STEP_END),
        run(_STEP, _STEP_END),
    ),
    _rule(
        "reasoning.span_start_open",
        "A reasoning span that is open is not started again.",
        "Send REASONING_END first, or another messageId.",
        run(_SPAN, _SPAN, _SPAN_END),
        run(_SPAN, _SPAN_END, _SPAN, _SPAN_END),
    ),
    _rule(
        "reasoning.span_end_unopened",
        "REASONING_END belongs to an open span.",
        "Send REASONING_START first, and end each span once.",
        run(_SPAN_END),
        run(_SPAN, _SPAN_END),
    ),
    _rule(
        "reasoning.message_start_open",
        "A reasoning message that is open is not started again.",
        "Continue it with REASONING_MESSAGE_CONTENT, or end it first.",
        run(_THOUGHT, *_THOUGHT_ALL),
        run(*_THOUGHT_ALL),
    ),
    _rule(
        "reasoning.content_unopened",
        "REASONING_MESSAGE_CONTENT belongs to an open reasoning message.",
        "Send REASONING_MESSAGE_START; REASONING_START opens only the span.",
        run(_SPAN, _with(_THOUGHT_SAID, messageId="s1"), _SPAN_END),
        run(_SPAN, *_THOUGHT_ALL, _SPAN_END),
    ),
    _rule(
        "reasoning.message_end_unopened",
        "REASONING_MESSAGE_END belongs to an open reasoning message.",
        "End each reasoning message once, and only what was started.",
        run(_THOUGHT_END),
        run(*_THOUGHT_ALL),
    ),
    _rule(
        "owner.mismatch",
        "What continues or ends something is tagged as its opener was, or not at all.",
        "Repeat the opener's subagentRunId, or leave it out.",
        run(_AGENT, _TEXT, _with(_SAID, subagentRunId="g1"), _TEXT_END, _AGENT_END),
        run(_AGENT, _with(_TEXT, subagentRunId="g1"), _SAID, _TEXT_END, _AGENT_END),
    ),
    _rule(
        "subagent.start_open",
        "A subagent that is active is not started again.",
        "Give every invocation its own subagentRunId.",
        run(_AGENT, _AGENT, _AGENT_END),
        run(_AGENT, _AGENT_END),
    ),
    _rule(
        "subagent.start_reused",
        "A subagent that has ended, or is suspended, is not started again in a run.",
        "Give every invocation its own subagentRunId.",
        run(_AGENT, _AGENT_END, _AGENT, _AGENT_END),
        run(
            _AGENT,
            _AGENT_END,
            _with(_AGENT, subagentRunId="g2"),
            _with(_AGENT_END, subagentRunId="g2"),
        ),
    ),
    _rule(
        "subagent.parent_unknown",
        "The parent of a subagent was started in the same run.",
        "Send SUBAGENT_STARTED of the parent first.",
        run(_with(_AGENT, parentSubagentRunId="g0"), _AGENT_END),
        run(
            _with(_AGENT, subagentRunId="g0"),
            _with(_AGENT, parentSubagentRunId="g0"),
            _AGENT_END,
            _with(_AGENT_END, subagentRunId="g0"),
        ),
    ),
    _rule(
        "subagent.end_unopened",
        "SUBAGENT_FINISHED and SUBAGENT_ERROR belong to an active subagent.",
        "Send SUBAGENT_STARTED first, and end each subagent once.",
        run(_AGENT_END),
        run(_AGENT, _AGENT_END),
    ),
)
