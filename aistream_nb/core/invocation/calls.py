"""The book of calls: snapshots in, commands out.

This is the part of the tracker that decides. It keeps one :class:`Call` for each id
of the running epoch, compares what a snapshot shows with what is known, moves the
call through the tables of :mod:`aistream_nb.core.invocation`, and says what is to
be done, as commands. Performing them is the work of :mod:`aistream_nb.tracker`.

Rules that a change must keep. Every yes comes from a table. One bad part never
touches another. A snapshot that cannot be read changes nothing. Numbers such as A.1
name the edges of the specification.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from aistream_nb.core.invocation.args import ArgumentText
from aistream_nb.core.invocation.call import Call, Policy, Surroundings
from aistream_nb.core.invocation.commands import Command, Open
from aistream_nb.core.invocation.events import Diagnostic, Ended, Left, Returned
from aistream_nb.core.invocation.ledger import Ledger
from aistream_nb.core.invocation.live import LiveCalls
from aistream_nb.core.invocation.machines import Move, Outcome, Standing
from aistream_nb.core.invocation.message_memory import MessageMemory
from aistream_nb.core.invocation.snapshot_walk import (
    CallSight,
    Snapshot,
    calls_in,
    read_call,
    read_snapshot,
)

__all__ = ["CallBook"]

_PAST_CALLS: Final = 1_000
_MALFORMED_PLACES: Final = 1_000


class CallBook:
    """Knows every call of the epoch, and what each new snapshot means for it."""

    def __init__(self, policy: Policy, surroundings: Surroundings) -> None:
        self.epoch: int = 1
        self._policy: Policy = policy
        self._outside: Surroundings = surroundings
        self._past: deque[Call] = deque(maxlen=_PAST_CALLS)
        self._commands: list[Command] = []
        self._emit: Callable[[Command], None] = self._commands.append
        self._rules: LiveCalls = LiveCalls(policy, surroundings, self._emit)
        self._start_epoch()

    def _start_epoch(self) -> None:
        self._calls: dict[str, Call] = {}
        self._vanished: dict[str, Call] = {}
        only = ("role",) if self._policy.assistant_only else ()
        self._memory: MessageMemory = MessageMemory((*only, "content"))
        self._last: Snapshot | None = None
        self._armed: bool = True
        self._malformed: set[tuple[int, int]] = set()

    # ------------------------------------------------------------ public

    def receive(self, value: object) -> list[Command]:
        """What is to be done after the snapshot ``value`` was observed."""
        try:
            snapshot = read_snapshot(value)
        except Exception as error:  # noqa: BLE001 -- a foreign mapping may raise anything; E.4
            return self._cannot_read(value, error)
        if snapshot is None:
            return self._cannot_read(value, None)
        due = self._due(snapshot)
        if due is None:
            return []
        history = self._armed or snapshot.is_loading
        for place in due:
            self._walk(place, snapshot, history=history)
        left = self._memory.commit()
        for tool_call_id in sorted(left) if left else ():
            self._let_leave(self._calls[tool_call_id])
        self._last, self._armed = snapshot, False
        commands = self._commands[:]
        self._commands.clear()
        return commands

    def reset(self) -> list[Call]:
        """Begin a new epoch; the live calls of the old one, now abandoned."""
        dead = [call for call in self._calls.values() if self._abandon(call)]
        self._past.extend(self._calls.values())
        self.epoch += 1
        self._start_epoch()
        return dead

    @staticmethod
    def _abandon(call: Call) -> bool:
        alive = call.standing.move(Move.ABANDON)
        call.forget()
        return alive

    def discard_pending(self) -> None:
        """Never run what is live, unanswered and not begun (A.11)."""
        for call in self._calls.values():
            call.standing.move(Move.DISCARD)

    @property
    def ledger(self) -> Ledger:
        """What was decided about each call that is remembered."""
        return Ledger(tuple(call.row for call in (*self._past, *self._calls.values())))

    # ------------------------------------------------------------ the walk

    def _cannot_read(self, value: object, error: Exception | None) -> list[Command]:
        self._report(
            "unreadable-snapshot",
            f"a snapshot must be a mapping with a list of messages; got "
            f"{type(value).__name__}, which changes nothing",
            error,
        )
        return []

    def _due(self, snapshot: Snapshot) -> Sequence[int] | None:
        """The places to read; ``None`` if the snapshot is the last one once more."""
        last, messages = self._last, snapshot.messages
        if last is None:
            return self._memory.due(messages, trust=False)
        same_flags = (
            snapshot.is_running is last.is_running
            and snapshot.is_loading is last.is_loading
        )
        if snapshot.stamp is not None:
            if snapshot.since is not last.stamp:
                return self._memory.due(messages, trust=False)
            return self._memory.due_of(snapshot.changed, len(messages))
        if messages is last.messages and same_flags:
            return None
        # History is read in full: what was past may be open again there.
        trust = same_flags and not snapshot.is_loading
        return self._memory.due(messages, trust=trust)

    def _walk(self, place: int, snapshot: Snapshot, *, history: bool) -> None:
        message = snapshot.messages[place]
        parts = calls_in(message, assistant_only=self._policy.assistant_only)
        if len(parts) == 1 and not history and self._only_grew(place, parts[0]):
            return
        ids: list[str] = []
        quiet, waits, past = True, False, not self._policy.assistant_only
        for number, part in enumerate(parts):
            call = self._take(part, snapshot, history=history)
            if isinstance(call, Call):
                ids.append(call.tool_call_id)
                quiet = quiet and call.standing.resolved
                # A live call is not touched by history, so what is new of it waits.
                waits = waits or call.waits or (history and not call.is_history)
                past = past and call.is_history and "messages" not in part
            else:
                past = False
                self._report_malformed((place, number), call)
        self._memory.note(place, message, ids, quiet=quiet, waits=waits, past=past)

    def _only_grew(self, place: int, part: Mapping[str, Any]) -> bool:
        """Take the one call of a message if its text grew, and that is all: the rule.

        What the memory knows of the message is then still so.
        """
        try:
            call = self._calls.get(part.get("toolCallId", ""))
            return (
                call is not None
                and self._memory.holds_only(place, call.tool_call_id)
                and self._rules.grow(call, part)
            )
        except Exception:  # noqa: BLE001 -- a foreign mapping may raise anything; E.2
            return False

    def _take(
        self, part: Mapping[str, Any], snapshot: Snapshot, *, history: bool
    ) -> Call | Exception | None:
        """Handle one part, and let nothing that is wrong with it out (E.2)."""
        try:
            sight = read_call(part)
            if sight is None:
                return None
            return self._remember(sight) if history else self._live(sight, snapshot)
        except Exception as error:  # noqa: BLE001 -- a foreign mapping may raise anything; E.2
            return error

    def _report_malformed(
        self, place: tuple[int, int], error: Exception | None
    ) -> None:
        if place in self._malformed or len(self._malformed) >= _MALFORMED_PLACES:
            return
        self._malformed.add(place)
        self._report(
            "malformed-call",
            f"call part {place[1]} of message {place[0]} lacks a text id, name or "
            "arguments; it is skipped",
            error,
        )

    def _add(self, sight: CallSight, outcome: Outcome) -> Call:
        standing = Standing(outcome=outcome, gated=self._policy.gated)
        call = Call(self.epoch, sight.tool_call_id, sight.tool_name, standing)
        self._calls[sight.tool_call_id] = call
        return call

    def _remember(self, sight: CallSight) -> Call:
        """Keep a call as history (C.1); one that is live is not touched."""
        call = self._calls.get(sight.tool_call_id)
        if call is None:
            call = self._add(
                sight, Outcome.RECORDED if sight.answered else Outcome.RESTORED
            )
        if call.gone:
            self._let_return(call)
        if not call.is_history:
            return call
        call.standing.move(Move.RECORD if sight.answered else Move.RESTORE)
        call.args = ArgumentText()
        if not sight.answered:
            call.args.receive(sight.text)
        return call

    def _live(self, sight: CallSight, snapshot: Snapshot) -> Call:
        call = self._calls.get(sight.tool_call_id)
        if call is None:
            call = self._first_sight(sight, snapshot)
        if call.gone:
            self._let_return(call)
        if call.is_history and not self._promote(call, sight):
            return call
        self._rules.see(call, sight, running=snapshot.is_running)
        return call

    def _first_sight(self, sight: CallSight, snapshot: Snapshot) -> Call:
        call = self._add(sight, Outcome.PENDING)
        if sight.tool_call_id in snapshot.discarded:
            call.standing.move(Move.DISCARD)
        self._emit(Open(call))
        return call

    def _promote(self, call: Call, sight: CallSight) -> bool:
        """Make history live if it changed (C.3); whether it did."""
        if not sight.answered and (
            sight.text == call.args.tracked or call.args.same_value(sight.text)
        ):
            return False
        if not call.standing.move(Move.PROMOTE):
            return False
        call.args = ArgumentText()
        call.tool_name = sight.tool_name
        self._emit(Open(call))
        return True

    # ------------------------------------------------------------ coming and going

    def _let_leave(self, call: Call) -> None:
        """The call is not in the snapshot any more (B.1)."""
        call.gone = True
        self._rules.tell(call, Left())
        if call.over:
            call.forget()
            return
        self._vanished[call.tool_call_id] = call
        if len(self._vanished) > self._policy.vanished_calls:
            self._give_up(self._vanished.pop(next(iter(self._vanished))))

    def _let_return(self, call: Call) -> None:
        call.gone = False
        self._vanished.pop(call.tool_call_id, None)
        self._rules.tell(call, Returned())

    def _give_up(self, call: Call) -> None:
        """Bound the memory: a call that left long ago will not run."""
        call.standing.move(Move.DISCARD)
        call.standing.move(Move.RECORD)
        call.forget()
        self._rules.tell(call, Ended("forgotten"))
        self._rules.report(
            "vanished",
            "the call left the conversation long ago, so it will not run any more",
            call,
        )

    def _report(self, code: str, message: str, error: Exception | None) -> None:
        self._outside.report(Diagnostic(code, message, error=error))
