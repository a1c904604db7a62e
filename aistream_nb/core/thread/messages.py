"""The messages of a thread in order, found by id (AG-UI, section 10).

Ids need not be unique: the *first* message with an id is the one that events mean,
and the first call with an id likewise. Looking up is cheap; the two indexes are made
anew only after messages changed places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aistream_nb.core.thread.snapshot import Message, reconcile
from aistream_nb.core.values import copy_json, is_mapping
from aistream_nb.core.wire.schema_nested import MESSAGES
from aistream_nb.core.wire.shapes import Findings

__all__ = ["ThreadMessages"]


class ThreadMessages:
    """A list of AG-UI messages that knows where each is.

    Of the messages that it starts from, those that are none are left out.
    """

    def __init__(self, messages: Iterable[object] = ()) -> None:
        self._list: list[Message] = [
            copy_json(dict(message))
            for message in messages
            if is_mapping(message) and _is_message(message)
        ]
        self._by_id: dict[str, Message] | None = None
        self._calls: dict[str, tuple[Message, dict[str, Any]]] | None = None

    def copied(self) -> list[Message]:
        """All messages, shared with nobody."""
        return copy_json(self._list)

    def find(self, message_id: str) -> Message | None:
        """The first message with this id."""
        if self._by_id is None:
            self._by_id = {m["id"]: m for m in reversed(self._list)}
        return self._by_id.get(message_id)

    def find_call(self, call_id: str) -> tuple[Message, dict[str, Any]] | None:
        """The message that holds the first call with this id, and the call."""
        if self._calls is None:
            self._calls = {
                call["id"]: (message, call)
                for message in reversed(self._list)
                for call in reversed(message.get("toolCalls", ()))
            }
        return self._calls.get(call_id)

    def results_of(self, call_id: str) -> list[str]:
        """The ids of the tool messages that answer a call."""
        return [
            message["id"]
            for message in self._list
            if message.get("role") == "tool" and message.get("toolCallId") == call_id
        ]

    def unanswered_calls(self) -> list[str]:
        """The ids of the calls that no tool message answers."""
        answered = {message.get("toolCallId") for message in self._list}
        return [
            call["id"]
            for message in self._list
            for call in message.get("toolCalls", ())
            if call["id"] not in answered
        ]

    def append(self, message: Message) -> Message:
        """The message, now the last one."""
        self._list.append(message)
        if self._by_id is not None:
            self._by_id.setdefault(message["id"], message)
        if "toolCalls" in message:
            self._calls = None
        return message

    def add_call(self, message: Message, call: dict[str, Any]) -> None:
        """Put a call into a message of this list."""
        message.setdefault("toolCalls", []).append(call)
        if self._calls is not None:
            self._calls.setdefault(call["id"], (message, call))

    def add_result(self, message: Message) -> None:
        """Put a tool message behind its call and the results that follow it already."""
        found = self.find_call(message["toolCallId"])
        place = len(self._list)
        if found is not None:
            place = 1 + next(n for n, m in enumerate(self._list) if m is found[0])
            while place < len(self._list) and self._list[place].get("role") == "tool":
                place += 1
        self._list.insert(place, message)
        self._by_id = None

    def replace(self, message: Message, replacement: Message) -> None:
        """Put another message in the place of one of this list."""
        place = next(n for n, held in enumerate(self._list) if held is message)
        self._list[place] = replacement
        self._by_id = self._calls = None

    def reconcile(
        self, snapshot: list[Message], metadata: Mapping[str, Any] | None
    ) -> None:
        """Take over the server's word on the history."""
        self._list = reconcile(self._list, copy_json(snapshot), metadata=metadata)
        self._by_id = self._calls = None


def _is_message(message: Mapping[str, Any]) -> bool:
    findings = Findings()
    return MESSAGES([message], "", findings) != [] and not findings.bad
