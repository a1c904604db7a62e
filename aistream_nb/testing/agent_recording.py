"""A recording that a test or a notebook makes once, and holds on to from then on.

``agent_recording(path, mode)`` gives an :class:`AgentRecording`; its chat talks to the
real agent while it records, and to the recorded one afterwards. The modes are those
of vcrpy:

=======  ==================================================================
mode     what it does
=======  ==================================================================
`none`   plays the recording; never talks to an agent (the default, for CI)
`once`   plays the recording if there is one, and makes it if there is none
`all`    makes it anew
=======  ==================================================================

A recording is written when :meth:`AgentRecording.check` is called, which the pytest
plugin does at the end of a test that passed. So a run that failed replaces nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from aistream_nb.agui.agent import AGUIAgent
from aistream_nb.chat import Chat
from aistream_nb.chat.agent import Agent
from aistream_nb.chat.ids import counted_ids
from aistream_nb.chat.remote_agent import RemoteAgent
from aistream_nb.chat.told_options import TOLD_OPTIONS, read_options
from aistream_nb.core.tool_spec import Gate
from aistream_nb.errors import AIStreamError, RecordingError
from aistream_nb.recording import Recording
from aistream_nb.testing.rebuild import today
from aistream_nb.testing.replay import (
    AnyTool,
    Replay,
    are_known,
    compared,
    scripted_chat,
)
from aistream_nb.testing.request_differences import sent_requests
from aistream_nb.testing.script_of import questions_of

__all__ = ["AgentRecording", "RecordMode", "agent_recording"]

RecordMode = Literal["none", "once", "all"]

_VARIABLE: Final = "AISTREAM_RECORD"
_OFFLINE: Final = "offline"
_ANEW: Final = (
    "pytest --agent-record=all makes the recording anew; in a notebook, "
    "AISTREAM_RECORD=all"
)
_COMPARED: Final = ("agent", "provider", "model", "system", "url")
"""What of a recording's header must be today as it was."""
_IN_REQUESTS: Final = frozenset({"model", "system"})


def agent_recording(
    path: str | PathLike[str], mode: str | None = None
) -> AgentRecording:
    """The recording at ``path``, to play or to make.

    Args:
        path: The file; its folder is made when the recording is.
        mode: ``none``, ``once`` or ``all``; by default what the environment variable
            ``AISTREAM_RECORD`` says, or ``none``.

    Raises:
        AIStreamError: There is no such mode.

    >>> agent_recording("no-such-file.jsonl", "once")
    AgentRecording('no-such-file.jsonl', mode='once')
    """
    return AgentRecording(Path(path), mode or os.environ.get(_VARIABLE) or "none")


