"""The rules of tool calls: their arguments, their results, and what is asked.

Rules that a change must keep (stream processor, sections 3.3 to 3.7, 5 and 15). A
result is never dropped: it goes to the message that owns its call (RD-6). A call's
approval and output survive whatever the stream still says of its input, and only a
result moves a call on from there (RD-7), and from a result nothing does. A finished
input is never guessed (RD-13).
"""

from __future__ import annotations

from typing import Any, Final

from aistream_nb.core.json_text import encode_somehow, parse_json
from aistream_nb.core.messages import Approval, ToolResultPart
from aistream_nb.core.parts import ResultState, result_content
from aistream_nb.core.processor.callbacks import ApprovalRequest
from aistream_nb.core.processor.dialects import tool_name
from aistream_nb.core.processor.drafts import CallDraft
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.segments import Segments
from aistream_nb.core.processor.stream import CallRecord, Stream
from aistream_nb.core.values import ABSENT, Event, is_mapping

__all__ = ["ToolRules", "result_text"]

_FAILED: Final = "Tool execution failed"


class ToolRules:
    """What TOOL_CALL events do, and the host's answers to them."""

    def __init__(self, stream: Stream, segments: Segments) -> None:
        self._stream = stream
        self._segments = segments
        self.unclaimed: dict[str, tuple[object, bool]] = {}
        """Results whose call has not come yet."""

    # ------------------------------------------------------------ input

    def start(self, event: Event) -> None:
        """TOOL_CALL_START: a call begins; a repeated start changes nothing."""
        stream = self._stream
        call_id = stream.reader.id(event, "toolCallId")
        if call_id is None:
            return
        message = self._parent(event)
        if message is None or call_id in stream.calls:
            return
        index = event.get("index")
        record = CallRecord(
            id=call_id,
            name=tool_name(event, stream.reader),
            index=len(stream.calls) if index is None else index,
            message=message,
        )
        metadata = event.get("metadata")
        record.metadata = metadata if is_mapping(metadata) else None
        stream.calls[call_id] = record
        self._put(record)

    def _parent(self, event: Event) -> MessageDraft | None:
        """The message that a call belongs to."""
        stream = self._stream
        name = stream.reader.optional_id(event, "parentMessageId")
        if not stream.options.message_per_id or not name:
            return stream.ensure_assistant()
        known = stream.transcript.find(name)
        if known is not None and known.role == "assistant":
            stream.current = stream.current or known
            return known
        if known is not None:
            return stream.ensure_assistant()
        current = stream.current
        if current is not None and not current.call_ids and stream.name_current(name):
            return stream.current
        return stream.open_message(name)

    def arguments(self, event: Event) -> None:
        """TOOL_CALL_ARGS: more of a call's arguments."""
        stream = self._stream
        record = self._record(event)
        if record is None:
            return
        delta: Any = event.get("delta")
        if delta.__class__ is not str:
            delta = "" if delta is None else stream.reader.text(event, "delta")
        record.append(delta)
        self._put(record)

    def end(self, event: Event) -> None:
        """TOOL_CALL_END: the arguments are complete; formerly also a result."""
        record = self._record(event)
        if record is not None and record.state != "input-complete":
            record.complete()
            given = event.get("input", ABSENT)
            if given is not ABSENT:
                self._take_input(record, given)
            self._put(record)
        result = event.get("result")
        if result is not None and isinstance(event.get("toolCallId"), str):
            self.take_result(event["toolCallId"], result)

    def _take_input(self, record: CallRecord, given: object) -> None:
        if record.arguments.is_empty:
            record.append(encode_somehow(given))
            record.complete()
        record.given = given

    def complete_all(self) -> None:
        """The safety net: calls that nobody ended end with the run."""
        for record in tuple(self._stream.calls.values()):
            if record.state != "input-complete":
                record.complete()
                self._put(record, is_net=True)

    def _record(self, event: Event) -> CallRecord | None:
        call_id = self._stream.reader.id(event, "toolCallId")
        return None if call_id is None else self._stream.calls.get(call_id)

    def _put(self, record: CallRecord, *, is_net: bool = False) -> None:
        """Show a call as the stream has it (section 3.3)."""
        stream = self._stream
        message = stream.current
        if message is None or stream.options.message_per_id:
            message = record.message
        call = message.call(record.id)
        if call is None:
            self._segments.make_room(message)
            call = CallDraft(id=record.id, name=record.name, arguments=record.arguments)
            call.metadata = record.metadata
            stream.transcript.add_call(message, call)
        elif is_net and call.state in ("complete", "error"):
            return
        self._update(call, record)
        stream.transcript.touch(message)
        self._tell(message, record)
        if self.unclaimed:
            self.claim()

    def _update(self, call: CallDraft, record: CallRecord) -> None:
        call.frozen = None
        call.name = record.name
        call.arguments = record.arguments
        if record.metadata is not None:
            call.metadata = record.metadata
        if not call.has_answer:
            call.state = record.state
        call.input = record.given
        call.is_finished = record.state == "input-complete"

    def _tell(self, message: MessageDraft, record: CallRecord) -> None:
        stream = self._stream
        stream.tell_change(message)
        if stream.callbacks.on_tool_call_state_change is not None:
            stream.callbacks.on_tool_call_state_change(
                message.id, record.id, record.state, record.arguments.read()
            )

    # ------------------------------------------------------------ results

    def result(self, event: Event) -> None:
        """TOOL_CALL_RESULT: what a call gave."""
        stream = self._stream
        call_id = stream.reader.id(event, "toolCallId")
        if call_id is None:
            return
        content = event.get("content", ABSENT)
        if content is ABSENT or content is None:
            stream.reader.tell(event, "content", content, assumed='""')
            content = ""
        is_error = event.get("state") == "output-error"
        self.take_result(call_id, content, is_error=is_error)

    def take_result(
        self, call_id: str, content: object, *, is_error: bool = False
    ) -> None:
        """Give a result of the stream to the call it is for."""
        stream = self._stream
        output = _read_strictly(content) if isinstance(content, str) else content
        error = _error_text(output) if is_error else None
        message = self._owner(call_id)
        if message is None and not stream.options.message_per_id:
            message = stream.current
        if message is None:
            self.unclaimed[call_id] = (content, is_error)
            stream.reader.tell(
                {"type": "TOOL_CALL_RESULT"},
                "toolCallId",
                call_id,
                assumed="a result whose call is still to come",
            )
            return
        stream.is_new_round = True
        self._set_output(call_id, output, is_error=is_error)
        self._put_result(
            message,
            ToolResultPart(
                tool_call_id=call_id,
                content=result_text(content),
                state="error" if is_error else "complete",
                error=error,
            ),
        )
        stream.tell_change(message)

    def claim(self) -> None:
        """Give results that came too early to the calls that are there now."""
        for call_id in tuple(self.unclaimed):
            if self._stream.transcript.owners(call_id):
                content, is_error = self.unclaimed.pop(call_id)
                self.take_result(call_id, content, is_error=is_error)

    def forget_unclaimed(self) -> None:
        """Results that came too early will not be claimed any more."""
        self.unclaimed.clear()

    def add_result(self, call_id: str, output: object, error: str | None) -> bool:
        """The host's result; false if no message holds such a call."""
        stream = self._stream
        owners = stream.transcript.owners(call_id)
        if not owners:
            return False
        state: ResultState = "error" if error else "complete"
        value = {"error": error} if error else output
        self._set_output(call_id, value, is_error=bool(error))
        self._put_result(
            owners[0],
            ToolResultPart(
                tool_call_id=call_id,
                content=result_text(output),
                state=state,
                error=error or None,
            ),
        )
        stream.tell_change(owners[0])
        return True

    def _owner(self, call_id: str) -> MessageDraft | None:
        current = self._stream.current
        if current is not None and current.has_call(call_id):
            return current
        owners = self._stream.transcript.owners(call_id)
        return owners[0] if owners else None

    def _set_output(self, call_id: str, output: object, *, is_error: bool) -> None:
        stream = self._stream
        for message, call in stream.transcript.calls(call_id):
            call.output = output
            call.state = "input-complete"
            if stream.options.final_states:
                call.state = "error" if is_error else "complete"
            call.frozen = None
            stream.transcript.touch(message)

    def _put_result(self, message: MessageDraft, result: ToolResultPart) -> None:
        if not message.put_result(result):
            self._segments.make_room(message)
            message.add(result)
        self._stream.transcript.touch(message)

    # ------------------------------------------------------------ approvals

    def request_approval(self, request: ApprovalRequest) -> None:
        """A person is asked whether a call may run."""
        stream = self._stream
        owner = self._owner(request.tool_call_id)
        call = owner.call(request.tool_call_id) if owner else None
        if owner is not None and call is not None:
            call.approval = Approval(id=request.approval_id)
            if call.output is ABSENT:
                call.state = "approval-requested"
            call.frozen = None
            stream.transcript.touch(owner)
        if owner is not None or stream.current is not None:
            stream.tell_change(owner)
        if stream.callbacks.on_approval_request is not None:
            stream.callbacks.on_approval_request(request)

    def answer_approval(self, approval_id: str, *, approved: bool) -> None:
        """The person's answer; the last one wins."""
        stream = self._stream
        for message in stream.transcript:
            call = message.awaiting(approval_id)
            if call is not None:
                call.approval = Approval(id=approval_id, approved=approved)
                if call.output is ABSENT:
                    call.state = "approval-responded"
                call.frozen = None
                stream.transcript.touch(message)
        stream.tell_change()


def result_text(value: object) -> Any:
    """A tool's value as the model is told it: text and content parts as they are."""
    content = result_content(value)
    return encode_somehow(value) if content is None else content


def _read_strictly(text: str) -> object:
    try:
        return parse_json(text)
    except ValueError:
        return text


def _error_text(output: object) -> str:
    error = output.get("error") if is_mapping(output) else output
    return error if isinstance(error, str) and error else _FAILED
