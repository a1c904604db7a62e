"""The rules of runs: where a run begins, how it ends, and what it waits for.

The end of a run does not end the stream: text is not flushed and later events are
read as before (stream processor, section 5). Only :meth:`RunRules.finalize` ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from aistream_nb.core.json_text import is_blank
from aistream_nb.core.messages import TextPart
from aistream_nb.core.processor.callbacks import ApprovalRequest, ToolInput
from aistream_nb.core.processor.dialects import finish_reason, run_failure
from aistream_nb.core.processor.drafts import TextDraft
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.results import Interrupt, Run
from aistream_nb.core.processor.segments import Segments
from aistream_nb.core.processor.stream import Stream
from aistream_nb.core.processor.structured import StructuredRules
from aistream_nb.core.processor.tools import ToolRules
from aistream_nb.core.values import ABSENT, Event, is_array, is_mapping

__all__ = ["RunRules"]

_ASKS_FOR_APPROVAL: Final = ("approval_required", "tool_call")
_ASKS_FOR_TOOL: Final = ("client_tool_input", "tanstack:client_tool_execution")


class RunRules:
    """What RUN events do, and the end of a stream."""

    def __init__(
        self,
        stream: Stream,
        *,
        segments: Segments,
        tools: ToolRules,
        structured: StructuredRules,
    ) -> None:
        self._stream = stream
        self._segments = segments
        self._tools = tools
        self._structured = structured
        self.run = Run()

    def start(self, event: Event) -> None:
        """RUN_STARTED: a run begins."""
        self._stream.is_new_round = True
        self.run = Run(
            status="running",
            thread_id=_text(event.get("threadId")),
            run_id=_text(event.get("runId")),
            interrupts=self.run.interrupts,
        )

    def finish(self, event: Event) -> None:
        """RUN_FINISHED: calls that are still open are complete."""
        stream = self._stream
        stream.finish_reason = finish_reason(event)
        stream.done = True
        self._tools.complete_all()
        outcome = event.get("outcome")
        interrupts = _interrupts(outcome)
        self.run = replace(
            self.run,
            status="finished",
            outcome=outcome if is_mapping(outcome) else None,
            interrupts=interrupts,
            result=event.get("result", ABSENT),
        )
        for interrupt in interrupts:
            self._ask(interrupt)

    def fail(self, event: Event) -> None:
        """RUN_ERROR: the run failed; what had come stays."""
        stream = self._stream
        failure = run_failure(event)
        stream.has_error = True
        self.run = replace(self.run, status="error", error=failure.message)
        stream.ensure_message()
        self._structured.fail(failure.message)
        if stream.callbacks.on_error is not None:
            stream.callbacks.on_error(failure)

    def finalize(self) -> None:
        """The end of the stream (section 6)."""
        stream = self._stream
        self._tools.complete_all()
        self._structured.fail()
        for message in _all_of(stream):
            self._segments.flush(message)
        if not stream.has_error:
            for message in _all_of(stream):
                self._remove_if_blank(message)
        current = stream.current
        if current is not None and stream.transcript.holds(current):
            tell = stream.callbacks.on_stream_end
            if tell is not None:
                tell(current.freeze())

    def _remove_if_blank(self, message: MessageDraft) -> None:
        stream = self._stream
        if not stream.transcript.holds(message) or not _is_blank(message):
            return
        stream.transcript.remove(message)
        stream.tell_change()
        stream.opened = [each for each in stream.opened if each is not message]
        if message is stream.current:
            stream.current = None

    def _ask(self, interrupt: Interrupt) -> None:
        """An interrupt that belongs to a call asks for approval, or for its tool."""
        stream = self._stream
        call_id = interrupt.tool_call_id
        if call_id is None:
            return
        metadata = interrupt.wire.get("metadata")
        fields: Mapping[str, Any] = metadata if is_mapping(metadata) else {}
        record = stream.calls.get(call_id)
        name = _text(fields.get("toolName")) or (record.name if record else "")
        given = fields.get("input")
        if interrupt.reason in _ASKS_FOR_APPROVAL:
            request = ApprovalRequest(
                tool_call_id=call_id,
                tool_name=name,
                input=given,
                approval_id=interrupt.id,
            )
            self._tools.request_approval(request)
        tell = stream.callbacks.on_tool_call
        if interrupt.reason in _ASKS_FOR_TOOL and tell is not None:
            tell(ToolInput(tool_call_id=call_id, tool_name=name, input=given))


def _all_of(stream: Stream) -> tuple[MessageDraft, ...]:
    """The messages that the stream filled; the current one may be an older one."""
    current = stream.current
    if current is None or current in stream.opened:
        return tuple(stream.opened)
    return (*stream.opened, current)


def _is_blank(message: MessageDraft) -> bool:
    if not message.parts:
        return False
    for part in message.parts:
        if isinstance(part, TextDraft):
            text = part.read()
        elif isinstance(part, TextPart):
            text = part.content
        else:
            return False
        if not is_blank(text):
            return False
    return True


def _interrupts(outcome: object) -> tuple[Interrupt, ...]:
    if not is_mapping(outcome) or outcome.get("type") != "interrupt":
        return ()
    listed = outcome.get("interrupts")
    return tuple(
        Interrupt(
            id=item["id"],
            reason=_text(item.get("reason")) or "",
            tool_call_id=_text(item.get("toolCallId")),
            wire=item,
        )
        for item in (listed if is_array(listed) else ())
        if is_mapping(item) and isinstance(item.get("id"), str)
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
