"""ApprovalGate: rules, a policy and, where these say so, a person decide on a call.

Rules that a change must keep:

1. It fails closed. A policy that fails, an answer that is none, a time-out, nobody
   there to answer: the tool does not run.
2. A question is a value in :attr:`ApprovalGate.pending`. Whoever sees it may answer,
   from any thread, once; the second answer is refused and told who was first.
3. Every call that came by is in :attr:`ApprovalGate.decisions`: who, when, what, why.
4. ``deny`` rules stand above everybody: above *always allow* and above edited
   arguments.

How a question is shown is not known here, and neither is whether anybody watches: the
driver puts that into ``audience``.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar, Token
from itertools import count
from types import TracebackType
from typing import Final, Literal, Self, TypeAlias

from aistream_nb.core.tool_spec import Decision, Deny, GateRequest, Proceed, ToolSpec
from aistream_nb.gate.desk import Desk, Ending, Question
from aistream_nb.gate.policy import AskPolicy, Verdict, judge, read_ask
from aistream_nb.gate.questions import (
    Asked,
    Decided,
    DecisionRecord,
    GateEvent,
    Observer,
    PendingApproval,
    Receipt,
    is_decision,
)
from aistream_nb.gate.rules import RuleLike, first_match, read_rules
from aistream_nb.gate.rules_check import check_rules, refuse_dead_rules

__all__ = ["ApprovalGate", "Audience", "ChatGate", "current_gate"]

Audience: TypeAlias = Callable[[], Awaitable[str | None]]
"""Says why nobody can answer, or ``None`` when somebody can. Awaited beside the
question and cancelled once that is answered, so it may take its time."""

_log: Final = logging.getLogger(__name__)
_current: Final[ContextVar[ApprovalGate | None]] = ContextVar(
    "aistream_nb_gate", default=None
)


def current_gate() -> ApprovalGate | None:
    """The gate of the innermost ``with`` block that we are in, if any."""
    return _current.get()


_ASK: Final = "destructive"


def _read_timeout(seconds: object) -> float | None:
    if seconds is None:
        return None
    is_true = seconds is True  # which Python takes for a number
    if isinstance(seconds, (int, float)) and not is_true and 0 < seconds < math.inf:
        return seconds
    raise ValueError(
        f"timeout={seconds!r} of a gate is no number of seconds above 0; leave it out "
        "to wait as long as it takes"
    )


def _numbered() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"approval_{next(numbers)}"


class ApprovalGate:
    """Decides whether a tool runs.

    The rules come first: the first one that matches a call decides about it, and
    ``ask`` is looked at only for a call that no rule speaks of.

    Args:
        ask: When a person is asked about a call that no rule speaks of. With
            ``"destructive"`` that is every tool that does not say ``read_only=True``
            or ``destructive=False``: silence is read as MCP reads it. A function
            gets the request and returns ``Proceed``, ``Deny`` or ``"ask"``.
        rules: Tried in order; the first that matches decides, whatever ``ask`` is.
        timeout: Seconds that a question waits; then the call is denied.
        nobody: What an absent person means: ``"deny"``, or ``"proceed"``.
        clock: Gives the times of questions and decisions.
        ids: Gives the ids of questions.

    Raises:
        ValueError: The policy, a rule or the time-out cannot be; or something that
            was asked for would never happen, such as a rule behind ``allow *``.

    >>> ApprovalGate(ask="always", rules=["allow read_*"])
    ApprovalGate(ask='always', rules=[Rule.allow('read_*')])
    """

    def __init__(
        self,
        ask: AskPolicy = _ASK,
        *,
        rules: Iterable[RuleLike] = (),
        timeout: float | None = None,
        nobody: Literal["deny", "proceed"] = "deny",
        clock: Callable[[], float] = time.time,
        ids: Callable[[], str] | None = None,
    ) -> None:
        if nobody not in {"deny", "proceed"}:
            raise ValueError(f"nobody={nobody!r} is neither 'deny' nor 'proceed'")
        self._ask: AskPolicy = read_ask(ask)
        self._rules = read_rules(rules)
        refuse_dead_rules(self._rules, ask=ask, default=_ASK)
        self._timeout: float | None = _read_timeout(timeout)
        self._nobody: Literal["deny", "proceed"] = nobody
        self._desk = Desk(clock=clock, ids=ids or _numbered())
        self._observers: list[Observer] = []
        self._outer: list[Token[ApprovalGate | None]] = []
        self.audience: Audience | None = None
        """Set by a driver that knows whether anybody watches."""

    def __repr__(self) -> str:
        told = [f"ask={self._ask!r}" if isinstance(self._ask, str) else "ask=function"]
        if self._rules:
            told.append(f"rules={list(self._rules)!r}")
        if self._timeout is not None:
            told.append(f"timeout={self._timeout:g}")
        return f"ApprovalGate({', '.join(told)})"

    def __enter__(self) -> Self:
        """Make this the gate of the chats that are made inside the block."""
        self._outer.append(_current.set(self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current.reset(self._outer.pop())

    @property
    def pending(self) -> Mapping[str, PendingApproval]:
        """The questions that wait, by their ids, oldest first."""
        return self._desk.pending

    @property
    def decisions(self) -> tuple[DecisionRecord, ...]:
        """Everything that was decided, in order."""
        return self._desk.decisions

    @property
    def always_allowed(self) -> frozenset[str]:
        """The tools that somebody allowed once and for all, in any chat."""
        return frozenset(tool for _, tool in self._desk.always_allowed)

    def subscribe(self, observer: Observer) -> Callable[[], None]:
        """Tell ``observer`` of every question and decision; returns how to stop that.

        What an observer raises is logged and changes no decision.
        """
        self._observers.append(observer)

        def unsubscribe() -> None:
            if observer in self._observers:
                self._observers.remove(observer)

        return unsubscribe

    def check_tools(self, tools: Iterable[ToolSpec]) -> None:
        """Hold the rules against the tools that the gate will be asked about.

        A chat does this when it is made. A rule that names no tool or argument that is
        there, and nearly none, is told by a warning: another chat may have it.

        Raises:
            ValueError: A rule misspells a tool or an argument.
        """
        for remark in check_rules(self._rules, tuple(tools)):
            warnings.warn(remark, stacklevel=3)

    def for_chat(self, chat: str, *, audience: Audience | None = None) -> ChatGate:
        """This gate as one chat sees it, so that *always allow* stays in that chat."""
        return ChatGate(self, chat, audience=audience)

    async def __call__(self, request: GateRequest) -> Decision:
        """The decision on one call; waits for a person where that is due.

        Raises:
            TurnError: The ask function raised, or answered what is no answer.
        """
        return await self.decide_call(request)

    async def decide_call(
        self,
        request: GateRequest,
        *,
        chat: str | None = None,
        audience: Audience | None = None,
    ) -> Decision:
        """As calling the gate, on behalf of one chat.

        Raises:
            TurnError: The ask function raised, or answered what is no answer.
        """
        verdict = await self._judge(request, chat)
        if verdict.effect == "ask":
            if (chat, request.tool.name) not in self._desk.always_allowed:
                watcher = audience or self.audience
                return await self._ask_a_person(request, chat, verdict.why, watcher)
            verdict = Verdict(effect="allow", by="always", why="always allowed here")
        decision = verdict.as_decision()
        ending = Ending.of(
            decision, by=verdict.by, why=verdict.why, outcome=verdict.outcome
        )
        self._tell(Decided(self._desk.note(request, ending, chat=chat)))
        return decision

    async def _judge(self, request: GateRequest, chat: str | None) -> Verdict:
        try:
            return await judge(
                request, self._rules, ask=self._ask, timeout=self._timeout
            )
        except asyncio.CancelledError:
            ending = Ending(outcome="aborted", by="run", why="the run was stopped")
            self._tell(Decided(self._desk.note(request, ending, chat=chat)))
            raise
        except Exception as error:
            ending = Ending(outcome="failed", by="ask", why=str(error))
            self._tell(Decided(self._desk.note(request, ending, chat=chat)))
            raise

    def decide(
        self,
        approval_id: str,
        decision: Decision,
        *,
        by: str = "you",
        always: bool = False,
    ) -> Receipt:
        """Answer a question, from any thread.

        The first answer holds. A later one, one for an id that nobody knows and one
        that is no decision are refused in the receipt; nothing is ever raised.

        Args:
            approval_id: The question's id.
            decision: ``Proceed`` or ``Deny``; ``Proceed(arguments=…)`` edits.
            by: Who says so.
            always: Also allow the tool from now on, in the chat that asked.
        """
        if not is_decision(decision):
            return Receipt(
                accepted=False,
                message="that is neither Proceed nor Deny; the question stays open",
            )
        waiting = self.pending.get(approval_id)
        receipt = self._desk.answer(
            approval_id,
            Ending.of(decision, by=by),
            refusal=lambda pending: self._denied_edit(pending, decision),
        )
        if always and receipt and waiting and isinstance(decision, Proceed):
            self.allow_always(waiting.tool.name, by=by, chat=waiting.chat)
        return receipt

    def allow_always(
        self, tool_name: str, *, by: str = "you", chat: str | None = None
    ) -> None:
        """Ask no more about this tool in this chat, and let through what waits.

        ``deny`` rules still hold.
        """
        self._desk.allow_always(tool_name, by=by, chat=chat)

    def reserve(self, ids: Iterable[str]) -> None:
        """Give no question one of these ids: a saved conversation has them."""
        self._desk.reserve(ids)

    def let_run_out(self, approval_id: str, words: str) -> Receipt:
        """End a question as its time-out would; a recorded one ended so."""
        return self._desk.run_out(approval_id, words)

    def _denied_edit(self, pending: PendingApproval, decision: Decision) -> str | None:
        """Why edited arguments cannot be taken: a rule denies them."""
        if not isinstance(decision, Proceed) or decision.arguments is None:
            return None
        edited = GateRequest(tool=pending.tool, arguments=decision.arguments)
        rule = first_match(self._rules, edited)
        if rule is None or rule.effect != "deny":
            return None
        return f"the edited arguments are denied: {rule.reason or repr(rule)}"

    async def _ask_a_person(
        self,
        request: GateRequest,
        chat: str | None,
        why: str,
        audience: Audience | None,
    ) -> Decision:
        question = self._desk.put(request, why=why, chat=chat)
        alarm = (
            question.loop.call_later(self._timeout, self._run_out, question)
            if self._timeout is not None
            else None
        )
        try:
            self._tell(Asked(question.pending))
            async with asyncio.TaskGroup() as group:
                watch = group.create_task(self._watch(question, audience))
                record = await question.answer
                watch.cancel()
        finally:
            if alarm is not None:
                alarm.cancel()
            self._tell(Decided(self._desk.abort(question), question.pending))
        return record.decision or Deny(reason=record.why)

    async def _watch(self, question: Question, audience: Audience | None) -> None:
        """Answer in place of a person when nobody is there."""
        if audience is None:
            return
        try:
            reason = await audience()
        except Exception as error:  # noqa: BLE001 rule 1: not knowing means nobody
            reason = f"looking for somebody failed: {type(error).__name__}"
        if reason is None:
            return
        words = reason or "nobody was watching: no view is open"
        decision = Proceed() if self._nobody == "proceed" else Deny(reason=words)
        self._desk.settle(
            question, Ending.of(decision, by="policy", why=words, outcome="nobody")
        )

    def _run_out(self, question: Question) -> None:
        words = f"nobody answered within {self._timeout:g} seconds"
        self._desk.run_out(question.pending.id, words)

    def _tell(self, event: GateEvent) -> None:
        for observer in list(self._observers):
            try:
                observer(event)
            except Exception as error:  # noqa: BLE001 a view must not decide by failing
                _log.warning(
                    "an observer of the gate failed with %s", type(error).__name__
                )


class ChatGate:
    """One chat's side of a gate: a gate itself."""

    def __init__(
        self, gate: ApprovalGate, chat: str, *, audience: Audience | None = None
    ) -> None:
        self.gate: ApprovalGate = gate
        self.chat: str = chat
        self.audience: Audience | None = audience
        """Of this chat; the gate's own is used where it is ``None``."""

    async def __call__(self, request: GateRequest) -> Decision:
        """The decision on one call of this chat.

        Raises:
            TurnError: The ask function raised, or answered what is no answer.
        """
        return await self.gate.decide_call(
            request, chat=self.chat, audience=self.audience
        )

    @property
    def pending(self) -> tuple[PendingApproval, ...]:
        """This chat's questions, oldest first."""
        return tuple(one for one in self.gate.pending.values() if one.chat == self.chat)

    @property
    def decisions(self) -> tuple[DecisionRecord, ...]:
        """This chat's decisions, in order."""
        return tuple(one for one in self.gate.decisions if one.chat == self.chat)

    def allow_always(self, tool_name: str, *, by: str = "you") -> None:
        """Ask no more about this tool in this chat."""
        self.gate.allow_always(tool_name, by=by, chat=self.chat)
