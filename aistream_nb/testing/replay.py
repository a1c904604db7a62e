"""Replay: run a recorded conversation again, against today's tools and code.

Where the recording holds the provider's streams, they are read by the real HTTP, SSE,
translation and turn code, the tools that you hand in really run, and decisions are
those of the recording. What comes out differently is in :attr:`Replay.diff`. Where it
holds only events, as of a remote agent, these are folded and nothing is run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from typing import Any, Final

from aistream_nb.chat import Chat
from aistream_nb.chat.ids import counted_ids
from aistream_nb.chat.provider_agent import ProviderAgent
from aistream_nb.conversation import Conversation, ToolCallModel
from aistream_nb.core.messages import UIMessage
from aistream_nb.core.ordering import Violation
from aistream_nb.core.ordering_report import check_ordering
from aistream_nb.core.tool_spec import ClientTool, Gate
from aistream_nb.core.values import Event, is_array, is_mapping
from aistream_nb.errors import AIStreamError, RecordingError
from aistream_nb.providers.registry import find_provider
from aistream_nb.providers.turn_prepare import TurnOptions
from aistream_nb.recording import Recording, RecordingDiff
from aistream_nb.testing.scripted import RecordedGate, ScriptedProvider

__all__ = ["Invocation", "Replay", "replay"]

_NO_TIME: Final = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One tool call of a replayed conversation, and what came of it."""

    id: str
    name: str
    arguments: Any
    status: str
    result: Any

    @classmethod
    def of(cls, call: ToolCallModel) -> Invocation:
        """The invocation that a model tells of."""
        return cls(
            id=call.id,
            name=str(call.name),
            arguments=call.args,
            status=str(call.status),
            result=call.result,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What a recorded conversation comes to today."""

    messages: tuple[UIMessage, ...]
    invocations: tuple[Invocation, ...]
    violations: tuple[Violation, ...]
    recording: Recording
    """The events of the replay; save them to record anew."""
    diff: RecordingDiff
    """What differs from the recording; false when nothing does."""

    def check(self) -> Replay:
        """This replay, if nothing differs from the recording.

        Raises:
            AssertionError: Something does; the message is the difference.
        """
        if self.diff:
            raise AssertionError(f"The conversation went differently:\n{self.diff}")
        return self


def replay(
    recording: Recording | str | PathLike[str],
    *,
    tools: Iterable[ClientTool | Callable[..., Any]] = (),
    gate: Gate | None = None,
) -> Replay:
    """Run a recorded conversation again and say what is different.

    Args:
        recording: The recording, or the path of its file.
        tools: Today's tools; those that the recording does not call do nothing.
        gate: Decides instead of the recorded decisions.

    Raises:
        RecordingError: The recording cannot be read, or lacks what a replay needs.

    >>> run = replay(
    ...     Recording.of(
    ...         [
    ...             {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    ...             {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    ...         ]
    ...     )
    ... )
    >>> run.messages, bool(run.diff)
    ((), False)
    """
    loaded = (
        recording if isinstance(recording, Recording) else Recording.load(recording)
    )
    if not loaded.rounds:
        return _fold(loaded)
    # A notebook's loop is already running here; the replay gets a thread and a loop.
    with ThreadPoolExecutor(max_workers=1) as thread:
        again = _run_again(loaded, tools=tuple(tools), gate=gate)
        return thread.submit(asyncio.run, again).result()


def _fold(loaded: Recording) -> Replay:
    conversation = Conversation()
    conversation.receive_all(loaded.events)
    return _outcome(conversation, loaded, loaded)


async def _run_again(
    loaded: Recording,
    *,
    tools: tuple[ClientTool | Callable[..., Any], ...],
    gate: Gate | None,
) -> Replay:
    provider = ScriptedProvider(one.body for one in loaded.rounds)
    chat = Chat(
        _agent(loaded, provider),
        tools=tools,
        gate=gate or RecordedGate(loaded.events),
        ids=counted_ids(_thread_id(loaded)),
        clock=lambda: _NO_TIME,
    )
    for question in _questions(loaded.events):
        try:
            await chat.send(question)
        except AIStreamError:
            # The failure is in the events, where the difference shows it.
            continue
    await chat.aclose()
    return _outcome(chat.conversation, loaded, chat.recording)


def _agent(loaded: Recording, provider: ScriptedProvider) -> ProviderAgent:
    named = loaded.header.get("provider")
    if not isinstance(named, str):
        raise RecordingError(
            "The recording does not say which provider its streams are of; "
            'its header needs "provider".',
            path=loaded.name,
        )
    options: dict[str, Any] = {"api_key": "no-key-is-needed"}
    for name in ("model", "system"):
        if isinstance(loaded.header.get(name), str):
            options[name] = loaded.header[name]
    return ProviderAgent(
        find_provider(named),
        name=str(loaded.header.get("agent", named)),
        client=provider.client,
        options=TurnOptions(**options),
    )


def _outcome(conversation: Conversation, before: Recording, after: Recording) -> Replay:
    calls = conversation.tool_calls.values()
    return Replay(
        messages=conversation.processor.messages,
        invocations=tuple(Invocation.of(call) for call in calls),
        violations=tuple(check_ordering(after.events).violations),
        recording=after,
        diff=before.diff(after),
    )


def _thread_id(loaded: Recording) -> str:
    started = _runs(loaded.events)
    return str(started[0].get("threadId", "thread")) if started else "thread"


def _questions(events: Iterable[Event]) -> list[str]:
    """The user's message of each run, in order."""
    questions: list[str] = []
    for started in _runs(events):
        run_input = started.get("input")
        said = run_input.get("messages") if is_mapping(run_input) else None
        last = said[-1] if is_array(said) and said else None
        if is_mapping(last) and last.get("role") == "user":
            questions.append(str(last.get("content", "")))
    return questions


def _runs(events: Iterable[Event]) -> list[Mapping[str, Any]]:
    return [event for event in events if event.get("type") == "RUN_STARTED"]
