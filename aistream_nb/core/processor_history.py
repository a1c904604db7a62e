"""The rules of the list itself: what the host, or a snapshot, does to all messages.

The stream goes on where its messages are still there; one whose message was taken
away writes into nothing that anybody sees (stream processor, section 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aistream_nb.core.messages import UIMessage
from aistream_nb.core.processor_stream import Stream
from aistream_nb.core.processor_tools import ToolRules
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
        stream.prepare()
        stream.transcript.replace(messages)
        stream.tell_change()
        self._tools.claim()

    def introduce(self, event: Event) -> None:
        """RUN_STARTED: what the run was asked, as far as it is not known yet."""
        given = event.get("input")
        rows = given.get("messages") if is_mapping(given) else None
        if not is_array(rows):
            return
        stream = self._stream
        unknown = [row for row in rows if is_mapping(row) and self._is_unknown(row)]
        results = [row for row in unknown if self._answers_known_call(row)]
        for row in results:
            self._tools.take_result(row["toolCallId"], row.get("content") or "")
        rest = [row for row in unknown if row not in results]
        if rest:
            messages = RowReader(
                id_factory=stream.options.id_factory,
                final_states=stream.options.final_states,
            ).read(rest)
            stream.transcript.extend(messages)
            stream.tell_change()

    def _is_unknown(self, row: Mapping[str, Any]) -> bool:
        name = row.get("id")
        return not isinstance(name, str) or self._stream.transcript.find(name) is None

    def _answers_known_call(self, row: Mapping[str, Any]) -> bool:
        call_id = row.get("toolCallId")
        return (
            row.get("role") == "tool"
            and isinstance(call_id, str)
            and bool(self._stream.transcript.owners(call_id))
        )

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

    def clear(self) -> None:
        """No messages, and nothing of the stream comes back."""
        self._stream.prepare()
        self._tools.forget_unclaimed()
        self._stream.transcript.replace(())
        self._stream.tell_change()
