"""The desk where questions lie: who waits, who answered first, what was decided.

Every thread may come to the desk, so everything here holds one lock while it looks or
writes. A run that waits is released in its own loop. What should be asked is
decided in :mod:`aistream_nb.gate.approval`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aistream_nb.core.tool_spec import Decision, Deny, GateRequest, Proceed
from aistream_nb.gate.questions import (
    DecisionRecord,
    Outcome,
    PendingApproval,
    Receipt,
)

__all__ = ["Desk", "Ending", "Question"]


@dataclass(slots=True, eq=False)
class Question:
    """A pending approval and the run that waits for it."""

    pending: PendingApproval
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[DecisionRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the question of a call ends."""

    outcome: Outcome
    by: str
    why: str = ""
    decision: Decision | None = None

    @classmethod
    def of(
        cls,
        decision: Decision,
        *,
        by: str,
        why: str = "",
        outcome: Outcome | None = None,
    ) -> Ending:
        """The ending that a decision means."""
        if isinstance(decision, Deny):
            return cls(
                outcome=outcome or "deny",
                by=by,
                why=decision.reason or why,
                decision=decision,
            )
        return cls(outcome=outcome or "proceed", by=by, why=why, decision=decision)


class Desk:
    """Questions and decisions, in order, for every thread."""

    def __init__(self, *, clock: Callable[[], float], ids: Callable[[], str]) -> None:
        self._clock: Callable[[], float] = clock
        self._ids: Callable[[], str] = ids
        self._lock = threading.RLock()
        self._open: dict[str, Question] = {}
        self._first: dict[str, DecisionRecord] = {}
        self._records: list[DecisionRecord] = []
        self._always: set[tuple[str | None, str]] = set()
        self._reserved: set[str] = set()

    @property
    def pending(self) -> Mapping[str, PendingApproval]:
        """What waits, by id, oldest first; a copy."""
        with self._lock:
            return MappingProxyType(
                {key: question.pending for key, question in self._open.items()}
            )

    @property
    def decisions(self) -> tuple[DecisionRecord, ...]:
        """What was decided, in order; a copy."""
        with self._lock:
            return tuple(self._records)

    @property
    def always_allowed(self) -> frozenset[tuple[str | None, str]]:
        """Chats, and the tools that need no question in them."""
        with self._lock:
            return frozenset(self._always)

    def note(
        self, request: GateRequest, ending: Ending, *, chat: str | None
    ) -> DecisionRecord:
        """Write down a call that was decided without a question."""
        record = DecisionRecord(
            tool_name=request.tool.name,
            tool_call_id=request.tool_call_id,
            outcome=ending.outcome,
            decision=ending.decision,
            by=ending.by,
            why=ending.why,
            at=self._clock(),
            chat=chat,
        )
        with self._lock:
            self._records.append(record)
        return record

    def put(self, request: GateRequest, *, why: str, chat: str | None) -> Question:
        """Lay a question on the desk; the running loop is the one that waits."""
        loop = asyncio.get_running_loop()
        pending = PendingApproval(
            id=self._free_id(),
            tool=request.tool,
            arguments=request.arguments,
            tool_call_id=request.tool_call_id,
            asked_at=self._clock(),
            why=why,
            chat=chat,
        )
        question = Question(pending, loop, loop.create_future())
        with self._lock:
            self._open[pending.id] = question
        return question

    def reserve(self, ids: Iterable[str]) -> None:
        """Give no question one of these ids."""
        with self._lock:
            self._reserved.update(ids)

    def _free_id(self) -> str:
        with self._lock:
            for _ in self._reserved:
                found = self._ids()
                if found not in self._reserved:
                    return found
            return self._ids()

    def run_out(self, approval_id: str, words: str) -> Receipt:
        """Deny a question because nobody answered in time."""
        ending = Ending.of(Deny(reason=words), by="policy", outcome="timed-out")
        return self.answer(approval_id, ending, refusal=lambda _: None)

    def answer(
        self,
        approval_id: str,
        ending: Ending,
        *,
        refusal: Callable[[PendingApproval], str | None],
    ) -> Receipt:
        """Answer a question, unless it is too late or ``refusal`` says why not."""
        with self._lock:
            question = self._open.get(approval_id)
            if question is None:
                return self._too_late(approval_id)
            words = refusal(question.pending)
            if words is not None:
                return Receipt(accepted=False, message=words)
            return self.settle(question, ending)

    def settle(self, question: Question, ending: Ending) -> Receipt:
        """End a question and release the run that waits; only the first one counts."""
        pending = question.pending
        with self._lock:
            if self._open.pop(pending.id, None) is None:
                return self._too_late(pending.id)
            record = DecisionRecord(
                tool_name=pending.tool.name,
                tool_call_id=pending.tool_call_id,
                outcome=ending.outcome,
                decision=ending.decision,
                by=ending.by,
                why=ending.why,
                at=self._clock(),
                asked_at=pending.asked_at,
                approval_id=pending.id,
                chat=pending.chat,
            )
            self._records.append(record)
            self._first[pending.id] = record
        try:
            question.loop.call_soon_threadsafe(_release, question.answer, record)
        except RuntimeError:
            return Receipt(
                accepted=False,
                message="the run that asked is gone; nothing will run",
                record=record,
            )
        return Receipt(accepted=True, message="decided", record=record)

    def abort(self, question: Question) -> DecisionRecord:
        """The record of a question, which is aborted if nobody had decided."""
        with self._lock:
            self.settle(
                question,
                Ending(outcome="aborted", by="run", why="the run was stopped"),
            )
            return self._first[question.pending.id]

    def allow_always(self, tool_name: str, *, by: str, chat: str | None) -> None:
        """Ask no more about a tool in a chat, and let through what waits."""
        with self._lock:
            self._always.add((chat, tool_name))
            for question in list(self._open.values()):
                pending = question.pending
                if (pending.chat, pending.tool.name) == (chat, tool_name):
                    why = "allowed from now on"
                    self.settle(question, Ending.of(Proceed(), by=by, why=why))

    def _too_late(self, approval_id: str) -> Receipt:
        first = self._first.get(approval_id)
        if first is None:
            return Receipt(
                accepted=False, message=f"no question {approval_id!r} is open"
            )
        return Receipt(
            accepted=False,
            message=f"already decided by {first.by}: {first.outcome}",
            record=first,
        )


def _release(answer: asyncio.Future[DecisionRecord], record: DecisionRecord) -> None:
    if not answer.done():
        answer.set_result(record)
