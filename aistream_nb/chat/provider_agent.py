"""A model behind a provider as an agent: rounds of requests, with tools that run here.

One run is as many rounds as the model needs. Each round is one turn
(:func:`~aistream_nb.providers.turn.execute_client_tool_turn`); what it leaves behind
is the next one's tail. Rules that a change here must keep:

1. RUN_STARTED first; then, whatever happens, exactly one event that ends the run.
2. The history is what the provider has seen, in its own words. A run that failed or
   was stopped leaves its question and what it answered in full, never half a call:
   what ran is told, and so is what did not run.
3. A limit of rounds, or a budget, ends the run with an error that says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, Final, TypeAlias

from aistream_nb.chat.agent import Task
from aistream_nb.chat.failures import failure_code, failure_words
from aistream_nb.chat.narration import Emit, NarratedGate
from aistream_nb.chat.restored_history import (
    closing_events,
    entries_of,
    turn_entries,
)
from aistream_nb.chat.run_log import RunLog
from aistream_nb.chat.saved import SavedConversation, origin_of
from aistream_nb.chat.told_options import tell_options
from aistream_nb.core.bridge import TurnBridge
from aistream_nb.core.turn_events import Done, Usage
from aistream_nb.core.values import Event
from aistream_nb.errors import TurnError
from aistream_nb.http import HttpClient
from aistream_nb.providers.history import assistant_entry, user_entry
from aistream_nb.providers.registry import (
    ProviderRecord,
    resolve_key,
    resolve_model,
)
from aistream_nb.providers.turn import Turn, execute_client_tool_turn
from aistream_nb.providers.turn_outcome import TurnOutcome
from aistream_nb.providers.turn_prepare import TurnOptions

__all__ = ["Budget", "ProviderAgent", "add_usage"]

Budget: TypeAlias = Callable[[Usage], str | None]
"""Given the run's usage before each further round; a text ends the run and says why."""

_ROUND_LIMIT: Final = 16
_SHORT: Final = 7
"""Header values up to this length are words, not secrets."""


