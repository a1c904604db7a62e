"""What a tool is given beside its arguments: its id, a signal, and a way to ask.

Rules that a change must keep. A question is open until it is answered, superseded or
aborted, exactly one of them. A call that a reset abandoned cannot ask. Statuses are a
new map at each change, so an old reference stays what it was.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from aistream_nb.core.invocation.call import Call
from aistream_nb.core.invocation.machines import Outcome
from aistream_nb.errors import ToolExecutionError
from aistream_nb.tracker.waiting import Latch

__all__ = ["CallContext", "Questions", "StatusBoard", "Statuses", "StopSignal"]

Statuses: TypeAlias = Mapping[str, Mapping[str, Any]]

_EXECUTING: Final[Mapping[str, Any]] = MappingProxyType({"type": "executing"})


class StopSignal:
    """Says that the work should stop; trips once."""

    def __init__(self) -> None:
        self._latch: Latch[bool] = Latch()

    @property
    def aborted(self) -> bool:
        """Whether the work should stop."""
        return self._latch.done

    async def wait(self) -> None:
        """Return once the work should stop."""
        await self._latch

    def trip(self) -> None:
        """Say it."""
        self._latch.set(value=True)


@dataclass(frozen=True, slots=True)
class CallContext:
    """What ``stream_call`` and ``execute`` know about their call."""

    tool_call_id: str
    abort_signal: StopSignal
    ask: Callable[[Any], Awaitable[Any]]

    def human(self, payload: Any) -> Awaitable[Any]:
        """Ask a person: ``await`` what ``tracker.resume(id, …)`` is given.

        Raises:
            ToolExecutionError: When awaited, if the question was superseded by a new
                one of the same call, or the call was aborted.
        """
        return self.ask(payload)


class StatusBoard:
    """The map of statuses, and who is told when it changes."""

    def __init__(self, publish: Callable[[Statuses], None]) -> None:
        self._publish: Callable[[Statuses], None] = publish
        self.current: Statuses = MappingProxyType({})

    def show(self, call: Call, status: Mapping[str, Any] | None) -> None:
        """Give the call a status, or none; abandoned calls have none to give."""
        if call.standing.outcome is Outcome.ABANDONED:
            return
        tool_call_id = call.tool_call_id
        # By identity: a payload's == may raise anything.
        if self.current.get(tool_call_id) is status:
            return
        statuses = dict(self.current)
        statuses.pop(tool_call_id, None)
        if status is not None:
            statuses[tool_call_id] = status
        self._change(statuses)

    def show_flight(self, call: Call) -> None:
        """What a call without an open question shows."""
        self.show(call, _EXECUTING if call.standing.in_flight else None)

    def clear(self) -> None:
        """Forget all, in one publication."""
        if self.current:
            self._change({})

    def _change(self, statuses: dict[str, Mapping[str, Any]]) -> None:
        self.current = MappingProxyType(statuses)
        self._publish(self.current)


class Questions:
    """The open questions: at most one for each call."""

    def __init__(self, board: StatusBoard) -> None:
        self._board: StatusBoard = board
        self._open: dict[Call, Latch[Any]] = {}

    def is_open(self, call: Call) -> bool:
        """Whether the call waits for a person."""
        return call in self._open

    def ask(self, call: Call, payload: Any) -> Awaitable[Any]:
        """Open a question; what it will be answered with."""
        question: Latch[Any] = Latch()
        if call.standing.outcome is Outcome.ABANDONED:
            question.fail(_aborted(call))
            return question
        earlier = self._open.pop(call, None)
        if earlier is not None:
            earlier.fail(
                _failed(call, "Human input request was superseded by a new request")
            )
        self._open[call] = question
        self._board.show(
            call,
            MappingProxyType(
                {"type": "interrupt", "payload": {"type": "human", "payload": payload}}
            ),
        )
        return question

    def answer(self, tool_call_id: str, payload: Any) -> bool:
        """Answer the open question of that id, if there is one."""
        call = next((c for c in self._open if c.tool_call_id == tool_call_id), None)
        if call is None:
            return False
        question = self._open.pop(call)
        self._board.show_flight(call)
        return question.set(payload)

    def abort(self) -> None:
        """Fail every open question."""
        questions, self._open = self._open, {}
        for call, question in questions.items():
            question.fail(_aborted(call))
            self._board.show_flight(call)


def _aborted(call: Call) -> ToolExecutionError:
    return _failed(call, "Tool execution aborted")


def _failed(call: Call, message: str) -> ToolExecutionError:
    return ToolExecutionError(message, tool_name=call.tool_name)
