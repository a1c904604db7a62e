"""What one snapshot does to one live call: its arguments, its owner, its answer.

The order is part of the promise. An answer is known before the arguments are looked
at (D1), text comes before the end of text, and the end before the answer. Numbers
such as A.1 name the edges of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from aistream_nb.core.invocation.args import ArgumentText, Reading
from aistream_nb.core.invocation.call import Call, Policy, Surroundings
from aistream_nb.core.invocation.commands import (
    CloseArguments,
    Command,
    Deliver,
    Execute,
    Stream,
    Tell,
)
from aistream_nb.core.invocation.events import (
    AnswerCleared,
    AnswerReplaced,
    ArgsChanged,
    ArgsRegressed,
    ArgsReplaced,
    Diagnostic,
    ReaderEvent,
    ToolResponse,
)
from aistream_nb.core.invocation.machines import Input, Move, Outcome, Owner
from aistream_nb.core.invocation.snapshot_walk import CallSight

__all__ = ["LiveCalls"]


# Bound here, because looking a member up costs and every snapshot asks for these.
_COMPLETE: Final = Input.COMPLETE
_DIVERGED: Final = Input.DIVERGED
_AWAITING: Final = Input.AWAITING
_STREAMING: Final = Input.STREAMING
_GREW: Final = Reading.GREW
_OTHER: Final = Reading.OTHER


class LiveCalls:
    """Moves live calls through their tables, and emits what is to be done."""

    def __init__(
        self, policy: Policy, outside: Surroundings, emit: Callable[[Command], None]
    ) -> None:
        self._policy: Policy = policy
        self._outside: Surroundings = outside
        self._emit: Callable[[Command], None] = emit

    def grow(self, call: Call, part: Mapping[str, Any]) -> bool:
        """Take a part that says no more than that its text grew: the usual one.

        ``False``, and nothing is taken, if it may say more; then :meth:`see` tells.
        """
        if call.standing.input is not _STREAMING or call.gone:
            return False
        if "result" in part or "approval" in part:
            return False
        if part.get("toolName") != call.tool_name:
            return False
        delta = call.args.grow(part.get("argsText"))
        if delta:
            self._emit(Stream(call, delta))
        return delta is not None

    def see(self, call: Call, sight: CallSight, *, running: bool) -> None:
        """Compare what a snapshot shows of ``call`` with what is known of it."""
        first, standing = False, call.standing
        if sight.gated:
            standing.move(Move.CEDE)
        if sight.response is not None:
            # D1: the answer is known before its arguments are looked at.
            move = Move.MUTE if sight.interim else Move.ANSWER
            first = standing.move(move)
        if standing.input is _COMPLETE:
            self._see_change(call, sight.text)
        else:
            self._grow(call, sight.text)
            self._close_if_due(call, sight, running=running)
        if standing.input is _COMPLETE and standing.owner is Owner.UNKNOWN:
            self._settle_owner(call, sight, running=running)
        if sight.response is not None or call.answer is not None:
            self._read_answer(call, sight, first=first)

    def _grow(self, call: Call, text: str) -> None:
        reading = call.args.receive(text)
        if reading is _OTHER:
            self._see_regress(call, text)
            return
        state = call.standing.input
        if state is _DIVERGED:
            call.standing.move(Move.REJOIN)
            call.observed = None
        if reading is _GREW:
            if state is _AWAITING:
                call.standing.move(Move.RECEIVE)
            self._emit(Stream(call, call.args.delta))

    def _see_regress(self, call: Call, text: str) -> None:
        if text == call.observed:
            return
        call.observed = text
        call.standing.move(Move.DIVERGE)
        self.tell(call, ArgsRegressed(call.args.streamed, text))
        self.report(
            "args-regressed",
            "a snapshot shows arguments that do not extend what was streamed; the call "
            "waits for a text that does, or for a result",
            call,
        )

    def _see_change(self, call: Call, text: str) -> None:
        before = call.args.tracked
        if text == before:
            return
        forgotten, call.forgotten = call.forgotten, False
        if call.args.replace(text) or forgotten:
            return
        self.tell(call, ArgsChanged(before, text))
        self.report(
            "args-changed",
            "the arguments changed after they were complete; the call keeps the first",
            call,
        )

    def _close_if_due(self, call: Call, sight: CallSight, *, running: bool) -> None:
        if call.standing.resolved:
            self._close(call)
        elif call.args.complete:
            if not running or self._outside.executable(sight.tool_name):
                call.value = call.args.value
                self._close(call)
        elif not running and call.standing.input is _DIVERGED:
            self._settle_divergence(call)

    def _settle_divergence(self, call: Call) -> None:
        """The run ended and the text is another one than was streamed (L4)."""
        latest = ArgumentText()
        latest.receive(call.observed or "")
        wanted = self._policy.on_divergence == "execute_latest" and latest.complete
        if wanted and call.standing.outcome is Outcome.PENDING:
            call.value = latest.value
            self.tell(call, ArgsReplaced(latest.value))
            self._close(call)
        elif not call.told:
            call.told = True
            self.report(
                "not-executed",
                "the run ended, and the call's arguments are not what was streamed, so "
                "it does not run; on_divergence='execute_latest' would run it",
                call,
            )

    def _close(self, call: Call) -> None:
        if not call.args.streamed:
            self._emit(Stream(call, "{}"))
        call.standing.move(Move.CLOSE)
        self._emit(CloseArguments(call))
        if call.observed is not None:
            # It was told that the text is another one; that is not told twice.
            call.args.replace(call.observed)

    def _settle_owner(self, call: Call, sight: CallSight, *, running: bool) -> None:
        standing = call.standing
        if standing.outcome is not Outcome.PENDING:
            return
        ours = self._outside.ownership(sight.part)
        if ours is None:
            ours = not running or self._policy.execute_when == "args_complete" or None
        if ours and standing.move(Move.OWN):
            self._emit(Execute(call))
        elif ours is False and running:
            standing.move(Move.CEDE)
            self.report(
                "provider-owned",
                "the call is not the client's, so it never runs here",
                call,
            )

    def _read_answer(self, call: Call, sight: CallSight, *, first: bool) -> None:
        response = None if sight.interim else sight.response
        before, call.answer = call.answer, response
        if first and response is not None:
            self._emit(Deliver(call, response))
        elif response is None:
            if before is not None:
                self.tell(call, AnswerCleared())
        elif before is not None and not _equal(before, response):
            self.tell(call, AnswerReplaced(response))

    def tell(self, call: Call, event: ReaderEvent) -> None:
        """Let the call's reader know."""
        self._emit(Tell(call, event))

    def report(self, code: str, message: str, call: Call) -> None:
        """Let the host know."""
        self._outside.report(Diagnostic(code, message, call.tool_call_id))


def _equal(one: ToolResponse, other: ToolResponse) -> bool:
    try:
        # A NaN that is decoded anew is not equal to the one before, and yet no news.
        return one == other or repr(one) == repr(other)
    except Exception:  # noqa: BLE001 -- a foreign value's == may raise anything
        return one is other
