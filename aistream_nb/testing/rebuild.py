"""The agent of a recording, again: the same code, with the recorded answers.

The provider, the model and its options are those of the recording's header. A remote
agent gets what its recorded requests show: the system message, the shared state, the
context, and how interrupts were answered. What is told of today goes before both, so
that today's requests are really today's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, Final, Self

from aistream_nb.agui.agent import AGUIAgent, AGUIOptions
from aistream_nb.chat.agent import Task
from aistream_nb.chat.connect import Connection, connect
from aistream_nb.chat.provider_agent import ProviderAgent
from aistream_nb.chat.remote_agent import RemoteAgent
from aistream_nb.chat.saved import RESTORED
from aistream_nb.chat.told_options import TOLD_OPTIONS, read_options
from aistream_nb.core.tool_spec import ClientTool, ToolSpec
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.errors import RecordingError
from aistream_nb.gate import Audience
from aistream_nb.http import HttpClient
from aistream_nb.providers.registry import find_provider
from aistream_nb.providers.retry import RetryPolicy
from aistream_nb.providers.turn_prepare import TurnOptions
from aistream_nb.recording import Recording
from aistream_nb.testing.recorded_person import recorded_audience
from aistream_nb.testing.script_of import loose_calls, requests_of
from aistream_nb.testing.scripted import RecordedGate

__all__ = ["rebuilt_agent", "today", "understood", "until_the_stop"]

_NO_KEY: Final = "no-key-is-needed"
_AGENT_OPTIONS: Final = ("budget", "max_rounds")
_TURN_OPTIONS: Final = (
    "model",
    "system",
    *TOLD_OPTIONS,
    "tool_timeout",
    "interrupt_tools",
)
_SERVER_OPTIONS: Final = ("system", *AGUIOptions.__annotations__)
_COMMAND: Final = "command"
_WHO: Final = frozenset({"agent", "provider", "model", "protocol", "url"})
"""What tells one agent from another."""


async def _no_wait(_seconds: float) -> None:
    await asyncio.sleep(0)


class _Watched:
    """Has the people of a recording look on: also when nobody did."""

    _audience: Audience

    def watched_as(self, recording: Recording) -> Self:
        self._audience = recorded_audience(recording)
        return self

    def watched(self, task: Task) -> Task:
        if isinstance(task.gate, RecordedGate):
            task.gate.emit = task.emit
            task = replace(task, emit=task.gate.listening(task.emit))
        return replace(task, audience=self._audience)


class _WatchedProvider(_Watched, ProviderAgent):
    async def run(self, task: Task) -> None:
        await super().run(self.watched(task))


class _WatchedRemote(_Watched, RemoteAgent):
    async def run(self, task: Task) -> None:
        await super().run(self.watched(task))


def understood(recording: Recording) -> tuple[str, ...]:
    """The options that a replay of this recording can be given."""
    if _is_remote(recording):
        return _SERVER_OPTIONS
    return (*_AGENT_OPTIONS, *_TURN_OPTIONS)


def _is_remote(recording: Recording) -> bool:
    return recording.header.get("protocol") == "ag-ui"


def rebuilt_agent(
    recording: Recording, client: HttpClient, options: Mapping[str, Any]
) -> ProviderAgent | RemoteAgent:
    """The agent that was recorded, speaking over ``client``.

    Args:
        recording: Says what the agent was.
        client: Carries the recorded answers.
        options: What is different today.

    Raises:
        RecordingError: The header does not say what the streams are of.
    """
    for entry in recording.entries:
        if entry.kind == RESTORED:
            _refuse_another(entry.value, recording)
    if _is_remote(recording):
        return _remote(recording, client, options)
    return _provider(recording, client, options)


def _refuse_another(restored: Any, recording: Recording) -> None:
    """A replay rebuilds one agent; a restored chat may have gone on with another."""
    was = restored.get("was") if is_mapping(restored) else None
    if not is_mapping(restored) or not is_mapping(was):
        return
    for name, before in was.items():
        if name in _WHO and restored.get(name) != before:
            raise RecordingError(
                f"The recording holds runs of two agents, {was.get('agent')} and "
                f"{restored.get('agent')}; a replay rebuilds one. Play it with "
                "Player, or replay the recording that was restored.",
                path=recording.name,
            )


def _provider(
    recording: Recording, client: HttpClient, options: Mapping[str, Any]
) -> ProviderAgent:
    named = recording.header.get("provider")
    if not isinstance(named, str):
        raise RecordingError(
            "The recording does not say which provider its streams are of; "
            'its header needs "provider".',
            path=recording.name,
        )
    turn: dict[str, Any] = {
        "api_key": _NO_KEY,
        "retry": RetryPolicy(sleep=_no_wait, chance=lambda: 0.0),
        **read_options(recording.header.get("options")),
    }
    for name in ("model", "system"):
        if isinstance(recording.header.get(name), str):
            turn[name] = recording.header[name]
    turn |= {name: options[name] for name in _TURN_OPTIONS if name in options}
    # None says that a wish of then is none any more.
    turn = {name: value for name, value in turn.items() if value is not None}
    kept = {name: options[name] for name in _AGENT_OPTIONS if name in options}
    return _WatchedProvider(
        find_provider(named),
        name=str(recording.header.get("agent", named)),
        client=client,
        options=TurnOptions(**turn),
        **kept,
    ).watched_as(recording)


def _remote(
    recording: Recording, client: HttpClient, options: Mapping[str, Any]
) -> RemoteAgent:
    bodies = requests_of(recording)
    first: Mapping[str, Any] = bodies[0] if bodies else {}
    recorded = AGUIOptions(
        state=first.get("state", {}),
        context=_rows(first.get("context")),
        forwarded_props=_props(first),
        approvals=_words(recording.header.get("approvals")),
        protocol_version=_version(bodies),
        resume_by="command" if _commands(bodies) else "resume",
        on_interrupt=_recorded_answers(bodies),
        sleep=_no_wait,
    )
    given = {n: options[n] for n in AGUIOptions.__annotations__ if n in options}
    url = recording.header.get("url")
    merged: dict[str, Any] = {**recorded, **given}
    server = AGUIAgent(str(url), client=client, **merged)
    system = options["system"] if "system" in options else _system(recording, first)
    return _WatchedRemote(server, system=system).watched_as(recording)


def _system(recording: Recording, first: Mapping[str, Any]) -> str | None:
    """The system message; recordings of the first days tell it only in a request."""
    told = recording.header.get("system")
    if isinstance(told, str):
        return told or None
    for message in _rows(first.get("messages"))[:1]:
        if message.get("role") == "system":
            return str(message.get("content", ""))
    return None


def _rows(value: Any) -> list[Mapping[str, Any]]:
    return [row for row in value if is_mapping(row)] if is_array(value) else []


def _words(value: Any) -> list[str]:
    return [str(word) for word in value] if is_array(value) else []


def _props(body: Mapping[str, Any]) -> dict[str, Any]:
    """What the host forwarded; a command answers an interrupt and is made anew."""
    props = body.get("forwardedProps")
    return (
        {k: v for k, v in props.items() if k != _COMMAND} if is_mapping(props) else {}
    )


def _version(bodies: Iterable[Mapping[str, Any]]) -> str | None:
    said = [body.get("protocolVersion") for body in bodies]
    return str(said[0]) if said and said[0] is not None else None


def _commands(bodies: Iterable[Mapping[str, Any]]) -> list[Any]:
    """What ``forwardedProps.command.resume`` carried, in order."""
    found: list[Any] = []
    for body in bodies:
        props = body.get("forwardedProps")
        command = props.get(_COMMAND) if is_mapping(props) else None
        if is_mapping(command) and "resume" in command:
            found.append(command["resume"])
    return found


def _recorded_answers(
    bodies: Iterable[Mapping[str, Any]],
) -> Callable[[Mapping[str, Any]], Any]:
    """Answers interrupts that only the host understood, as it did then."""
    bodies = list(bodies)
    payloads: dict[str, Any] = {}
    for body in bodies:
        entries = body.get("resume")
        for entry in entries if is_array(entries) else ():
            if is_mapping(entry) and entry.get("status") == "resolved":
                payloads[str(entry.get("interruptId"))] = entry.get("payload")
    commands = _commands(bodies)

    def answer(interrupt: Mapping[str, Any]) -> Any:
        if str(interrupt.get("id")) in payloads:
            return payloads[str(interrupt.get("id"))]
        return commands.pop(0) if commands else None

    return answer


def today(agent: Any, *, system: str | None, options: Mapping[str, Any]) -> Connection:
    """What ``Chat(agent, …)`` would talk to today; nothing is sent.

    Raises:
        AIStreamError: The agent is unknown, or an option is.
    """
    return connect(agent, tools=None, system=system, options=options)


class _Stopping:
    """A tool during whose work the person stopped the run: it never gets to its end.

    Args:
        tool: The tool.
        stop: Ends the run.
        at: Which of its runs were stopped, counted from 0.
    """

    def __init__(
        self, tool: ClientTool, stop: Callable[[], None], *, at: Collection[int]
    ) -> None:
        self._tool = tool
        self._stop = stop
        self._at = at
        self._runs = count()

    @property
    def spec(self) -> ToolSpec:
        return self._tool.spec

    def validate(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._tool.validate(arguments)

    async def execute(self, arguments: Mapping[str, Any]) -> object:
        if next(self._runs) not in self._at:
            return await self._tool.execute(arguments)
        self._stop()
        return await asyncio.Event().wait()


def until_the_stop(
    tools: Iterable[ClientTool], recording: Recording, stop: Callable[[], None]
) -> tuple[ClientTool, ...]:
    """Today's tools; those that a stop caught at work are caught again."""
    loose = loose_calls(recording)
    return tuple(
        _Stopping(tool, stop, at=loose.at_work[tool.spec.name])
        if tool.spec.name in loose.at_work
        else tool
        for tool in tools
    )
