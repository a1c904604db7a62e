"""Replay: run a recorded conversation again, against today's tools and code.

Where the recording holds the streams of a provider or of a remote AG-UI agent, they
are read by the real HTTP, SSE, translation and turn code, the tools that you hand in
really run, and decisions are those of the recording. What comes out differently is in
:attr:`Replay.differences`, in words, and in :attr:`Replay.diff`, event by event. What
is asked differently is among the differences, with the round and the path in the body.
Where it holds only events, these are folded and nothing is run.

Ids are counted and the clock stands still, so two replays are the same to the byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import escape
from os import PathLike
from typing import Any, Final

from aistream_nb.chat import Chat
from aistream_nb.chat.agent import Agent
from aistream_nb.chat.ids import counted_ids
from aistream_nb.chat.remote_agent import RemoteAgent
from aistream_nb.chat.told_options import TOLD_OPTIONS
from aistream_nb.conversation import ToolCallModel
from aistream_nb.core.messages import UIMessage
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.verifier import Violation
from aistream_nb.core.spelling import nearest
from aistream_nb.core.tool_spec import ClientTool, Gate
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording, RecordingDiff
from aistream_nb.testing.differences import (
    changed_results,
    conversation_differences,
    folded,
)
from aistream_nb.testing.not_compared import not_compared
from aistream_nb.testing.outline import outline
from aistream_nb.testing.rebuild import rebuilt_agent, understood, until_the_stop
from aistream_nb.testing.recorded_person import with_recorded_person
from aistream_nb.testing.recorded_tools import with_stand_ins
from aistream_nb.testing.request_differences import request_differences
from aistream_nb.testing.script_of import (
    Question,
    answers_of,
    questions_of,
    requests_of,
)
from aistream_nb.testing.scripted import ScriptedProvider
from aistream_nb.tools import as_tools

__all__ = [
    "AnyTool",
    "Invocation",
    "Replay",
    "Scripted",
    "are_known",
    "compared",
    "replay",
    "scripted_chat",
]

AnyTool = ClientTool | Callable[..., Any]

_NO_TIME: Final = 0.0
_ANEW: Final = "if the agent is meant to ask that, record it anew"


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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Replay:
    """What a recorded conversation comes to today.

    It shows as one line, or as its differences; both are the same each time.
    """

    messages: tuple[UIMessage, ...]
    invocations: tuple[Invocation, ...]
    violations: tuple[Violation, ...]
    recording: Recording
    """The events of the replay; save them to record anew."""
    diff: RecordingDiff
    """The events that differ from the recording; false when none do."""
    differences: tuple[str, ...] = ()
    """What differs, in sentences that name the call; empty when nothing does."""
    outline: tuple[dict[str, Any], ...] = ()
    """What was said, asked and done, as plain values to compare in a test."""
    name: str = "the recording"
    """What the recording is called."""
    advice: str = ""
    """What to do when the differences are meant."""
    not_compared: tuple[str, ...] = ()
    """What the recording does not hold and the comparison so leaves out, in words."""

    def check(self) -> Replay:
        """This replay, if nothing differs from the recording.

        Raises:
            AssertionError: Something does; the message says what, call by call.
        """
        if self.differences or self.diff:
            raise AssertionError(self.report)
        return self

    @property
    def report(self) -> str:
        """The differences in words, then event by event."""
        missing = [f"Not compared: {sentence}" for sentence in self.not_compared]
        if not (self.differences or self.diff):
            return "\n".join([f"{self.name} holds: no difference", *missing])
        said = [f"- {sentence}" for sentence in self.differences]
        events = ["", "Event by event:", str(self.diff)] if self.diff else []
        head = f"The conversation went differently from {self.name}:"
        advice = ["", f"If that is meant: {self.advice}"] if self.advice else []
        return "\n".join([*missing, head, *said, *advice, *events])

    def __repr__(self) -> str:
        return self.report

    def _repr_html_(self) -> str:
        if not (self.differences or self.diff):
            return f"<p>{'<br>'.join(escape(self.report).splitlines())}</p>"
        head, *said = self.report.partition("\n\nEvent by event:")[0].split("\n- ")
        rows = "".join(
            f'<li style="white-space:pre-wrap">{escape(one)}</li>' for one in said
        )
        events = (
            f"<details><summary>Event by event</summary>{self.diff._repr_html_()}"  # pyright: ignore[reportPrivateUsage]
            "</details>"
            if self.diff
            else ""
        )
        return f"<p>{'<br>'.join(escape(head).splitlines())}</p><ul>{rows}</ul>{events}"


def replay(
    recording: Recording | str | PathLike[str],
    *,
    tools: Iterable[AnyTool] = (),
    gate: Gate | None = None,
    **options: Any,
) -> Replay:
    """Run a recorded conversation again and say what is different.

    Args:
        recording: The recording, or the path of its file.
        tools: Today's tools; those that the recording does not call do nothing. For
            those that it was offered and that are not given, what they gave then
            stands in, and one difference names them.
        gate: Decides instead of the recorded decisions. Where an
            :class:`~aistream_nb.gate.ApprovalGate` asks a person, the recorded
            person answers.
        **options: What is different today: ``system``, ``model``, ``temperature``,
            ``thinking``, ``max_tokens``, ``max_rounds``, ``budget``, …, and for
            remote agents ``approvals``, ``context``, ``on_interrupt``, … What is not
            given is as it was recorded.

    Raises:
        RecordingError: The recording cannot be read, or lacks what a replay needs.
        AIStreamError: There is no such option; the message names the nearest one.

    >>> run = replay(
    ...     Recording.of(
    ...         [
    ...             {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    ...             {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    ...         ]
    ...     )
    ... )
    >>> run
    recording holds: no difference
    Not compared: it holds events only: nothing was run, and no requests were compared
    """
    loaded = (
        recording if isinstance(recording, Recording) else Recording.load(recording)
    )
    _check_options(options, loaded)
    if not loaded.rounds:
        return compared(loaded, loaded)
    # A notebook's loop is already running here; the replay gets a thread and a loop.
    with ThreadPoolExecutor(max_workers=1) as thread:
        again = _run_again(loaded, tools=tuple(tools), gate=gate, options=options)
        return thread.submit(asyncio.run, again).result()


def _check_options(options: Mapping[str, Any], loaded: Recording) -> None:
    known = understood(loaded)
    for name in options:
        if name not in known:
            meant = nearest(name, known)
            hint = f"Did you mean {meant!r}? " if meant else ""
            raise AIStreamError(
                f"replay does not know {name!r}. {hint}Beside tools and gate, it "
                f"understands: {', '.join(sorted(known))}."
            )


async def _run_again(
    loaded: Recording,
    *,
    tools: tuple[AnyTool, ...],
    gate: Gate | None,
    options: dict[str, Any],
) -> Replay:
    offered, missing = with_stand_ins(loaded, tools)
    scripted = scripted_chat(loaded, tools=offered, gate=gate, options=options)
    chat = scripted.chat
    for question in questions_of(loaded):
        _set_state(scripted, loaded)
        try:
            await _ask(chat, question)
        except AIStreamError:
            # The failure is in the events, where the difference shows it.
            continue
    await chat.aclose()
    known = are_known(loaded, options)
    also = [f"not given: {', '.join(missing)}"] if missing else []
    return compared(loaded, chat.recording, also=also, parameters=known)


def are_known(loaded: Recording, options: Mapping[str, Any]) -> bool:
    """Whether we know with which parameters today's requests would be made.

    Recordings of the first days do not say which options were given; then today's
    ``options`` have to say it.
    """
    names = {"options", "protocol"} & loaded.header.keys()
    return bool(names or options.keys() & {*TOLD_OPTIONS})


async def _ask(chat: Chat, question: Question) -> None:
    if question.place is None:
        await chat.send(question.text)
        return
    asked = [m for m in chat.conversation.messages if m.role == "user"]
    await chat.edit(asked[question.place].id, question.text)


def _set_state(scripted: Scripted, loaded: Recording) -> None:
    """Between two runs, the host may have changed a remote agent's shared state."""
    agent, asked = scripted.agent, len(scripted.provider.requests)
    bodies = requests_of(loaded)
    if isinstance(agent, RemoteAgent) and asked < len(bodies):
        agent.server.state = bodies[asked].get("state", agent.server.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """A chat with a recorded agent, and its two ends."""

    chat: Chat
    provider: ScriptedProvider
    agent: Agent


def scripted_chat(
    loaded: Recording,
    *,
    tools: Iterable[AnyTool] | None,
    gate: Gate | None,
    options: dict[str, Any],
    advice: str = _ANEW,
) -> Scripted:
    """A chat whose agent says what it said when it was recorded.

    Args:
        loaded: The recording.
        tools: Today's tools.
        gate: Today's gate; ``None`` for the recorded decisions.
        options: As for :func:`replay`.
        advice: What to do when more is asked than was recorded.

    Raises:
        RecordingError: The recording does not say what its streams are of.
    """
    provider = ScriptedProvider(answers_of(loaded), advice=advice)

    def stop() -> None:
        chat.stop()

    provider.stop = stop
    agent = rebuilt_agent(loaded, provider.client, options)
    chat = Chat(
        agent,
        tools=until_the_stop(as_tools(tools or ()), loaded, stop),
        gate=with_recorded_person(gate, loaded, stop),
        ids=counted_ids(_thread_id(loaded)),
        clock=lambda: _NO_TIME,
    )
    return Scripted(chat=chat, provider=provider, agent=agent)


def compared(
    before: Recording,
    after: Recording,
    *,
    also: Iterable[str] = (),
    advice: str = "",
    parameters: bool = True,
) -> Replay:
    """What a run came to, beside the recording that it should be like.

    Args:
        before: The recording.
        after: What happened now.
        also: Differences that are known already.
        advice: What to do when the differences are meant.
        parameters: Whether today's parameters of the requests are known.
    """
    asked = after
    if before.ending.startswith("cut off"):
        # Nothing is known of what would have come behind the last event.
        after = Recording.of(after.events[: len(before)], **after.header)
    then, now = folded(before.events), folded(after.events)
    requests = request_differences(
        before, asked, parameters=parameters, known=changed_results(then, now)
    )
    return Replay(
        messages=now.processor.messages,
        invocations=tuple(Invocation.of(call) for call in now.tool_calls.values()),
        violations=tuple(check_ordering(after.events).violations),
        recording=after,
        diff=before.diff(after),
        differences=(*also, *conversation_differences(then, now), *requests),
        outline=tuple(outline(now)),
        name=before.name,
        advice=advice,
        not_compared=not_compared(before),
    )


def _thread_id(loaded: Recording) -> str:
    for event in loaded.events:
        if event.get("type") == "RUN_STARTED":
            return str(event.get("threadId", "thread"))
    return "thread"
