"""A saved conversation, read for a chat that is to go on with it. Nothing is run.

What counts is what is left of it: a question that was replaced by another one is
gone, with all that came after. For each question that stands there are the messages
that answer it, and, where the recording holds them, the rounds of its provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, Final

from aistream_nb.chat.run_log import (
    CUT_OFF,
    RunLog,
    SavedCall,
    SavedRound,
    ending_of,
    runs_of,
    text_of,
)
from aistream_nb.chat.told_options import read_options
from aistream_nb.core.normalise import normalise
from aistream_nb.core.thread.reducer import ThreadReducer, apply_events
from aistream_nb.core.values import Event, is_array, is_mapping
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Entry, Recording
from aistream_nb.recording.entries import wire_rounds

__all__ = ["RESTORED", "SavedConversation", "SavedTurn", "origin_of"]

RESTORED: Final = "restored"
"""The kind of a recording's entry that says: here another session went on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTurn:
    """A question that stands, and what answers it."""

    question: Mapping[str, Any]
    messages: Sequence[Mapping[str, Any]]
    """AG-UI messages."""
    rounds: Sequence[SavedRound]

    @property
    def text(self) -> str:
        """What was asked."""
        return text_of(self.question.get("content"))


class SavedConversation:
    """What a recording holds of a conversation.

    Args:
        recording: The recording; it is read and not changed.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording: Recording = recording
        self._log = RunLog(_first_origin(recording))
        for entry in recording.entries:
            self._note(entry)

    def _note(self, entry: Entry) -> None:
        if entry.event is not None:
            self._log.receive(entry.event)
        elif entry.kind == RESTORED and is_mapping(entry.value):
            self._log.origin = origin_of(entry.value)
        for one in wire_rounds([entry]):
            if one.request is not None:
                self._log.ask(one.round)
            for _, piece in one.chunks:
                self._log.add_bytes(one.round, piece)

    @classmethod
    def of(cls, saved: Recording | str | PathLike[str]) -> SavedConversation:
        """The conversation in a recording, or in the file of one.

        Raises:
            RecordingError: The file cannot be read.
        """
        is_loaded = isinstance(saved, Recording)
        return cls(saved if is_loaded else Recording.load(saved))

    @property
    def agent(self) -> str | None:
        """Who was talked to, as a chat would name it; ``None`` if nobody says."""
        named = self.recording.header.get("agent")
        return named if isinstance(named, str) else None

    def agent_or_raise(self) -> str:
        """Who was talked to.

        Raises:
            AIStreamError: The recording does not say that.
        """
        if self.agent is None:
            raise AIStreamError(
                f"{self.recording.name} does not say who the agent was; name one: "
                "Chat.restore(…, agent=…)."
            )
        return self.agent

    @property
    def system(self) -> str | None:
        """The system prompt; ``None`` if there was none."""
        told = self.recording.header.get("system")
        return told if isinstance(told, str) and told else None

    @property
    def options(self) -> dict[str, Any]:
        """The options that the agent was made with, as far as the recording says."""
        header = self.recording.header
        if header.get("protocol") != "ag-ui":
            return read_options(header.get("options"))
        approvals = header.get("approvals")
        return {"approvals": approvals} if is_array(approvals) and approvals else {}

    @property
    def thread_id(self) -> str | None:
        """The id of the thread; ``None`` where no run names one."""
        named = [run[0].get("threadId") for run in self.runs]
        return next((one for one in reversed(named) if isinstance(one, str)), None)

    @cached_property
    def runs(self) -> tuple[tuple[Event, ...], ...]:
        """The events of each run, from its start on."""
        return tuple(map(tuple, runs_of(self.recording.events)))

    @property
    def torn_run(self) -> tuple[Event, ...]:
        """The run that was never ended, as when a kernel is killed; or nothing."""
        is_torn = bool(self.runs) and ending_of(self.runs[-1]) == CUT_OFF
        return self.runs[-1] if is_torn else ()

    @cached_property
    def thread(self) -> ThreadReducer:
        """Messages and shared state at the end."""
        return apply_events(normalise(self.recording.events))

    @cached_property
    def calls(self) -> Mapping[str, SavedCall]:
        """The calls that stand, by id, in the order of the messages."""
        found: dict[str, SavedCall] = {}
        for message in self.thread.messages:
            for call in message.get("toolCalls") or ():
                saved = self._log.call(call["id"])
                saved.name = str(call["function"]["name"])
                saved.arguments = str(call["function"]["arguments"])
                found[saved.id] = saved
        return found

    @cached_property
    def turns(self) -> tuple[SavedTurn, ...]:
        """The questions that stand, in order, with what answers them."""
        turns: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = []
        for message in self.thread.messages:
            if message.get("role") == "user":
                turns.append((message, []))
            elif turns:
                turns[-1][1].append(message)
        rounds = self._log.rounds
        return tuple(
            SavedTurn(
                question=question,
                messages=messages,
                rounds=rounds.get(str(question["id"]), ()),
            )
            for question, messages in turns
        )

    @property
    def ids(self) -> frozenset[str]:
        """Every id that is taken."""
        return frozenset(_ids(self.recording.events))

    @property
    def last_number(self) -> int:
        """The number of the last exchange with the agent."""
        return max((one.round for one in self.recording.rounds), default=0)


def _first_origin(recording: Recording) -> str:
    """Who answered in the beginning, before another agent took over."""
    for entry in recording.entries:
        if entry.kind == RESTORED and is_mapping(entry.value):
            was = entry.value.get("was")
            return origin_of(was if is_mapping(was) else {})
    return origin_of(recording.header)


def origin_of(facts: Mapping[str, Any]) -> str:
    """Whose history it is: nobody else takes back what is signed in it.

    >>> origin_of({"agent": "offline", "provider": "anthropic"})
    'offline anthropic'
    """
    agent = str(facts.get("agent", "")).partition(":")[0]
    provider = str(facts.get("provider", ""))
    return f"offline {provider}" if agent == "offline" else provider


def _ids(value: object, name: str = "") -> Iterator[str]:
    if is_mapping(value):
        for key, member in value.items():
            yield from _ids(member, str(key))
    elif is_array(value):
        for item in value:
            yield from _ids(item, name)
    elif isinstance(value, str) and (name == "id" or name.endswith("Id")):
        yield value
