"""What a chat asks of an agent: run one task, and tell it as AG-UI events.

Two kinds exist: a model behind a provider, whose tools run here
(:mod:`aistream_nb.chat.provider_agent`), and an AG-UI server
(:mod:`aistream_nb.chat.remote_agent`). A chat does not know which one it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from aistream_nb.chat.narration import Emit
from aistream_nb.chat.saved import SavedConversation
from aistream_nb.core.invocation.ledger import Ledger
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.tool_spec import ClientTool, Gate
from aistream_nb.core.values import Event
from aistream_nb.gate import Audience

__all__ = [
    "Agent",
    "FaultFinding",
    "Keyed",
    "Restorable",
    "Rewindable",
    "Stateful",
    "Task",
    "Tracking",
    "WireLog",
]


class WireLog(Protocol):
    """Keeps what passes between us and a provider; a recording's ``append_wire``."""

    def __call__(
        self,
        number: int,
        *,
        request: Mapping[str, Any] | None = None,
        content: bytes | None = None,
    ) -> None:
        """Keep a request, or a piece of an answer, of the round ``number``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One run: the question, and all that the agent needs to answer it."""

    thread_id: str
    run_id: str
    question: Mapping[str, Any] | None
    """The user's message as AG-UI has it, or ``None`` to go on without one."""
    kept: tuple[Mapping[str, Any], ...] | None
    """The AG-UI messages that stay where the thread was cut; ``None`` if it goes on."""
    tools: tuple[ClientTool, ...]
    gate: Gate
    audience: Audience
    emit: Emit
    wire: WireLog
    new_id: Callable[[str], str]


class Agent(Protocol):
    """Something that can be talked to."""

    @property
    def name(self) -> str:
        """What a person calls it, such as ``anthropic:claude-sonnet-5``."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """What a recording's header says of it; enough to replay it."""
        ...

    async def run(self, task: Task) -> None:
        """Do the task. From RUN_STARTED on, exactly one event ends the run.

        Raises:
            ProviderError: The run failed; RUN_ERROR was emitted before.
            TurnError: As above.
        """
        ...

    async def aclose(self) -> None:
        """Close what is open to the network."""
        ...


@runtime_checkable
class Keyed(Protocol):
    """An agent that sends secrets, which nobody may keep."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that a recording must never hold, as they are now."""
        ...


@runtime_checkable
class Rewindable(Protocol):
    """An agent that can forget, so that a question can be asked again."""

    def rewind(self, question_id: str) -> bool:
        """Forget a question and all that came after; false if it never heard it."""
        ...


@runtime_checkable
class Restorable(Protocol):
    """An agent that can go on with a conversation which another session held."""

    def restore(self, saved: SavedConversation) -> Sequence[Event]:
        """Know what was said, and run nothing; the events that end a torn run."""
        ...


@runtime_checkable
class Stateful(Protocol):
    """An agent that shares a state with the chat, as AG-UI servers do."""

    state: Any
    """What the next run starts from, and what the last one left."""


@runtime_checkable
class Tracking(Protocol):
    """An agent whose tool calls are watched by a tracker of its own."""

    def read_ledger(self) -> Ledger:
        """What became of every call."""
        ...

    def watch_calls(self, changed: Callable[[], None]) -> None:
        """Have ``changed`` called when a call begins to run, or ends."""
        ...


@runtime_checkable
class FaultFinding(Protocol):
    """An agent that sees faults below the events: bad frames, odd content types."""

    @property
    def faults(self) -> tuple[Slip, ...]:
        """All that were found so far."""
        ...
