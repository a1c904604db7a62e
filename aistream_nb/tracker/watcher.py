"""The tracker: exactly one call of a tool for each call that a snapshot shows.

Hand it every state of a conversation that somebody else mutates, with
:meth:`ToolInvocationTracker.set_state`. It streams the arguments of each client tool
call to the tool's ``stream_call``, runs ``execute`` once they are complete, and
never does either twice, nor for history, nor for a call that was answered.

Rules that a change must keep. No public method raises into the host, and none calls
a tool before the loop has turned. What may happen is decided in
:mod:`aistream_nb.core.invocation.calls`; here it is only done. No task outlives the
tracker or keeps it, and none of an execution outlives ``abort()``.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Self, Unpack
from weakref import finalize, ref

from aistream_nb.core.invocation.call import Call, Policy
from aistream_nb.core.invocation.calls import CallBook
from aistream_nb.core.invocation.commands import (
    CloseArguments,
    Command,
    Deliver,
    Execute,
    Open,
    Stream,
    Tell,
)
from aistream_nb.core.invocation.events import Diagnostic, Ended, ToolResponse
from aistream_nb.core.invocation.ledger import Ledger
from aistream_nb.core.invocation.machines import Move
from aistream_nb.core.tool_spec import Gate
from aistream_nb.tracker.context import (
    CallContext,
    Questions,
    StatusBoard,
    Statuses,
    StopSignal,
)
from aistream_nb.tracker.execution import CANCELLED, GRACE_TURNS, Executions
from aistream_nb.tracker.outside import Outside, TrackerOptions
from aistream_nb.tracker.reader import CallReader
from aistream_nb.tracker.tooling import Tools
from aistream_nb.tracker.turns import Turns, end_task, end_tasks, weakly

__all__ = ["ToolInvocationTracker"]


class ToolInvocationTracker:
    """Runs the client tools of a conversation, exactly once for each call.

    Args:
        tools: The tools by name, or a function that gives them; it is called anew
            each time a tool is needed.
        on_result: Called with ``{"type": "add-tool-result", "toolCallId", "toolName",
            "result", "isError", "artifact"?, "modelContent"?}``; may be async.
        on_statuses_change: Called with the new map of statuses.
        options: ``execute_when="run_settled"`` waits until the run has stopped;
            ``is_client_tool_call(part)`` says whose a call is (true, false, or
            ``None``: unknown); ``on_divergence="execute_latest"`` runs a call whose
            arguments were rewritten with their latest text, once the run has
            stopped; ``gate`` is asked before a tool runs; ``on_diagnostic`` is told
            of problems, which are logged otherwise; ``assistant_only`` ignores
            messages of other roles.

    Without a running event loop nothing can run: what was decided waits, without an
    error, until the next call of a method inside a loop. Keep the tracker while it
    works, and close it with :meth:`aclose` or ``async with``: one that is dropped goes,
    and what it had begun is cancelled, unless that holds the tracker itself.

    >>> import asyncio
    >>> async def main() -> None:
    ...     tools = {"add": {"execute": lambda args, context: args["a"] + args["b"]}}
    ...     tracker = ToolInvocationTracker(
    ...         tools, on_result=lambda r: print(r["result"])
    ...     )
    ...     call = {"type": "tool-call", "toolCallId": "c1", "toolName": "add"}
    ...     tracker.set_state({"messages": [], "isRunning": True})
    ...     content = [call | {"argsText": '{"a": 1, "b": 2}'}]
    ...     tracker.set_state({"messages": [{"content": content}], "isRunning": True})
    ...     await asyncio.sleep(0.01)
    ...     print(tracker.ledger)
    ...     await tracker.aclose()
    >>> asyncio.run(main())
    3
    Ledger: 1 call
      [1] c1 add: settled, ran once (receive > close > own > miss > claim > ...
    """

    def __init__(
        self,
        tools: Tools = None,
        *,
        on_result: Callable[[dict[str, Any]], object] | None = None,
        on_statuses_change: Callable[[Statuses], object] | None = None,
        **options: Unpack[TrackerOptions],
    ) -> None:
        self._on_result: Callable[[dict[str, Any]], object] | None = on_result
        self._on_statuses_change: Callable[[Statuses], object] | None = (
            on_statuses_change
        )
        self._gate: Gate | None = options.get("gate")
        policy = Policy(
            execute_when=options.get("execute_when", "args_complete"),
            on_divergence=options.get("on_divergence"),
            gated=self._gate is not None,
            assistant_only=options.get("assistant_only", False),
        )
        self._turns: Turns = Turns(weakly(self._pump))
        self._outside: Outside = Outside(tools, options, self._turns)
        self._book: CallBook = CallBook(policy, self._outside)
        self._board: StatusBoard = StatusBoard(weakly(self._publish))
        self._questions: Questions = Questions(self._board)
        self._executions: Executions = Executions(ref(self), self._turns)
        self._signal: StopSignal = StopSignal()
        self._readers: dict[Call, CallReader] = {}
        self._streaming: dict[Call, asyncio.Task[None]] = {}
        self._commands: deque[Command] = deque()
        self._deferred: deque[tuple[Callable[[object], None], object]] = deque()
        self._deciding: bool = False
        self._closed: bool = False
        finalize(self, end_tasks, self._turns.tasks).atexit = False

    # ------------------------------------------------------------ the host's side

    @property
    def statuses(self) -> Statuses:
        """The status of each call that has one: executing, or waiting for a person."""
        return self._board.current

    @property
    def ledger(self) -> Ledger:
        """What was decided about each call, and why one did not run."""
        return self._book.ledger

    def set_state(self, snapshot: object) -> None:
        """Observe the conversation: ``{"messages", "isRunning", "isLoading"?}``.

        The first snapshot, and each one that is loading, is history. Give a new list
        each time: the same list is not looked at again. Messages in it may be the same
        objects as before; one that is not the last, and of which every call is
        answered, is then taken for unchanged until a run begins or ends.
        """
        self._decide(self._observe, snapshot)

    def reset(self) -> None:
        """Begin anew: forget every call, and take the next snapshot as history."""
        self._decide(self._reset, None)

    def abort(self, *, discard_pending: bool = False) -> Awaitable[None]:
        """Stop what is executing now; done, if awaited, when all that has settled.

        With ``discard_pending``, calls that are known and not begun never run.
        """
        if discard_pending:
            self._book.discard_pending()
        return self._stop()

    def resume(self, tool_call_id: str, payload: object = None) -> bool:
        """Answer the open question of a call; ``False`` if it has none."""
        answered = self._questions.answer(tool_call_id, payload)
        self._request()
        return answered

    async def aclose(self) -> None:
        """End everything, silently; later snapshots are ignored."""
        if not self._closed:
            self.reset()
        self._closed = True
        self._commands.clear()
        late = await self._turns.close()
        if late:
            self._outside.note(
                "cancel-ignored", f"{late} tasks ignored their cancellation"
            )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # ------------------------------------------------------------ deciding

    def _decide(self, action: Callable[[object], None], subject: object) -> None:
        """Run ``action``; one that a callback asks for meanwhile comes after it."""
        if self._closed:
            self._outside.once(
                "closed", "the tracker is closed; the call changes nothing"
            )
            return
        if self._deciding:
            self._deferred.append((action, subject))
            return
        self._deciding = True
        try:
            action(subject)
            while self._deferred:
                action, subject = self._deferred.popleft()
                action(subject)
        finally:
            self._deciding = False
        self._request()

    def _observe(self, snapshot: object) -> None:
        try:
            self._commands.extend(self._book.receive(snapshot))
        except Exception as error:  # noqa: BLE001 -- a foreign list may raise anything; E.4
            self._outside.note("snapshot-failed", "a snapshot cannot be walked", error)

    def _request(self) -> None:
        if self._commands and not self._turns.request():
            self._outside.once(
                "no-running-loop",
                "no event loop is running, so nothing runs yet; call a method of the "
                "tracker inside a running loop to go on",
            )

    def _reset(self, _: object) -> None:
        dead = self._book.reset()
        self._outside.forget()
        self._board.clear()
        self._stop()
        for call in dead:
            self._bury(call)

    def _bury(self, call: Call) -> None:
        """Let nobody wait for an abandoned call, and nothing go on for it."""
        reader = self._readers.pop(call, None)
        if reader is not None:
            reader.end("reset", CANCELLED)
        task = self._streaming.pop(call, None)
        if task is not None:
            self._turns.later(GRACE_TURNS, lambda: end_task(task))

    def _stop(self) -> Awaitable[None]:
        signal, self._signal = self._signal, StopSignal()
        self._questions.abort()
        signal.trip()
        return self._executions.stop()

    # ------------------------------------------------------------ performing

    def _pump(self) -> None:
        """Perform what was decided before this turn."""
        perform, take = self._PERFORM, self._commands.popleft
        for _ in range(len(self._commands)):
            command = take()
            perform[type(command)](self, command)
        self._request()

    def _open(self, command: Open) -> None:
        call = command.call
        parts = self._outside.tool(call.tool_name)
        stream_call = parts.stream_call
        if stream_call is None:
            call.standing.move(Move.MISS)
            return
        if not call.standing.move(Move.OPEN):
            return
        reader = CallReader(call.tool_call_id)
        self._readers[call] = reader
        task = self._outside.call(
            "stream-call", stream_call, reader, self._context(call), call=call
        )
        if task is not None:
            streaming = self._streaming
            streaming[call] = task
            task.add_done_callback(lambda _: streaming.pop(call, None))

    def _stream(self, command: Stream) -> None:
        reader = self._readers.get(command.call)
        if reader is not None:
            reader.receive(command.text)

    def _close_arguments(self, command: CloseArguments) -> None:
        reader = self._readers.get(command.call)
        if reader is not None:
            reader.close_arguments()

    def _execute(self, command: Execute) -> None:
        call = command.call
        parts = self._outside.tool(call.tool_name)
        call.has_tool = parts.execute is not None
        if call.has_tool:
            self._executions.begin(call, parts, self._context(call))

    def _deliver(self, command: Deliver) -> None:
        reader = self._readers.get(command.call)
        if reader is not None:
            reader.respond(command.response)

    def _tell(self, command: Tell) -> None:
        reader = self._readers.get(command.call)
        if reader is None:
            return
        if isinstance(command.event, Ended):
            del self._readers[command.call]
            reader.end(command.event.reason)
            return
        reader.tell(command.event)
        self._let_go(command.call)

    def _let_go(self, call: Call) -> None:
        """Drop the reader of a call that is over, unless somebody watches it."""
        reader = self._readers.get(call)
        if reader is not None and call.forgotten and reader.finished:
            del self._readers[call]

    def _context(self, call: Call) -> CallContext:
        ask = partial(self._questions.ask, call)
        return CallContext(call.tool_call_id, self._signal, ask)

    _PERFORM: ClassVar[Mapping[type[Any], Callable[[Self, Any], None]]] = {
        Open: _open,
        Stream: _stream,
        CloseArguments: _close_arguments,
        Execute: _execute,
        Deliver: _deliver,
        Tell: _tell,
    }

    # ------------------------------------------------------------ an execution's host

    @property
    def gate(self) -> Gate | None:
        """Who is asked before a tool runs, if somebody is."""
        return self._gate

    def takes_off(self, call: Call) -> None:
        """Show that the call executes, unless it shows a question (D7)."""
        if not self._questions.is_open(call):
            self._board.show_flight(call)

    def lands(self, call: Call) -> None:
        """Take the call's status away."""
        self._board.show(call, None)

    def responds(self, call: Call, response: ToolResponse, *, tell: bool) -> None:
        """Give the reader its response, and tell the host."""
        reader = self._readers.get(call)
        if reader is not None:
            reader.respond(response)
            self._let_go(call)
        if tell and self._on_result is not None:
            command = {
                "type": "add-tool-result",
                "toolCallId": call.tool_call_id,
                "toolName": call.tool_name,
                **response.to_wire(),
            }
            self._outside.call("on-result", self._on_result, command, call=call)

    def report(self, diagnostic: Diagnostic) -> None:
        """Tell the host of a problem."""
        self._outside.report(diagnostic)

    def _publish(self, statuses: Statuses) -> None:
        if self._on_statuses_change is not None:
            self._outside.call("on-statuses-change", self._on_statuses_change, statuses)
