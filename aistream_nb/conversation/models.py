"""Messages and tool calls as traits that follow the fold of a conversation.

The models own nothing: they read the processor's frozen values and what the stream
said beside them (:class:`CallNotes`), and say it in the words of people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from aistream_nb.conversation.mirror import Mirror, Mirrored
from aistream_nb.conversation.reading import mapping_at
from aistream_nb.core.call_status import (
    CallFacts,
    CallStatus,
    call_status,
    decision_of,
)
from aistream_nb.core.messages import ToolCallPart, ToolResultPart, UIMessage
from aistream_nb.core.partial_json.parsers import parse_partial_json
from aistream_nb.core.values import ABSENT

__all__ = ["CallNotes", "MessageModel", "Source", "ToolCallModel"]


class Source(Protocol):
    """What a model needs of its conversation."""

    def tool_call(self, call_id: str) -> ToolCallModel | None:
        """The call with this id."""
        ...

    def read_message(self, message_id: str) -> UIMessage | None:
        """The message as it is now."""
        ...

    def read_tool(self, name: str) -> Mapping[str, Any]:
        """What the run's input says of a tool; empty if it says nothing."""
        ...


class MessageModel(Mirror):
    """One message, as traits that follow it while it streams.

    Observe ``text`` to hear of every delta; read it to get all that has arrived.
    """

    role = Mirrored("assistant", help="user, assistant or system.")
    parts = Mirrored((), help="The parts, in order, as frozen values.")
    text = Mirrored("", help="All text parts, joined.")
    thinking = Mirrored("", help="All thinking parts, joined.")

    def __init__(self, source: Source, message_id: str) -> None:
        super().__init__()
        self._source = source
        self._id = message_id

    @property
    def id(self) -> str:
        """The message's id, which never changes."""
        return self._id

    @property
    def tool_calls(self) -> tuple[ToolCallModel, ...]:
        """The calls that this message holds, in the order of their start."""
        held = (part.id for part in self.parts if isinstance(part, ToolCallPart))
        calls = (self._source.tool_call(call_id) for call_id in held)
        return tuple(call for call in calls if call is not None)

    def _read(self) -> dict[str, Any]:
        message = self._source.read_message(self._id)
        if message is None:
            return {}
        return {
            "role": message.role,
            "parts": message.parts,
            "text": message.text,
            "thinking": message.thinking,
        }

    def __repr__(self) -> str:
        return f"<{self.role} message: {self.text!r}>"


@dataclass(slots=True, kw_only=True)
class CallNotes:
    """What the stream said of a call beside its part."""

    message_id: str
    decision: Literal["proceed", "deny"] | None = None
    reason: str = ""
    decided_by: str = ""
    decided_at: float | None = None
    approval_id: str = ""
    edited: Mapping[str, Any] | None = None
    executing: bool = False
    executed: bool = False
    stopped: bool = False
    started_at: float | None = None
    asked_at: float | None = None
    executed_at: float | None = None
    ended_at: float | None = None


class ToolCallModel(Mirror):
    """One tool call, as traits: what is asked, how far it is, what came of it."""

    name = Mirrored("", help="The tool's name.")
    arguments = Mirrored("", help="The arguments so far, as JSON text.")
    status = Mirrored("streaming", help="One word; see aistream_nb.core.call_status.")
    result = Mirrored(help="The text that the model was told, or None so far.")
    error = Mirrored(help="Why the call failed, or None.")
    decision = Mirrored(help="proceed or deny; None while nobody decided.")
    reason = Mirrored("", help="The reason that came with a denial.")
    decided_by = Mirrored("", help="Who decided: you, policy, nobody.")
    decided_at = Mirrored(help="When that was, in seconds, or None.")
    by_server = Mirrored(False, help="Whether the agent's server ran it.")
    approval_id = Mirrored("", help="The id of the question that was put.")
    edited_arguments = Mirrored(help="What a person made of the arguments, or None.")
    annotations = Mirrored(help="MCP's hints about the tool, in MCP's spelling.")
    parameters = Mirrored(help="The JSON Schema of the arguments, or None.")
    started_at = Mirrored(help="When the call began, in seconds, or None.")
    asked_at = Mirrored(help="When a person was asked about it, in seconds, or None.")
    executed_at = Mirrored(help="When its tool began to run, in seconds, or None.")
    ended_at = Mirrored(help="When its result came, in seconds, or None.")

    def __init__(self, source: Source, call_id: str, notes: CallNotes) -> None:
        super().__init__()
        self._source = source
        self._id = call_id
        self._notes = notes

    @property
    def id(self) -> str:
        """The call's id, which never changes."""
        return self._id

    @property
    def message_id(self) -> str:
        """The id of the message that holds the call."""
        return self._notes.message_id

    @property
    def args(self) -> Any:
        """The arguments so far as a value; ``None`` while they say nothing yet."""
        value = parse_partial_json(str(self.arguments))
        return None if value is ABSENT else value

    def _read(self) -> dict[str, Any]:
        notes = self._notes
        message = self._source.read_message(notes.message_id)
        part = None if message is None else _call_part(message, self._id)
        if message is None or part is None:
            return {"status": "aborted"} if notes.stopped else {}
        result = _result_part(message, self._id)
        tool = self._source.read_tool(part.name)
        return {
            "name": part.name,
            "arguments": part.arguments,
            "status": _status(part, result, notes),
            "result": None if result is None else result.content,
            "error": _error_text(result),
            "decision": _decision(part, notes),
            "reason": notes.reason,
            "decided_by": notes.decided_by,
            "decided_at": notes.decided_at,
            "by_server": result is not None
            and notes.decision is None
            and not notes.executed,
            "approval_id": notes.approval_id,
            "edited_arguments": notes.edited,
            "annotations": _annotations(tool),
            "parameters": tool.get("parameters"),
            "started_at": notes.started_at,
            "asked_at": notes.asked_at,
            "executed_at": notes.executed_at,
            "ended_at": notes.ended_at,
        }

    def __repr__(self) -> str:
        return f"<tool call {self.name}: {self.status}>"


def _call_part(message: UIMessage, call_id: str) -> ToolCallPart | None:
    for part in message.parts:
        if isinstance(part, ToolCallPart) and part.id == call_id:
            return part
    return None


def _result_part(message: UIMessage, call_id: str) -> ToolResultPart | None:
    for part in message.parts:
        if isinstance(part, ToolResultPart) and part.tool_call_id == call_id:
            return part
    return None


def _status(
    part: ToolCallPart, result: ToolResultPart | None, notes: CallNotes
) -> CallStatus:
    facts = CallFacts(
        part_state=part.state,
        has_result=result is not None or part.output is not ABSENT,
        failed=result is not None and result.state == "error",
        decision=_decision(part, notes),
        executing=notes.executing,
        stopped=notes.stopped,
    )
    return call_status(facts)


def _decision(
    part: ToolCallPart, notes: CallNotes
) -> Literal["proceed", "deny"] | None:
    approved = None if part.approval is None else part.approval.approved
    return notes.decision or decision_of(approved=approved)


def _error_text(result: ToolResultPart | None) -> str | None:
    if result is None or result.state != "error":
        return None
    return result.error or str(result.content)


def _annotations(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where :meth:`~aistream_nb.core.tool_spec.ToolSpec.to_wire` puts them."""
    return mapping_at(tool, "metadata", "aistream", "annotations")
