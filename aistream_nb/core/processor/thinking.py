"""The rules of thinking: what a model lets us see of its reasoning.

AG-UI's REASONING events make one part for each step, which is the open STEP or, if
there is none, the reasoning message. The older STEP_FINISHED makes one part for a
whole stream (stream processor, section 3.5). Thinking never makes a message of its
own: its id names a part. With ``message_per_id`` it belongs to the current message,
unless that one already got a tool's result or a new run began; then a new round has
begun, and the thinking waits in a message that takes over the id of what follows.
"""

from __future__ import annotations

from typing import Any

from aistream_nb.core.processor.dialects import step_id, step_thinking
from aistream_nb.core.processor.drafts import ThinkingDraft
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.segments import Segments
from aistream_nb.core.processor.stream import Stream
from aistream_nb.core.values import Event

__all__ = ["ThinkingRules"]


class ThinkingRules:
    """What REASONING, THINKING and STEP events do."""

    def __init__(self, stream: Stream, segments: Segments) -> None:
        self._stream = stream
        self._segments = segments

    def start_step(self, event: Event) -> None:
        """STEP_STARTED: thinking has this step's name from now on."""
        self._stream.step = step_id(event)

    def finish_step(self, event: Event) -> None:
        """STEP_FINISHED: the step ends; formerly: more thinking."""
        stream = self._stream
        name = step_id(event)
        if name == stream.step:
            stream.step = None
        signature = event.get("signature")
        if isinstance(signature, str):
            self._sign(name, signature)
        thinking = step_thinking(event, stream.reader)
        if thinking is None:
            return
        message = stream.ensure_assistant()
        stream.thinking.pending.append(thinking)
        if message is not None:
            part = self._only_part(message)
            part.pending.append(thinking)
            self._show(message, part)

    def content(self, event: Event) -> None:
        """REASONING_MESSAGE_CONTENT: more thinking."""
        stream = self._stream
        delta: Any = event.get("delta")
        if delta.__class__ is not str:
            delta = stream.reader.text(event, "delta")
        message = self._home()
        stream.thinking.pending.append(delta)
        if message is None:
            return
        reasoning_id = stream.reader.optional_id(event, "messageId")
        part = self._part(message, reasoning_id)
        part.pending.append(delta)
        self._show(message, part)

    def encrypted(self, event: Event) -> None:
        """REASONING_ENCRYPTED_VALUE: the provider's seal on thinking, or on a call."""
        reader = self._stream.reader
        entity = reader.id(event, "entityId")
        value = reader.id(event, "encryptedValue")
        if entity is None or value is None:
            return
        if event.get("subtype") == "tool-call":
            self._sign_call(entity, value)
        else:
            self._sign(entity, value)

    def _home(self) -> MessageDraft | None:
        stream = self._stream
        current = stream.current
        if (
            stream.options.message_per_id
            and stream.is_new_round
            and stream.promised is None
            and current is not None
        ):
            return stream.start_over()
        return stream.ensure_assistant()

    def _only_part(self, message: MessageDraft) -> ThinkingDraft:
        """The first thinking part wherever it is, else a new one."""
        for part in message.parts:
            if isinstance(part, ThinkingDraft):
                return part
        return self._add(message, ThinkingDraft())

    def _part(self, message: MessageDraft, reasoning_id: str | None) -> ThinkingDraft:
        """The part of this step and this reasoning message, else a new one."""
        step = self._stream.step or reasoning_id
        for part in reversed(message.parts):
            if (
                isinstance(part, ThinkingDraft)
                and part.step_id == step
                and part.reasoning_id == reasoning_id
            ):
                return part
        return self._add(message, ThinkingDraft(step, reasoning_id))

    def _add(self, message: MessageDraft, part: ThinkingDraft) -> ThinkingDraft:
        self._segments.make_room(message)
        message.add(part)
        return part

    def _show(self, message: MessageDraft, part: ThinkingDraft) -> None:
        stream = self._stream
        part.frozen = None
        stream.transcript.touch(message)
        stream.tell_change(message)
        if stream.callbacks.on_thinking_update is not None:
            stream.callbacks.on_thinking_update(message.id, part.read(), part.step_id)

    def _sign(self, name: str | None, signature: str) -> None:
        """Seal the newest part of a step, or of a reasoning message."""
        for message in reversed(self._stream.opened):
            for part in reversed(message.parts):
                if isinstance(part, ThinkingDraft) and name in (
                    part.step_id,
                    part.reasoning_id,
                ):
                    part.signature = signature
                    part.frozen = None
                    self._stream.transcript.touch(message)
                    self._stream.tell_change(message)
                    return

    def _sign_call(self, call_id: str, signature: str) -> None:
        stream = self._stream
        seal = {"thoughtSignature": signature}
        record = stream.calls.get(call_id)
        if record is not None:
            record.metadata = {**(record.metadata or {}), **seal}
            record.is_kept = False
        for message, call in stream.transcript.calls(call_id):
            call.metadata = {**(call.metadata or {}), **seal}
            call.frozen = None
            stream.transcript.touch(message)
            stream.tell_change(message)
