"""An AG-UI server as an agent: its runs, our tools, and what it asks people.

One message may take several of the server's runs. A run that leaves calls of our
tools, or questions to a person, is followed by another one that answers them, until
nothing is left (:mod:`aistream_nb.chat.remote_runs`). Rules that a change must keep:

1. The chat gets the server's own events. What is added is marked; see
   :mod:`aistream_nb.chat.remote_narration`.
2. A run is never continued on another connection: what broke has failed.
3. After a stop or a failure nothing of ours is sent for that run any more. The next
   message tells the server the truth about what was left behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, Final

from aistream_nb.agui.agent import AGUIAgent
from aistream_nb.chat.agent import Task
from aistream_nb.chat.failures import failure_code, failure_words
from aistream_nb.chat.remote_narration import RemoteNarration
from aistream_nb.chat.remote_runs import RemoteRuns, RunFailedError
from aistream_nb.chat.remote_thread import RemoteThread
from aistream_nb.chat.remote_tools import RemoteTools
from aistream_nb.chat.restored_thread import finish_on_the_wire, restore_thread
from aistream_nb.chat.run_log import RunLog
from aistream_nb.chat.saved import SavedConversation
from aistream_nb.core.invocation.ledger import Ledger
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.values import Event
from aistream_nb.tracker import ToolInvocationTracker

__all__ = ["RemoteAgent"]

_SAVED_SYSTEM: Final = "system_1"


class RemoteAgent:
    """A server that is talked to in AG-UI.

    Args:
        server: Where it is, and how it wants to be talked to.
        system: A system message that the thread begins with; servers may ignore it.
    """

    def __init__(self, server: AGUIAgent, *, system: str | None = None) -> None:
        self.server: AGUIAgent = server
        self.name: str = server.url
        self.facts: Mapping[str, Any] = {
            "protocol": "ag-ui",
            "url": server.url,
            "system": system or "",
            "approvals": list(server.approvals),
        }
        self.faults: tuple[Slip, ...] = ()
        """What was wrong with the bytes, such as frames that are no JSON."""
        self._system = system
        self._thread: RemoteThread | None = None
        self._tools = RemoteTools(max_result_chars=server.max_result_chars)
        self._log = RunLog("")
        self._numbers = count(1)
        self._shown_state: Any = {}

    @property
    def state(self) -> Any:
        """The state shared with the server; set it for the next run."""
        return self.server.state

    @state.setter
    def state(self, state: Any) -> None:
        self.server.state = state

    @property
    def tracker(self) -> ToolInvocationTracker:
        """Runs the client tools; its ledger tells of every call."""
        return self._tools.tracker

    def read_ledger(self) -> Ledger:
        """What became of every call of our tools."""
        return self._tools.tracker.ledger

    def watch_calls(self, changed: Callable[[], None]) -> None:
        """Have ``changed`` called when a call of our tools begins to run, or ends."""
        self._tools.on_change = changed

    @property
    def secrets(self) -> tuple[str, ...]:
        """What the requests carry beside the thread, such as keys."""
        return self.server.secrets

    async def run(self, task: Task) -> None:
        """Ask, run the tools that are called here, and ask again until it is done.

        Raises:
            RunFailedError: The server says that the run failed.
            ProviderError: The road to the server failed, or the stream broke off.
            TurnError: It takes more runs than are allowed.
        """
        task = replace(task, emit=self._log.listening(task.emit))
        thread = self._thread_of(task)
        runs = RemoteRuns(
            self.server,
            task,
            thread=thread,
            tools=self._tools,
            new_number=lambda: next(self._numbers),
        )
        try:
            await runs.go(self._opening(task, thread))
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            await self._give_up(thread)
            runs.narration.cancel()
            raise
        except RunFailedError:
            await self._give_up(thread)
            raise
        except Exception as error:
            await self._give_up(thread)
            runs.narration.fail(failure_words(error), code=failure_code(error))
            raise
        finally:
            runs.close()
            self.faults = (*self.faults, *runs.faults)
            self._shown_state = thread.state
            self.server.state = thread.state
        runs.narration.finish()

    def rewind(self, question_id: str) -> bool:
        """Forget a question and all that came after it.

        The server is told the shorter history. One that keeps its own may remember.
        """
        return self._thread is not None and self._thread.rewind(question_id)

    def restore(self, saved: SavedConversation) -> tuple[Event, ...]:
        """Go on with a saved thread; nothing is sent, and no tool runs again.

        The server is told the whole thread with the next message, as always.
        """
        thread = RemoteThread(
            saved.thread_id or "",
            system=self._system_message(lambda _kind: _SAVED_SYSTEM),
            state=self.server.state,
            normalise=self.server.normalise,
        )
        restore_thread(thread, saved)
        self._thread = thread
        self._tools.recall(saved.calls.values())
        self._numbers = count(saved.last_number + 1)
        self._shown_state = thread.state
        self.server.state = thread.state
        return self._closing(saved) if saved.torn_run else ()

    def _closing(self, saved: SavedConversation) -> tuple[Event, ...]:
        closing: list[Event] = []
        narration = RemoteNarration(closing.append)
        bodies = [one.body for one in saved.recording.rounds if one.body]
        held = finish_on_the_wire(bodies[-1]) if bodies else None
        narration.take_up(saved.torn_run, held=held)
        narration.cancel()
        return tuple(closing)

    async def aclose(self) -> None:
        """End the tools, and close the connections."""
        await self._tools.aclose()
        await self.server.aclose()

    def _thread_of(self, task: Task) -> RemoteThread:
        """The thread of the task, with the state that it is to start from."""
        thread = self._thread
        if thread is None or thread.thread_id != task.thread_id:
            thread = self._thread = RemoteThread(
                task.thread_id,
                system=self._system_message(task.new_id),
                state=self.server.state,
                normalise=self.server.normalise,
            )
        else:
            thread.set_state(self.server.state)
        return thread

    def _system_message(self, new_id: Callable[[str], str]) -> Mapping[str, Any] | None:
        if self._system is None:
            return None
        return {"id": new_id("system"), "role": "system", "content": self._system}

    def _opening(self, task: Task, thread: RemoteThread) -> list[Event]:
        """What the fold of the chat has to hear beside the question."""
        opening: list[Event] = []
        if task.kept is not None:
            asked = () if task.question is None else (task.question,)
            messages = [dict(message) for message in (*task.kept, *asked)]
            opening.append({"type": "MESSAGES_SNAPSHOT", "messages": messages})
        state = thread.state
        if state != self._shown_state:
            opening.append({"type": "STATE_SNAPSHOT", "snapshot": state})
        return opening

    async def _give_up(self, thread: RemoteThread) -> None:
        await self._tools.stop()
        thread.leave_behind(lambda call_id: self._log.call(call_id).why_open)
