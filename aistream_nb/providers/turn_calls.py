"""One call answered: checked, asked about, run, and its result put into words.

The steps are those of the turn's specification, section 4, in that order. What is
not an explicit *proceed* never runs the tool: a gate that raises, or that answers
anything else, ends the turn.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.core.json_text import UnencodableError
from aistream_nb.core.long_results import RESULT_LIMIT, result_json
from aistream_nb.core.running_on import words_on_running
from aistream_nb.core.tool_spec import ClientTool, Deny, Gate, GateRequest, Proceed
from aistream_nb.core.turn_events import ToolCallResult
from aistream_nb.core.values import ABSENT
from aistream_nb.errors import TurnError
from aistream_nb.providers.base import ReadyCall
from aistream_nb.providers.continuation import call_text
from aistream_nb.providers.turn_abort import AbortError, AbortSignal, interruptible
from aistream_nb.providers.turn_outcome import ToolCallSummary

__all__ = ["Answer", "CallDesk"]

_EDITED: Final = (
    "A person changed the arguments before the tool ran. The result is that of the "
    "changed arguments."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of one call."""

    call: ReadyCall
    result: ToolCallResult
    edited: Mapping[str, Any] | None = None
    failure: TurnError | None = None
    """Why the turn must end here, if it must."""

    def summary(self) -> ToolCallSummary:
        """The call and its result, for the outcome."""
        return ToolCallSummary(
            tool_name=self.call.name,
            call_id=self.call.call_id,
            arguments=self.call.arguments,
            result=self.result.result,
            is_error=self.result.is_error,
            edited_arguments=self.edited,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Approved:
    """A call that may run, with what it runs with."""

    call: ReadyCall
    tool: ClientTool
    arguments: Mapping[str, Any]
    edited: Mapping[str, Any] | None = None


class CallDesk:
    """Answers the calls of one round."""

    def __init__(
        self,
        tools: Mapping[str, ClientTool],
        *,
        gate: Gate | None,
        timeout: float | None = None,
        abort: AbortSignal | None = None,
        interrupt_tools: bool = False,
        max_result_chars: int | None = RESULT_LIMIT,
    ) -> None:
        self._tools: Final = tools
        self._gate: Final = gate
        self._timeout: Final = timeout
        self._abort: Final = abort
        self._tool_abort: Final = abort if interrupt_tools else None
        self._longest: Final = max_result_chars

    async def answer(self, call: ReadyCall) -> Answer:
        """The answer to one call; never raises but for a cancellation."""
        judged = await self._judge(call)
        return judged if isinstance(judged, Answer) else await self._run(judged)

    async def answer_side_by_side(self, calls: list[ReadyCall]) -> list[Answer]:
        """The answers to calls that run together, in the order of the calls.

        The gate is still asked one by one; the first failure of a gate ends the
        asking, and then none of the calls runs.
        """
        judged: list[Answer | _Approved] = []
        for call in calls:
            judged.append(await self._judge(call))
            if isinstance(judged[-1], Answer) and judged[-1].failure is not None:
                return [item for item in judged if isinstance(item, Answer)]
        async with asyncio.TaskGroup() as group:
            running = {
                place: group.create_task(self._run(item))
                for place, item in enumerate(judged)
                if isinstance(item, _Approved)
            }
        return [
            running[place].result() if isinstance(item, _Approved) else item
            for place, item in enumerate(judged)
        ]

    async def _judge(self, call: ReadyCall) -> Answer | _Approved:
        tool = self._tools.get(call.name)
        if tool is None:
            return _answer(call, f"model called unknown tool: {call.name}")
        if call.problem is not None:
            return _error(call, call.problem)
        try:
            arguments = tool.validate(_copied(call.arguments))
        except Exception as error:  # noqa: BLE001 - whatever it is, the call cannot run
            return _error(call, _said(error))
        approved = _Approved(call=call, tool=tool, arguments=arguments)
        return approved if self._gate is None else await self._ask(self._gate, approved)

    async def _ask(self, gate: Gate, asked: _Approved) -> Answer | _Approved:
        call = asked.call
        request = GateRequest(
            tool=asked.tool.spec, arguments=asked.arguments, tool_call_id=call.call_id
        )
        try:
            async with interruptible(self._abort):
                decision: object = await _awaited(gate(request))
        except asyncio.CancelledError as error:
            return _failed(call, _own_cancellation(error))
        except Exception as error:  # noqa: BLE001 - a gate that fails, fails closed
            return _failed(call, error)
        if isinstance(decision, Deny):
            return _error(call, f"tool execution denied: {decision.reason}")
        if not isinstance(decision, Proceed):
            kind = type(decision).__name__
            said = f"the gate answered neither proceed nor deny, but a {kind!r}"
            return _failed(call, TurnError(said))
        return _edited(asked, decision)

    async def _run(self, approved: _Approved) -> Answer:
        call = approved.call
        try:
            value = await self._value(approved)
        except asyncio.CancelledError as error:
            return _error(call, _said(_own_cancellation(error)), approved.edited)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool may raise anything
            return _error(call, _said(error), approved.edited)
        return _success(approved, value, longest=self._longest)

    async def _value(self, approved: _Approved) -> object:
        scope = asyncio.timeout(self._timeout)
        try:
            async with scope, interruptible(self._tool_abort):
                return await approved.tool.execute(approved.arguments)
        except AbortError as abort:
            words = f"stopped while it ran: {abort}{words_on_running(abort)}"
            raise TurnError(words) from None
        except TimeoutError as error:
            if not scope.expired():
                raise
            words = f"no result within {self._timeout:g} s{words_on_running(error)}"
            raise TurnError(words) from None


def _copied(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments for a tool to keep: what it does to them changes no history."""
    try:
        return copy.deepcopy(dict(arguments))
    except RecursionError:  # deeper than any tool's own work
        return arguments


async def _awaited(answer: Any) -> object:
    return await answer if inspect.isawaitable(answer) else answer


def _own_cancellation(error: asyncio.CancelledError) -> Exception:
    """The failure that a stray cancellation is; one that is meant for us goes on."""
    task = asyncio.current_task()
    if task is None or task.cancelling():
        raise error
    return TurnError("it was cancelled")


def _edited(asked: _Approved, decision: Proceed) -> Answer | _Approved:
    if decision.arguments is None or decision.arguments == asked.arguments:
        return asked
    try:
        arguments = asked.tool.validate(_copied(decision.arguments))
    except Exception as error:  # noqa: BLE001 - as for the model's own arguments
        return _error(asked.call, f"the changed arguments do not fit: {_said(error)}")
    return _Approved(
        call=asked.call,
        tool=asked.tool,
        arguments=arguments,
        edited=dict(decision.arguments),
    )


def _said(error: BaseException) -> str:
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001 - somebody's own error, without words
        return type(error).__name__


def _answer(
    call: ReadyCall,
    text: str,
    *,
    is_error: bool = True,
    edited: Mapping[str, Any] | None = None,
) -> Answer:
    result = ToolCallResult(
        tool_name=call.name, call_id=call.call_id, result=text, is_error=is_error
    )
    return Answer(call=call, result=result, edited=edited)


def _error(
    call: ReadyCall, said: str, edited: Mapping[str, Any] | None = None
) -> Answer:
    return _answer(call, call_text(call.name, call.call_id, said), edited=edited)


def _failed(call: ReadyCall, error: Exception) -> Answer:
    """The answer that ends the turn."""
    answer = _error(call, _said(error))
    failure = TurnError(
        answer.result.result, tool_name=call.name, tool_call_id=call.call_id
    )
    return Answer(call=call, result=answer.result, failure=failure)


def _success(approved: _Approved, value: object, *, longest: int | None) -> Answer:
    call, edited = approved.call, approved.edited
    if value is ABSENT or inspect.isroutine(value):
        said = (
            "tool returned a non-serializable value (JSON.stringify produced undefined)"
        )
        return _error(call, said, edited)
    if edited is not None:
        # The model sees its own arguments again, so it must be told of the others.
        value = {"note": _EDITED, "changedArguments": edited, "result": value}
    try:
        text = result_json(value, longest=longest)
    except UnencodableError as error:
        return _error(call, f"failed to serialize tool result: {error}", edited)
    except Exception as error:  # noqa: BLE001 - the tool's own object may raise anything
        said = f"failed to serialize tool result: {type(error).__name__}"
        return _error(call, said, edited)
    return _answer(call, text, is_error=False, edited=edited)