class ProviderAgent:
    """A model that is asked over HTTP.

    Args:
        record: The provider.
        name: What people call the agent.
        client: The connections; closed with the agent.
        options: What each turn gets: ``model``, ``system``, ``thinking``, …
        max_rounds: How many requests one run may take.
        budget: Asked before each further round.
    """

    def __init__(  # six parts of one agent, each by its keyword
        self,
        record: ProviderRecord,
        *,
        name: str,
        client: HttpClient,
        options: TurnOptions,
        max_rounds: int = _ROUND_LIMIT,
        budget: Budget | None = None,
    ) -> None:
        self.name: str = name
        self._record = record
        self._client = client
        self._options: TurnOptions = {**options, "client": client}
        self._model = resolve_model(record, options.get("model"))
        self._max_rounds = max_rounds
        self._budget = budget
        self._first: str | None = None
        self._history: tuple[Any, ...] = ()
        self._before: dict[str, tuple[str | None, tuple[Any, ...]]] = {}
        self._requests = 0
        self.facts: Mapping[str, Any] = {
            "provider": record.id,
            "model": self._model,
            "system": options.get("system", ""),
            "options": tell_options(options),
        }

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key as a request would carry it now, and what the headers hold."""
        headers = {**self._record.headers, **self._options.get("headers", {})}
        values = [value for value in headers.values() if len(value) > _SHORT]
        tokens = [value.rpartition(" ")[2] for value in values]
        try:
            key = resolve_key(self._record, self._options.get("api_key"))
        except TurnError:  # the run will say that there is no key
            key = ""
        # A server of one's own is often given its own name where a key is due.
        keys = [key] if key != self._record.id else []
        return tuple(dict.fromkeys(filter(None, [*keys, *values, *tokens])))

    async def run(self, task: Task) -> None:
        """Ask, run the tools that the model calls, and ask again until it is done."""
        log = RunLog(self._record.id)
        task = replace(task, emit=log.listening(task.emit))
        bridge = TurnBridge(
            thread_id=task.thread_id, run_id=task.run_id, new_id=task.new_id
        )
        gate = NarratedGate(
            task.gate,
            emit=task.emit,
            name_call=lambda: bridge.unnamed_call_id,
            chat=task.thread_id,
            audience=task.audience,
        )
        said = [tool.spec.to_wire() for tool in task.tools]
        asked = [] if task.question is None else [task.question]
        opened = bridge.open_run(messages=asked, tools=said, kept=task.kept)
        _emit_all(task.emit, opened)
        try:
            await self._rounds(task, bridge, gate=gate, log=log)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            self._keep_interrupted(log)
            _emit_all(task.emit, bridge.cancel_run())
            raise
        except Exception as error:
            self._keep_interrupted(log)
            _emit_all(
                task.emit,
                bridge.fail_run(failure_words(error), code=failure_code(error)),
            )
            raise
        finally:
            gate.close()
        _emit_all(task.emit, bridge.finish_run())

    def rewind(self, question_id: str) -> bool:
        """Forget a question and all that came after it."""
        if question_id not in self._before:
            return False
        self._first, self._history = self._before[question_id]
        asked = list(self._before)
        for later in asked[asked.index(question_id) :]:
            del self._before[later]
        return True

    def restore(self, saved: SavedConversation) -> tuple[Event, ...]:
        """Have the history that was held in another session; nothing is sent or run.

        A call without a result gets one that says what is known of it, because
        providers refuse a history with an open call.
        """
        origin = origin_of({"agent": self.name, **self.facts})
        for turn in saved.turns:
            self._ask(str(turn.question.get("id")), turn.text)
            self._history += turn_entries(
                saved, turn, self._record, origin=origin, tail=self._history
            )
        self._requests = saved.last_number
        return closing_events(saved.torn_run) if saved.torn_run else ()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    # ------------------------------------------------------------ rounds

    async def _rounds(
        self, task: Task, bridge: TurnBridge, *, gate: NarratedGate, log: RunLog
    ) -> None:
        if task.question is not None:
            asked = task.question
            self._ask(str(asked.get("id")), str(asked.get("content", "")))
        total = Usage()
        for _ in range(self._max_rounds):
            turn = self._turn(task, gate, log)
            _emit_all(
                task.emit,
                bridge.open_round(provider=self._record.id, model=self._model),
            )
            total = add_usage(total, await _follow(turn, bridge, task.emit))
            outcome = await turn.next_turn
            self._keep(outcome)
            log.close_round()
            if outcome.continuation is None:
                return
            self._check_budget(total)
        raise TurnError(
            f"The model wanted more than {self._max_rounds} rounds in one run. "
            "Raise max_rounds, or ask for less at once."
        )

    def _turn(self, task: Task, gate: NarratedGate, log: RunLog) -> Turn:
        self._requests += 1
        number = self._requests

        def keep_request(body: Mapping[str, Any], url: str) -> None:
            log.ask(number)
            task.wire(number, request={"method": "POST", "url": url, "body": body})

        def keep_bytes(content: bytes) -> None:
            log.add_bytes(number, content)
            task.wire(number, content=content)

        watching: TurnOptions = {"on_request": keep_request, "on_bytes": keep_bytes}
        return execute_client_tool_turn(
            provider=self._record,
            messages=[{"role": "user", "content": self._first or ""}],
            client_tools=task.tools,
            on_before_tool_execute=gate,
            continuation_messages=self._history,
            **{**self._options, **watching},
        )

    def _ask(self, question_id: str, text: str) -> None:
        self._before[question_id] = (self._first, self._history)
        if self._first is None:
            self._first = text
        else:
            entry = user_entry(self._record.wire, text)
            self._history = (*self._history, entry)

    def _keep(self, outcome: TurnOutcome) -> None:
        if outcome.continuation is not None:
            self._history = outcome.continuation.messages
        elif outcome.full_text.strip():
            entry = assistant_entry(self._record.wire, outcome.full_text)
            self._history = (*self._history, entry)

    def _keep_interrupted(self, log: RunLog) -> None:
        """Keep the calls of a round that was not finished: some may have run."""
        if log.open_round is not None:
            self._history += entries_of(
                log.open_round, self._record, tail=self._history
            )

    def _check_budget(self, total: Usage) -> None:
        reason = None if self._budget is None else self._budget(total)
        if reason:
            raise TurnError(f"The budget ended the run: {reason}")


async def _follow(turn: Turn, bridge: TurnBridge, emit: Emit) -> Usage:
    """Hand on a turn's events as they come; the answer is what it used."""
    usage = Usage()
    async with turn:
        async for event in turn.events:
            _emit_all(emit, bridge.receive(event))
            if isinstance(event, Done) and event.usage is not None:
                usage = event.usage
    return usage


def add_usage(one: Usage, other: Usage) -> Usage:
    """The sum, in which a count that nobody gave stays unknown.

    >>> add_usage(Usage(input_tokens=1), Usage(input_tokens=2)).input_tokens
    3
    >>> add_usage(Usage(), Usage()).input_tokens is None
    True
    """
    return Usage(
        **{
            kind.name: _sum(getattr(one, kind.name), getattr(other, kind.name))
            for kind in fields(Usage)
        }
    )


def _sum(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return one if other is None else other
    return one + other


def _emit_all(emit: Emit, events: Iterable[Event]) -> None:
    for event in events:
        emit(event)
