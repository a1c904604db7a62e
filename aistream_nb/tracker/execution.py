"""Running a tool for one call: validate, ask the gate, execute, settle.

Rules that a change must keep. A flight begins by the table's ``claim`` and reaches
the tool's code by its ``invoke``; nothing else may call ``execute``. Whatever the
tool, its schema or the gate raises becomes the call's result. A flight settles once,
and what may be told of it is a row of a table too. A gate that answers nonsense or
fails never runs the tool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterable
from typing import Any, Final, Protocol

from aistream_nb.core.invocation.call import Call
from aistream_nb.core.invocation.events import Diagnostic, ToolResponse
from aistream_nb.core.invocation.machines import REPORT_WHEN, Move, Outcome
from aistream_nb.core.tool_spec import (
    Decision,
    Deny,
    Gate,
    GateRequest,
    Proceed,
    ToolSpec,
)
from aistream_nb.core.values import ABSENT, is_mapping
from aistream_nb.tracker.context import CallContext
from aistream_nb.tracker.tooling import ToolParts, finished, validation_text
from aistream_nb.tracker.turns import Turns, end_task, wait_for_ends
from aistream_nb.tracker.waiting import Latch

__all__ = ["CANCELLED", "Executions", "Flight", "Host", "Settling"]

CANCELLED: Final = ToolResponse("Tool execution was cancelled.", is_error=True)

GRACE_TURNS: Final = 12
"""Turns of the loop in which an aborted tool may still end in its own way."""

_NO_RESULT: Final = "<no result>"


class Host(Protocol):
    """What an execution needs of the tracker around it, which it does not keep."""

    @property
    def gate(self) -> Gate | None:
        """Who is asked before a tool runs, if somebody is."""
        ...

    def takes_off(self, call: Call) -> None:
        """The call is in flight."""
        ...

    def lands(self, call: Call) -> None:
        """The call is in flight no more."""
        ...

    def responds(self, call: Call, response: ToolResponse, *, tell: bool) -> None:
        """Its response is known; ``tell`` the host of the tracker, or not."""
        ...

    def report(self, diagnostic: Diagnostic) -> None:
        """Something went wrong."""
        ...


class Flight:
    """One execution, from its claim until it is settled."""

    def __init__(self, call: Call, tool: ToolParts, context: CallContext) -> None:
        self.call: Call = call
        self.tool: ToolParts = tool
        self.context: CallContext = context
        self.settled: Latch[bool] = Latch()
        self.task: asyncio.Task[None]

    @property
    def stopped(self) -> bool:
        """Whether an abort wants it to end."""
        return self.context.abort_signal.aborted


class Settling(Awaitable[None]):
    """Done when the flights have settled and their tasks have ended. Never fails."""

    def __init__(self, flights: Iterable[Flight], late: Callable[[int], None]) -> None:
        self._flights: tuple[Flight, ...] = tuple(flights)
        self._late: Callable[[int], None] = late

    async def _wait(self) -> None:
        for flight in self._flights:
            await flight.settled
        count = await wait_for_ends(flight.task for flight in self._flights)
        if count:
            self._late(count)

    def __await__(self) -> Generator[Any, None, None]:
        return self._wait().__await__()


class Executions:
    """The flights of one tracker.

    Args:
        host: Gives the tracker, or ``None`` once it is gone: a weak reference, for a
            flight holds us and must not hold the tracker.
        turns: Where the flights become tasks.
    """

    def __init__(self, host: Callable[[], Host | None], turns: Turns) -> None:
        self._host: Callable[[], Host | None] = host
        self._turns: Turns = turns
        self._gate_is_free: asyncio.Lock | None = None
        self._flights: dict[Flight, None] = {}

    def begin(self, call: Call, tool: ToolParts, context: CallContext) -> None:
        """Run the call, if its table allows it."""
        host, value = self._host(), call.value
        if host is None or not call.standing.move(Move.CLAIM):
            return
        flight = Flight(call, tool, context)
        self._flights[flight] = None
        host.takes_off(call)
        flight.task = self._turns.start(self._fly(flight, value))
        # Here, because a task that is cancelled early never enters its coroutine.
        flight.task.add_done_callback(lambda _: self._settle(flight, CANCELLED))

    def stop(self) -> Settling:
        """End what is in flight: in its own way if it hurries, else cancelled."""
        flights = tuple(self._flights)
        if flights:
            self._turns.later(GRACE_TURNS, lambda: self._cut_off(flights))
        return Settling(flights, self._are_late)

    def _cut_off(self, flights: Iterable[Flight]) -> None:
        for flight in flights:
            if not flight.settled.done:
                self._settle(flight, CANCELLED)
                end_task(flight.task)

    def _are_late(self, count: int) -> None:
        self._report(
            None,
            "cancel-ignored",
            f"{count} aborted tools still run: they do not let themselves be cancelled",
        )

    # ------------------------------------------------------------ one flight

    async def _fly(self, flight: Flight, value: Any) -> None:
        self._settle(flight, await self._run(flight, value))

    async def _run(self, flight: Flight, value: Any) -> ToolResponse | None:
        """The response, or ``None`` if the tables let nothing be said of it."""
        try:
            arguments = await _validated(flight.tool, value)
        except Exception as error:  # noqa: BLE001 -- whatever the schema raises is the call's result
            return await self._refuse(flight, value, error)
        answer = await self._pass_gate(flight, arguments)
        if not isinstance(answer, Proceed):
            return answer
        arguments = answer.arguments
        if flight.stopped:
            return CANCELLED
        if not flight.call.standing.move(Move.INVOKE):
            return None
        return await self._execute(flight, arguments)

    async def _execute(self, flight: Flight, arguments: Any) -> ToolResponse:
        execute, context = flight.tool.execute, flight.context
        assert execute is not None  # noqa: S101 -- begin() is only given tools that have one
        try:
            response = _as_response(await finished(execute(arguments, context)))
        except Exception as error:  # noqa: BLE001 -- whatever the tool raises is the call's result
            return _as_failure(error)
        return await self._with_model_content(flight, arguments, response)

    async def _refuse(
        self, flight: Flight, value: Any, error: Exception
    ) -> ToolResponse:
        fallback = flight.tool.on_schema_validation_error
        if flight.stopped:
            return CANCELLED
        if fallback is None or flight.call.standing.resolved:
            return ToolResponse(validation_text(error), is_error=True)
        try:
            return _as_response(await finished(fallback(value, flight.context)))
        except Exception as raised:  # noqa: BLE001 -- as for execute
            return _as_failure(raised)

    async def _with_model_content(
        self, flight: Flight, arguments: Any, response: ToolResponse
    ) -> ToolResponse:
        translate = flight.tool.to_model_output
        if (
            translate is None
            or response.is_error
            or response.model_content is not ABSENT
        ):
            return response
        tool_call_id = flight.call.tool_call_id
        try:
            content = await finished(
                translate(
                    tool_call_id=tool_call_id, input=arguments, output=response.result
                )
            )
        except Exception as error:  # noqa: BLE001 -- the result stands without it
            self._report(
                flight.call,
                "to-model-output",
                "to_model_output raised; the model is told the result itself",
                error,
            )
            return response
        return ToolResponse(
            response.result, artifact=response.artifact, model_content=content
        )

    # ------------------------------------------------------------ the gate

    async def _pass_gate(
        self, flight: Flight, arguments: Any
    ) -> Proceed | ToolResponse | None:
        """What to run with; or a response instead; or ``None``: say nothing."""
        gate, standing = self._gate(), flight.call.standing
        if gate is None:
            return Proceed(arguments=arguments)
        if flight.stopped:
            return CANCELLED
        async with self._gate_turn():
            if not standing.move(Move.ASK):
                return None
            decision = await self._ask(flight, gate, arguments)
        if isinstance(decision, Deny):
            standing.move(Move.DENY)
            reason = f": {decision.reason}" if decision.reason else "."
            return ToolResponse(f"Tool execution denied{reason}", is_error=True)
        if decision.arguments is not None:
            try:
                arguments = await _validated(flight.tool, decision.arguments)
            except Exception as error:  # noqa: BLE001 -- edited arguments are judged like the model's
                standing.move(Move.DENY)
                return ToolResponse(validation_text(error), is_error=True)
        standing.move(Move.APPROVE)
        return Proceed(arguments=arguments)

    def _gate(self) -> Gate | None:
        host = self._host()
        return _nobody if host is None else host.gate

    def _gate_turn(self) -> asyncio.Lock:
        """One question after another: a person reads one card at a time."""
        if self._gate_is_free is None:
            self._gate_is_free = asyncio.Lock()
        return self._gate_is_free

    async def _ask(self, flight: Flight, gate: Gate, arguments: Any) -> Proceed | Deny:
        call = flight.call
        if not is_mapping(arguments):
            return Deny(reason="its arguments are not an object")
        spec = flight.tool.spec or ToolSpec(name=call.tool_name)
        request = GateRequest(
            tool=spec, arguments=arguments, tool_call_id=call.tool_call_id
        )
        try:
            decision: Any = await gate(request)
        except Exception as error:  # noqa: BLE001 -- fail closed, whatever the gate raises
            self._report(
                call, "gate-failed", "the gate raised; the tool does not run", error
            )
            return Deny(reason="the gate failed")
        if isinstance(decision, (Proceed, Deny)):
            return decision
        self._report(
            call,
            "gate-failed",
            f"the gate must answer Proceed or Deny; got {type(decision).__name__}, so "
            "the tool does not run",
        )
        return Deny(reason="the gate gave no valid answer")

    # ------------------------------------------------------------ the end

    def _settle(self, flight: Flight, response: ToolResponse | None) -> None:
        if flight.settled.done:
            return
        del self._flights[flight]
        call = flight.call
        host = self._host() if call.standing.move(Move.SETTLE) else None
        if host is not None:
            host.lands(call)
        flight.settled.set(value=True)
        # D1: once the backend spoke, our value goes nowhere.
        is_ours = call.standing.outcome is Outcome.SETTLED
        if host is not None and response is not None and is_ours:
            host.responds(call, response, tell=REPORT_WHEN.met_by(call.standing))

    def _report(
        self,
        call: Call | None,
        code: str,
        message: str,
        error: Exception | None = None,
    ) -> None:
        host, tool_call_id = self._host(), None if call is None else call.tool_call_id
        if host is not None:
            host.report(Diagnostic(code, message, tool_call_id, error))


async def _nobody(_: GateRequest) -> Decision:
    """The gate of a tracker that is gone: nothing runs for it any more."""
    return Deny(reason="the tracker is gone")


async def _validated(tool: ToolParts, arguments: Any) -> Any:
    return (
        arguments if tool.validate is None else await finished(tool.validate(arguments))
    )


def _as_response(value: object) -> ToolResponse:
    if isinstance(value, ToolResponse):
        return value
    return ToolResponse(_NO_RESULT if value is ABSENT else value)


def _as_failure(error: Exception) -> ToolResponse:
    return ToolResponse(f"{type(error).__name__}: {error}", is_error=True)
