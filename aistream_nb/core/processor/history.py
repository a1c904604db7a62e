"""The rules of the list itself: what the host, or a snapshot, does to all messages.

The stream goes on where its messages are still there; one whose message was taken
away writes into nothing that anybody sees (stream processor, section 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aistream_nb.core.messages import UIMessage
from aistream_nb.core.processor.stream import Stream
from aistream_nb.core.processor.tools import ToolRules
from aistream_nb.core.snapshots import RowReader
from aistream_nb.core.values import ABSENT, Event, is_array, is_mapping

__all__ = ["HistoryRules"]


class HistoryRules:
    """Changes of the whole list."""

    def __init__(self, stream: Stream, tools: ToolRules) -> None:
        self._stream = stream
        self._tools = tools

    def replace(self, event: Event) -> None:
        """MESSAGES_SNAPSHOT: the history as the agent has it."""
        stream = self._stream
        rows = event.get("messages", ABSENT)
        if not is_array(rows):
            stream.reader.tell(
                event, "messages", rows, assumed="nothing: the history stays"
            )
            return
        messages = self._read(rows)
        unfinished = stream.unfinished_calls()
        stream.prepare()
        stream.transcript.replace(messages)
        stream.go_on_with(unfinished)
        stream.tell_change()
        self._tools.claim()

    def introduce(self, event: Event) -> None:
        """RUN_STARTED: what the run was asked, as far as it is not known yet."""
        given = event.get("input")
        rows = given.get("messages") if is_mapping(given) else None
        if not is_array(rows):
            return
        stream = self._stream
        self._take_answers(row for row in rows if is_mapping(row))
        unknown = self._unknown(row for row in rows if is_mapping(row))
        if unknown:
            reader = RowReader(
                id_factory=stream.options.id_factory,
                final_states=stream.options.final_states,
            )
            stream.transcript.extend(reader.read(unknown))
            stream.tell_change()

    def _take_answers(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Results that the host gave to calls which we know and saw no result of."""
        for row in rows:
            call_id = row.get("toolCallId")
            if row.get("role") != "tool" or not isinstance(call_id, str):
                continue
            owners = self._stream.transcript.owners(call_id)
            if owners and not any(owner.has_result(call_id) for owner in owners):
                self._tools.take_result(
                    call_id,
                    row.get("content") or "",
                    is_error=isinstance(row.get("error"), str),
                )

    def _unknown(self, rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Rows of messages that we lack; reasoning comes with the row after it."""
        transcript = self._stream.transcript
        unknown: list[Mapping[str, Any]] = []
        reasoning: list[Mapping[str, Any]] = []
        for row in rows:
            name, role = row.get("id"), row.get("role")
            if role == "reasoning":
                reasoning.append(row)
                continue
            is_new = isinstance(name, str) and transcript.find(name) is None
            if is_new and role == "tool":
                call_id = row.get("toolCallId")
                is_new = not (isinstance(call_id, str) and transcript.owners(call_id))
            if is_new and role != "activity":
                unknown.extend((*reasoning, row))
            reasoning.clear()
        return unknown

    def _read(self, rows: Iterable[Any]) -> list[UIMessage]:
        stream = self._stream
        reader = RowReader(
            id_factory=stream.options.id_factory,
            known=stream.snapshot(),
            final_states=stream.options.final_states,
        )
        return reader.read([row for row in rows if is_mapping(row)])

    def set(self, messages: Iterable[UIMessage]) -> None:
        """The host's list takes the place of ours."""
        self._stream.transcript.replace(messages)
        self._stream.rebind()
        self._stream.tell_change()

    def prepend(self, messages: Iterable[UIMessage]) -> None:
        """Older messages come first; known ids are left out."""
        present = self._stream.snapshot()
        known = {message.id for message in present}
        older: list[UIMessage] = []
        for message in messages:
            if message.id not in known:
                known.add(message.id)
                older.append(message)
        self.set((*older, *present))

    def keep_until(self, index: int) -> None:
        """Keep the messages up to ``index``; a negative one counts from the end."""
        end = index + 1 if index != -1 else 0
        self.set(self._stream.snapshot()[:end])
        self._stream.forget_removed()

    def clear(self) -> None:
        """No messages, and nothing of the stream comes back."""
        self._stream.prepare()
        self._tools.forget_unclaimed()
        self._stream.transcript.replace(())
        self._stream.tell_change()
