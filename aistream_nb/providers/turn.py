"""One round with a model and our tools: events while it lasts, an outcome at its end.

The rules of order (provider turns, section 3): a call is announced, its arguments
end, its result follows; nothing of the wire is read while a tool or a gate is at
work; ``done`` or ``error`` is last. No task outlives a turn, and a consumer who
stops reading closes the connection and fails the outcome.
"""

from __future__ import annotations

import weakref
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Iterable,
    Sequence,
)
from contextlib import aclosing
from types import TracebackType
from typing import Any, Final, Self, Unpack

from aistream_nb.core.tool_spec import ClientTool, Gate, ToolChecking
from aistream_nb.core.turn_events import (
    Done,
    ToolCallArgsDelta,
    ToolCallDone,
    ToolCallResult,
    ToolCallStart,
    TurnEvent,
    TurnFailed,
)
from aistream_nb.errors import (
    ProviderError,
    TurnError,
)
from aistream_nb.http import HttpClient
from aistream_nb.providers.base import Ending, ReadyCall, StreamItem, TurnRequest
from aistream_nb.providers.dialects import DIALECTS
from aistream_nb.providers.messages import MessageLike
from aistream_nb.providers.registry import ProviderRecord
from aistream_nb.providers.turn_abort import AbortError, AbortSignal, interruptible
from aistream_nb.providers.turn_calls import Answer, CallDesk
from aistream_nb.providers.turn_outcome import (
    Continuation,
    NextTurn,
    Settlement,
    ToolConflicts,
    TurnOutcome,
)
from aistream_nb.providers.turn_prepare import (
    Prepared,
    TurnOptions,
    TurnSettings,
    prepare,
)
from aistream_nb.providers.turn_source import Road, RoundSource

__all__ = ["Turn", "execute_client_tool_turn", "make_turn"]

_OF_CALLS: Final = (ToolCallStart, ToolCallArgsDelta, ReadyCall)
_SHORT: Final = 7
"""Header values up to this length are words, not secrets."""


def execute_client_tool_turn(
    *,
    provider: str | ProviderRecord,
    messages: Iterable[MessageLike],
    client_tools: Sequence[ClientTool] = (),
    on_before_tool_execute: Gate | None = None,
    continuation_messages: Iterable[Any] = (),
    **options: Unpack[TurnOptions],
) -> Turn:
    """One round: a request whose tool calls are gated, run and answered here.

    While :attr:`Turn.next_turn` gives a continuation, the model wants another round:
    call again with the same messages and ``continuation_messages`` set to the
    continuation's. How many rounds is for the caller to limit.

    The request leaves when the events are first asked for. For the options see
    :class:`~aistream_nb.providers.turn_prepare.TurnSettings`.

    Raises:
        TurnError: The turn cannot start; nothing was sent.
        ValueError: The gate's rules misspell a tool or an argument.
    """
    settings = TurnSettings(**options)
    prepared = prepare(
        provider,
        messages,
        tools=client_tools,
        tail=continuation_messages,
        settings=settings,
    )
    gate: object = on_before_tool_execute
    if isinstance(gate, ToolChecking):
        gate.check_tools(tool.spec for tool in client_tools)
    return make_turn(prepared, settings, gate=on_before_tool_execute)


def make_turn(
    prepared: Prepared, settings: TurnSettings, *, gate: Gate | None = None
) -> Turn:
    """The turn of a request that was prepared."""
    request = prepared.request
    dialect = DIALECTS[request.record.wire]
    client = settings.client
    owned = HttpClient() if client is None else None
    road = Road(
        provider=request.record.id,
        headers=request.headers,
        secrets=_secrets(request),
        client=owned or HttpClient.around(client or HttpClient()),
        retry=settings.retry,
        hooks=settings.hooks,
        max_answer_bytes=settings.max_answer_bytes,
    )
    source = RoundSource(
        dialect.request(request), lambda: dialect.translator(request), road=road
    )
    desk = CallDesk(
        prepared.tools,
        gate=gate,
        timeout=settings.tool_timeout,
        abort=settings.abort,
        interrupt_tools=settings.interrupt_tools,
        max_result_chars=settings.max_result_chars,
    )
    return Turn(
        source,
        desk,
        tail=request.tail,
        conflicts=prepared.conflicts,
        settings=settings,
        owned_client=owned,
    )


def _secrets(request: TurnRequest) -> tuple[str, ...]:
    """The key, and whatever else a caller put into headers."""
    others = [value for value in request.headers.values() if len(value) > _SHORT]
    return (request.key, *others)


