"""What a turn leaves behind: how it ended, and what to send to go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from aistream_nb.core.turn_events import Usage
from aistream_nb.errors import AIStreamError, TurnError

__all__ = [
    "Continuation",
    "NextTurn",
    "Settlement",
    "ToolCallSummary",
    "ToolConflicts",
    "TurnOutcome",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallSummary:
    """One call of a round, with its answer."""

    tool_name: str
    call_id: str | None
    arguments: Mapping[str, Any]
    """As the model wrote them."""
    result: str
    is_error: bool
    edited_arguments: Mapping[str, Any] | None = None
    """What the tool ran with instead, when the gate replaced the arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """What the next round needs: pass ``messages`` as its ``continuation_messages``.

    The messages are cumulative. They replace those of the round before; appending
    them to those would send each call twice.
    """

    messages: tuple[Any, ...]
    summary: tuple[ToolCallSummary, ...]
    """The calls of this round only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConflicts:
    """Tools that were left out, because the provider refuses both kinds together."""

    policy: Literal["drop-server-tools", "prefer-server-tools", "fail", "combine"]
    dropped_server_tools: tuple[str, ...] = ()
    dropped_client_tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    """How a round ended well. A round that failed raises instead."""

    continuation: Continuation | None
    """``None`` when the model is finished; otherwise run another round with it."""
    truncated: bool
    full_text: str
    """The text of this round only."""
    usage: Usage | None = None
    stop_reason: str | None = None
    incomplete_reason: str | None = None
    """Why the answer is not whole, in the provider's word: a refusal, a limit."""
    tool_conflicts: ToolConflicts | None = None


class NextTurn:
    """Awaits a turn's outcome."""

    def __init__(self, wait: Callable[[], Coroutine[Any, None, TurnOutcome]]) -> None:
        self._wait: Final = wait

    def __await__(self) -> Generator[Any, None, TurnOutcome]:
        return self._wait().__await__()


class Settlement:
    """An outcome or a failure, decided once. Nobody has to collect it."""

    def __init__(self) -> None:
        self._decided: Final = asyncio.Event()
        self._outcome: TurnOutcome | None = None
        self._failure: AIStreamError | None = None

    def succeed(self, outcome: TurnOutcome) -> None:
        """The round ended well."""
        self._outcome = outcome
        self._decided.set()

    def fail(self, failure: AIStreamError) -> None:
        """The round failed, unless it was decided before."""
        if not self._decided.is_set():
            self._failure = failure
            self._decided.set()

    async def wait(self) -> TurnOutcome:
        """The outcome, once it is decided.

        Raises:
            AIStreamError: The round failed.
        """
        await self._decided.wait()
        if self._outcome is not None:
            return self._outcome
        raise self._failure or TurnError("the turn ended without an outcome")
