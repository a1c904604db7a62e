"""The order of AG-UI events as data: two tables, and the diagram drawn from them.

``RUN_TRANSITIONS`` says which event of a run may come when. A missing cell is an
error, and ``RUN_REFUSALS`` names its rule. ``SPANS`` says which events open, use and
close something that has an id; nearly all of AG-UI's order is that one idea.

What fits neither table is code in ``core.ordering.machine``: who owns what, a
subagent's id used twice, a step closed by another owner, what may be open at the end.

Everything that judges the order reads these tables, and so does :func:`diagram`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

__all__ = [
    "ORDER_FREE",
    "RUN_REFUSALS",
    "RUN_TRANSITIONS",
    "SPANS",
    "SPAN_KINDS",
    "Edge",
    "RunState",
    "SpanKind",
    "SpanRow",
    "diagram",
]

RunState: TypeAlias = Literal["idle", "running", "finished", "failed"]
Edge: TypeAlias = Literal["open", "use", "close"]

OTHER: Final = "*"
"""In ``RUN_TRANSITIONS``: every event that is not about the run itself."""

RUN_TRANSITIONS: Final[Mapping[RunState, Mapping[str, RunState]]] = {
    "idle": {"RUN_STARTED": "running", "RUN_ERROR": "failed"},
    "running": {"RUN_FINISHED": "finished", "RUN_ERROR": "failed", OTHER: "running"},
    "finished": {"RUN_STARTED": "running", "RUN_ERROR": "failed"},
    "failed": {"RUN_STARTED": "running"},
}
"""State of the run, event, next state. What is not here is refused."""

RUN_REFUSALS: Final[Mapping[RunState, str]] = {
    "idle": "run.first_event",
    "running": "run.nested",
    "finished": "run.after_finished",
    "failed": "run.after_error",
}
"""The rule that a missing cell of a row breaks."""

RUN_EVENTS: Final = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanKind:
    """Something that is opened and closed by events, and known by an id."""

    what: str
    start: str
    end: str
    end_rule: str
    """What is broken when one is open at RUN_FINISHED."""


SPAN_KINDS: Final[Mapping[str, SpanKind]] = {
    "step": SpanKind(
        what="step",
        start="STEP_STARTED",
        end="STEP_FINISHED",
        end_rule="end.step_open",
    ),
    "text": SpanKind(
        what="text message",
        start="TEXT_MESSAGE_START",
        end="TEXT_MESSAGE_END",
        end_rule="end.text_open",
    ),
    "reasoning_message": SpanKind(
        what="reasoning message",
        start="REASONING_MESSAGE_START",
        end="REASONING_MESSAGE_END",
        end_rule="end.reasoning_message_open",
    ),
    "reasoning_span": SpanKind(
        what="reasoning span",
        start="REASONING_START",
        end="REASONING_END",
        end_rule="end.reasoning_span_open",
    ),
    "tool": SpanKind(
        what="tool call",
        start="TOOL_CALL_START",
        end="TOOL_CALL_END",
        end_rule="end.tool_open",
    ),
    "subagent": SpanKind(
        what="subagent",
        start="SUBAGENT_STARTED",
        end="SUBAGENT_FINISHED",
        end_rule="end.subagent_open",
    ),
}
"""In the order in which RUN_FINISHED looks for what is still open."""


@dataclass(frozen=True, slots=True)
class SpanRow:
    """What one event does to a span."""

    kind: str
    key: str
    """The field with the span's id."""
    edge: Edge
    rule: str
    """Broken when an ``open`` finds it open, or another edge finds it closed."""


SPANS: Final[Mapping[str, SpanRow]] = {
    "STEP_STARTED": SpanRow("step", "stepName", "open", "step.start_open"),
    "STEP_FINISHED": SpanRow("step", "stepName", "close", "step.finish_unopened"),
    "TEXT_MESSAGE_START": SpanRow("text", "messageId", "open", "text.start_open"),
    "TEXT_MESSAGE_CONTENT": SpanRow(
        "text", "messageId", "use", "text.content_unopened"
    ),
    "TEXT_MESSAGE_END": SpanRow("text", "messageId", "close", "text.end_unopened"),
    "TOOL_CALL_START": SpanRow("tool", "toolCallId", "open", "tool.start_open"),
    "TOOL_CALL_ARGS": SpanRow("tool", "toolCallId", "use", "tool.args_unopened"),
    "TOOL_CALL_END": SpanRow("tool", "toolCallId", "close", "tool.end_unopened"),
    "REASONING_START": SpanRow(
        "reasoning_span", "messageId", "open", "reasoning.span_start_open"
    ),
    "REASONING_END": SpanRow(
        "reasoning_span", "messageId", "close", "reasoning.span_end_unopened"
    ),
    "REASONING_MESSAGE_START": SpanRow(
        "reasoning_message", "messageId", "open", "reasoning.message_start_open"
    ),
    "REASONING_MESSAGE_CONTENT": SpanRow(
        "reasoning_message", "messageId", "use", "reasoning.content_unopened"
    ),
    "REASONING_MESSAGE_END": SpanRow(
        "reasoning_message", "messageId", "close", "reasoning.message_end_unopened"
    ),
    "SUBAGENT_STARTED": SpanRow(
        "subagent", "subagentRunId", "open", "subagent.start_open"
    ),
    "SUBAGENT_FINISHED": SpanRow(
        "subagent", "subagentRunId", "close", "subagent.end_unopened"
    ),
    "SUBAGENT_ERROR": SpanRow(
        "subagent", "subagentRunId", "close", "subagent.end_unopened"
    ),
}
"""Event, and what it does. A step's key is its name together with its owner."""

ORDER_FREE: Final = frozenset(
    {
        "TEXT_MESSAGE_CHUNK",  # becomes the explicit events above (core.chunks)
        "TOOL_CALL_CHUNK",
        "REASONING_MESSAGE_CHUNK",
        "TOOL_CALL_RESULT",  # the call may be in the history, or not yet ended
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "MESSAGES_SNAPSHOT",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "REASONING_ENCRYPTED_VALUE",
        "RAW",
        "CUSTOM",
    }
)
"""Events that may come anywhere in a run, as far as these two tables go."""


def diagram() -> str:
    """The two tables as a Mermaid state diagram.

    >>> print(diagram().splitlines()[0])
    stateDiagram-v2
    """
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    lines += [
        f"    {state} --> {after}: {_label(event)}"
        for state, row in RUN_TRANSITIONS.items()
        for event, after in row.items()
    ]
    lines += [
        f"    note right of {state}: anything else breaks {rule}"
        for state, rule in RUN_REFUSALS.items()
    ]
    for kind, span in SPAN_KINDS.items():
        lines.append(f'    state "{span.what}, by id" as {kind} {{')
        lines.append(f"        [*] --> {kind}_closed")
        lines += [
            f"        {kind}_{_BEFORE[row.edge]} --> {kind}_{_AFTER[row.edge]}: {event}"
            for event, row in SPANS.items()
            if row.kind == kind
        ]
        lines.append("    }")
    return "\n".join(lines)


_BEFORE: Final[Mapping[Edge, str]] = {"open": "closed", "use": "open", "close": "open"}
_AFTER: Final[Mapping[Edge, str]] = {"open": "open", "use": "open", "close": "closed"}


def _label(event: str) -> str:
    return "any other event" if event == OTHER else event