class Turn:
    """One round that was begun. Read its events, then await its outcome."""

    def __init__(
        self,
        source: RoundSource,
        desk: CallDesk,
        *,
        tail: tuple[Any, ...],
        conflicts: ToolConflicts | None,
        settings: TurnSettings,
        owned_client: HttpClient | None,
    ) -> None:
        self._source: Final = source
        self._desk: Final = desk
        self._tail: Final = tail
        self._conflicts: Final = conflicts
        self._abort: Final[AbortSignal | None] = settings.abort
        self._concurrent: Final = settings.concurrent
        self._client: Final = owned_client
        self._answers: Final[list[Answer]] = []
        self._settlement: Final = Settlement()
        self._connected = False
        self._started = False
        self._events: weakref.ref[AsyncGenerator[TurnEvent]] | None = None

    @property
    def events(self) -> AsyncIterator[TurnEvent]:
        """What happens, as it happens. It can be gone through once.

        The turn holds no grip on it: a loop that is left early lets go of it, and
        that ends the turn. ``async with turn:`` ends it at once and for certain.
        """
        events = self._live_events()
        if events is not None:
            return events
        if self._started:
            return _Nothing()
        events = self._generate()
        self._events = weakref.ref(events)
        return events

    @property
    def next_turn(self) -> NextTurn:
        """The outcome, to be awaited; as often as you like.

        Awaiting it raises :class:`~aistream_nb.TurnError` or
        :class:`~aistream_nb.ProviderError` when the round failed. If nobody asked
        for the events, they are read (and the tools are run) on the way.
        """
        return NextTurn(self._wait)

    async def connect(self) -> None:
        """Send the request now, instead of when the events are first asked for.

        Raises:
            ProviderError: There is no answer, or none that is a success; the turn
                has failed.
            TurnError: The turn was aborted.
        """
        try:
            await self._connect()
        except (ProviderError, TurnError) as error:
            self._started = True
            self._settlement.fail(error)
            await self._let_go()
            raise

    async def aclose(self) -> None:
        """End the turn, if it has not ended: no tool starts after this."""
        events = self._live_events()
        if events is not None:
            await events.aclose()
        self._started = True
        await self._stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _live_events(self) -> AsyncGenerator[TurnEvent] | None:
        return self._events() if self._events is not None else None

    async def _generate(self) -> AsyncGenerator[TurnEvent]:
        """All events; the outcome is settled before the last of them is given."""
        self._started = True
        try:
            async with aclosing(self._happenings()) as happenings:
                async for event in happenings:
                    yield event
            done, failure = self._finish()
            yield done
            if failure is not None:
                yield TurnFailed(message=str(failure))
        except (ProviderError, TurnError) as error:
            self._settlement.fail(error)
            yield TurnFailed(message=str(error))
        finally:
            await self._stop()

    async def _happenings(self) -> AsyncGenerator[TurnEvent]:
        """The events of the stream, and the results of the calls in it.

        After an abort, what had arrived may still be shown, but no call is told of.
        """
        waiting: list[ReadyCall] = []
        while batch := await self._next_batch():
            for item in batch:
                if isinstance(item, _OF_CALLS):
                    self._check_abort()
                if not isinstance(item, ReadyCall):
                    yield item
                    continue
                yield _announced(item)
                self._check_abort()
                if self._concurrent:
                    waiting.append(item)
                    continue
                yield self._keep(await self._desk.answer(item))
                self._check_gate()
        for answer in await self._answer_together(waiting):
            yield self._keep(answer)
        self._check_gate()
        self._check_abort()

    async def _next_batch(self) -> Sequence[StreamItem]:
        await self._connect()
        try:
            async with interruptible(self._abort):
                return await self._source.next()
        except AbortError as abort:
            raise TurnError(str(abort)) from None

    async def _connect(self) -> None:
        if self._connected:
            return
        try:
            async with interruptible(self._abort):
                await self._source.connect()
        except AbortError as abort:
            raise TurnError(f"AI streaming request failed: {abort}") from None
        self._connected = True

    async def _answer_together(self, calls: list[ReadyCall]) -> list[Answer]:
        if not calls:
            return []
        ending = self._source.close()
        if ending.error is not None:
            return []  # a stream that broke runs nothing; the failure follows
        return await self._desk.answer_side_by_side(calls)

    def _keep(self, answer: Answer) -> ToolCallResult:
        self._answers.append(answer)
        return answer.result

    def _check_gate(self) -> None:
        if self._answers and (failure := self._answers[-1].failure) is not None:
            raise failure

    def _check_abort(self) -> None:
        if self._abort is not None and self._abort.aborted:
            raise TurnError(self._abort.reason)

    def _finish(self) -> tuple[Done, TurnError | None]:
        """The last event, and what failed although the stream did not."""
        ending = self._source.close()
        if ending.error is not None:
            raise self._source.broken(ending.error)
        done = Done(
            truncated=ending.truncated,
            full_text=self._source.translator.full_text(),
            incomplete_reason=ending.incomplete_reason,
            stop_reason=ending.stop_reason,
            usage=ending.usage,
        )
        try:
            continuation = self._continuation(ending)
        except TurnError as error:
            self._settlement.fail(error)
            return done, error
        self._settlement.succeed(self._outcome(done, continuation))
        return done, None

    def _continuation(self, ending: Ending) -> Continuation | None:
        if not (self._answers or ending.paused):
            return None
        results = [answer.result for answer in self._answers]
        messages = self._source.translator.continuation(results)
        return Continuation(
            messages=(*self._tail, *messages),
            summary=tuple(answer.summary() for answer in self._answers),
        )

    def _outcome(self, done: Done, continuation: Continuation | None) -> TurnOutcome:
        return TurnOutcome(
            continuation=continuation,
            truncated=done.truncated,
            full_text=done.full_text,
            usage=done.usage,
            stop_reason=done.stop_reason,
            incomplete_reason=done.incomplete_reason,
            tool_conflicts=self._conflicts,
        )

    async def _stop(self) -> None:
        self._settlement.fail(
            TurnError("the turn was left before its end; no tool runs any more")
        )
        await self._let_go()

    async def _let_go(self) -> None:
        await self._source.aclose()
        if self._client is not None:
            await self._client.aclose()

    async def _wait(self) -> TurnOutcome:
        if not self._started and self._live_events() is None:
            async for _ in self.events:
                pass
        return await self._settlement.wait()


def _announced(call: ReadyCall) -> ToolCallDone:
    return ToolCallDone(
        tool_name=call.name, call_id=call.call_id, arguments=call.arguments
    )


class _Nothing:
    """The events of a turn that was gone through already."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> TurnEvent:
        raise StopAsyncIteration