class AgentRecording:
    """One recording, in one mode.

    Args:
        path: The file.
        mode: ``none``, ``once`` or ``all``.
        owner: Who the recording belongs to, such as a test; two owners of one file
            are an error.

    Raises:
        AIStreamError: There is no such mode.
    """

    def __init__(self, path: Path, mode: str, *, owner: str = "") -> None:
        if mode not in get_args(RecordMode):
            raise AIStreamError(
                f"{mode!r} is no record mode; there are 'none', 'once' and 'all'."
            )
        self.path: Path = path
        self.mode: RecordMode = cast("RecordMode", mode)
        self._owner = owner
        self._chat: Chat | None = None
        self._before: Recording | None = None
        self._agent_differences: list[str] = []

    def __repr__(self) -> str:
        return f"AgentRecording({self.path.name!r}, mode={self.mode!r})"

    @property
    def records(self) -> bool:
        """Whether the real agent is talked to."""
        if self.mode == "once":
            return not self.path.exists()
        return self.mode == "all"

    @property
    def used(self) -> bool:
        """Whether there is a chat to keep or to compare."""
        return self._chat is not None

    def chat(
        self,
        agent: str | Agent | AGUIAgent = "offline",
        *,
        tools: Iterable[AnyTool] | None = None,
        gate: Gate | None = None,
        system: str | None = None,
        **options: Any,
    ) -> Chat:
        """The chat of this recording; the arguments are those of ``Chat``.

        While it plays, tools are today's and really run, and so does the gate; where
        the gate asks a person, the recorded person answers.

        Raises:
            RecordingError: There is nothing to play, or it belongs to another test.
            AIStreamError: There is a chat already, or an argument cannot be.
        """
        if self._chat is not None:
            raise AIStreamError(
                "A recording holds one chat. Ask for another one with "
                "agent_recording('another-file.jsonl')."
            )
        if self.path.exists():
            self._owner = self._owner_of(Recording.load(self.path))
        if self.records:
            self._chat = self._live(agent, tools, gate, {"system": system, **options})
        else:
            self._chat = self._played(agent, tools, gate, {"system": system, **options})
        return self._chat

    def _live(
        self,
        agent: str | Agent | AGUIAgent,
        tools: Iterable[AnyTool] | None,
        gate: Gate | None,
        options: dict[str, Any],
    ) -> Chat:
        start = time.monotonic()
        if self._owner and isinstance(agent, str) and agent.startswith(_OFFLINE):
            options.setdefault("pace", 0)  # nobody watches a test
        chat = Chat(
            agent,
            tools=tools,
            gate=gate,
            ids=counted_ids("thread"),
            # Times are those of the run and not of the day: fewer lines change.
            clock=lambda: round(time.monotonic() - start, 3),
            **options,
        )
        if self._owner:
            chat.recording.describe(owner=self._owner)
        return chat

    def _played(
        self,
        agent: str | Agent | AGUIAgent,
        tools: Iterable[AnyTool] | None,
        gate: Gate | None,
        options: dict[str, Any],
    ) -> Chat:
        before = self._before = self._load()
        system = options.pop("system")
        connection = today(agent, system=system, options=options)
        facts = {"agent": connection.agent.name, **connection.agent.facts}
        self._agent_differences = _other_agent(before, facts)
        scripted = scripted_chat(
            before,
            tools=connection.tools if tools is None else tools,
            gate=gate,
            options=options | _today(connection.agent, before, system),
            advice=_ANEW,
        )
        return scripted.chat

    def _load(self) -> Recording:
        if not self.path.exists():
            raise RecordingError(
                f"There is no recording {str(self.path)!r} to play. Make it with "
                f"pytest --agent-record=once; in a notebook, with {_VARIABLE}=once.",
                path=str(self.path),
            )
        return Recording.load(self.path)

    def _owner_of(self, kept: Recording) -> str:
        """Whose the recording is; a notebook that makes it anew leaves it theirs."""
        owner = str(kept.header.get("owner", ""))
        if self._owner and owner and owner != self._owner:
            raise RecordingError(
                f"{str(self.path)!r} belongs to {owner}, and {self._owner} wants it "
                "too. Give one of them another name.",
                path=str(self.path),
            )
        return self._owner or owner

    # ------------------------------------------------------------ the end

    @property
    def questions(self) -> tuple[str, ...]:
        """What was asked when it was recorded; empty where nothing is recorded."""
        if not self.path.exists():
            return ()
        return tuple(one.text for one in questions_of(Recording.load(self.path)))

    @property
    def outline(self) -> list[dict[str, Any]]:
        """What the chat has come to so far, as plain values to compare in a test."""
        return list(self._outcome().outline)

    def check(self) -> Replay:
        """Keep what was recorded, or hold what was played against the recording.

        Raises:
            AssertionError: It went differently; the message names the call.
            RecordingError: The recording cannot be written.
            AIStreamError: There was no chat.
        """
        outcome = self._outcome()
        if self._before is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            outcome.recording.save(self.path)
        return outcome.check()

    def _outcome(self) -> Replay:
        if self._chat is None:
            raise AIStreamError("Nothing was asked yet; begin with .chat(…).")
        now = self._chat.recording
        before = self._before
        if before is None:
            before = now
            before.name = self.path.name
        return compared(
            before,
            now,
            also=self._agent_differences,
            advice=_ANEW,
            parameters=are_known(before, now.header.get("options") or {}),
        )


def _other_agent(before: Recording, facts: Mapping[str, Any]) -> list[str]:
    header = before.header
    return [
        f"the {name} differs\n  was: {header[name]}\n  now: {facts[name]}"
        for name in _COMPARED
        if name in header and name in facts and header[name] != facts[name]
        if name not in _IN_REQUESTS or not _asks(before, name)
    ]


def _asks(before: Recording, name: str) -> bool:
    """Whether the recorded requests show this themselves; they say where it differs."""
    bodies = [one.body for one in sent_requests(before) if one.body is not None]
    return any(name in body for body in bodies) if name == "model" else bool(bodies)


def _today(agent: Agent, before: Recording, system: str | None) -> dict[str, Any]:
    """What today's agent would be asked with, as far as it speaks the recorded wire."""
    if isinstance(agent, RemoteAgent):
        return {"system": system, **_server_options(agent.server)}
    facts = agent.facts
    if facts.get("provider") != before.header.get("provider"):
        return {"system": facts.get("system")}
    nothing = dict.fromkeys(TOLD_OPTIONS)
    told = {**nothing, **read_options(facts.get("options"))}
    return {"model": facts["model"], "system": facts["system"], **told}


def _server_options(server: AGUIAgent) -> dict[str, Any]:
    """What an AG-UI agent was told that matters to what happens."""
    told: dict[str, Any] = {
        "approvals": server.approvals,
        "context": server.extra["context"],
        "forwarded_props": server.extra["forwardedProps"],
        "max_rounds": server.max_rounds,
        "normalise": server.normalise,
        "protocol_version": server.protocol_version,
        "resume_by": server.resume_by,
        "state": server.state,
    }
    if server.on_interrupt is not None:
        told["on_interrupt"] = server.on_interrupt
    return told
