"""Chat: a live agent in a notebook cell, to watch, to steer and to record.

The chat is the composition root: the one place where an agent, a gate, a recording,
a conversation and a view meet. What it adds is small: one run at a time, and the
calls that a person may make.

Rules that a change here must keep:

1. One run at a time, and every run ends: finished, cancelled or failed.
2. Every event goes through the :class:`~aistream_nb.chat.journal.Journal`.
3. A click that comes too late decides nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Final

from aistream_nb.agui.agent import AGUIAgent
from aistream_nb.chat.agent import (
    Agent,
    FaultFinding,
    Keyed,
    Restorable,
    Rewindable,
    Stateful,
    Task,
)
from aistream_nb.chat.clicks import STILL_GOING_ON, Clicks
from aistream_nb.chat.connect import connect
from aistream_nb.chat.deciding import Deciding
from aistream_nb.chat.given import Offered, checked_gate, offered_tools
from aistream_nb.chat.ids import IdFactory, counted_ids, untaken_ids
from aistream_nb.chat.journal import Journal
from aistream_nb.chat.ledger import ChatLedger, ledger_of
from aistream_nb.chat.questions import answers_to, last_question, question_text
from aistream_nb.chat.reply import Reply
from aistream_nb.chat.run import Run
from aistream_nb.chat.saved import SavedConversation
from aistream_nb.chat.view import ChatView
from aistream_nb.chat.work import Work
from aistream_nb.conversation import Conversation, MessageModel
from aistream_nb.core.ordering.verifier import Violation
from aistream_nb.core.tool_spec import (
    ClientTool,
    Gate,
    ToolChecking,
)
from aistream_nb.errors import AIStreamError
from aistream_nb.gate import ApprovalGate, current_gate
from aistream_nb.recording import Recording, TimingChart
from aistream_nb.widgets.kernel import cell_wait, quiet_interrupt

__all__ = ["Chat"]

_STOPPED: Final = "Stopped. What had arrived is kept; open calls are marked aborted."


class Chat(Deciding):
    """A conversation with an agent, live.

    Args:
        agent: What to talk to: ``"anthropic:MODEL"``, ``"openai:…"``, ``"xai:…"``,
            ``"gemini:…"``, ``"ollama:…"``, ``"offline"`` (embedded, no key, no
            network), the address of an AG-UI server, an
            :class:`~aistream_nb.agui.AGUIAgent`, or an agent object.
        tools: Functions or tools that the agent may call. They run here.
        gate: Who decides whether a call runs. By default a person is asked about
            every tool that does not say it is harmless.
        system: The system prompt.
        strict: Raise :class:`~aistream_nb.errors.OrderingError` at the first event
            that breaks the AG-UI order, instead of collecting violations.
        ids: Gives ids by kind; for runs that must look the same each time.
        clock: Gives the time in seconds.
        history: A saved conversation to go on with; see :meth:`restore`.
        **options: What the agent understands besides: ``api_key``, ``endpoint``,
            ``thinking``, ``temperature``, ``max_tokens``, ``max_rounds``, ``pace``, …

    Raises:
        AIStreamError: The agent is unknown, or an option is.
        ValueError: The gate's rules misspell a tool or an argument.

    >>> chat = Chat("offline", pace=0)
    >>> reply = asyncio.run(chat.send("Should we take the ferry to Hvar?"))
    >>> reply.status
    'finished'
    """

    def __init__(  # noqa: PLR0913 # the parts that meet here, each by its keyword
        self,
        agent: str | Agent | AGUIAgent = "offline",
        *,
        tools: Offered | None = None,
        gate: Gate | None = None,
        system: str | None = None,
        strict: bool = False,
        ids: IdFactory | None = None,
        clock: Callable[[], float] = time.time,
        history: Recording | str | PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        given = None if tools is None else offered_tools(tools)
        connection = connect(agent, tools=given, system=system, options=options)
        self._agent = connection.agent
        self._tools = connection.tools
        self._gate: Gate = checked_gate(gate) or current_gate() or ApprovalGate()
        # An AG-UI server, which shares a state, has tools that are not known here.
        has_all_tools = not isinstance(self._agent, Stateful)
        if has_all_tools and isinstance(self._gate, ToolChecking):
            self._gate.check_tools(tool.spec for tool in self._tools)
        self._new_id: IdFactory = ids or counted_ids()
        self._thread_id = self._new_id("thread")
        self._work: Work | None = None
        self._background: set[asyncio.Task[Reply]] = set()
        self._journal = Journal(
            {"agent": self._agent.name, **self._agent.facts}, clock=clock, strict=strict
        )
        self.conversation: Conversation = self._journal.conversation
        if history is not None:
            self._take_up(SavedConversation.of(history))
        self._view = ChatView(self.conversation, Clicks(self), self._journal.hide)
        self._ledger = ledger_of(self._agent, self._journal)

    @classmethod
    def restore(
        cls,
        saved: Recording | str | PathLike[str],
        *,
        agent: str | Agent | AGUIAgent | None = None,
        **options: Any,
    ) -> Chat:
        """A chat that goes on with a saved conversation; nothing is run again.

        The conversation, its calls and its results are there, and the agent knows
        them when the next message is sent. A call that was not answered counts as
        interrupted, and the agent is told so. The recording goes on behind what was
        saved; the file is left as it is.

        Args:
            saved: A recording, or the path of its file, also of one that was torn.
            agent: Who goes on; by default the agent that was recorded.
            **options: As for :class:`Chat`. Tools, gate and keys are not in a
                recording, so they are given anew; what else was set is as it was.

        Raises:
            RecordingError: The file cannot be read.
            AIStreamError: Nobody says who the agent was, or it cannot go on.

        >>> chat = Chat("offline", pace=0)
        >>> reply = asyncio.run(chat.send("Should we take the ferry to Hvar?"))
        >>> again = Chat.restore(chat.recording, pace=0)
        >>> again.conversation.messages[-1].text == reply.text
        True
        """
        read = SavedConversation.of(saved)
        options.setdefault("system", read.system)
        if agent is None:
            agent, options = read.agent_or_raise(), {**read.options, **options}
        return cls(agent, history=read.recording, **options)

    def _take_up(self, saved: SavedConversation) -> None:
        agent = self._agent
        if not isinstance(agent, Restorable):
            raise AIStreamError(
                f"The agent {agent.name!r} cannot take up a saved conversation; "
                "providers and AG-UI servers can."
            )
        self._new_id = untaken_ids(self._new_id, saved.ids)
        self._thread_id = saved.thread_id or self._thread_id
        if isinstance(self._gate, ApprovalGate):
            self._gate.reserve(saved.ids)
        self._journal.take_up(saved, header={"agent": agent.name, **agent.facts})
        self._journal.end_torn_run(agent.restore(saved))

    # ------------------------------------------------------------ talking

    async def send(self, text: str) -> Reply:
        """Send a message and wait for the answer.

        Works with top-level ``await`` in a cell: clicks are seen while it runs, and
        the stop button of the notebook ends it cleanly.

        Raises:
            AIStreamError: Another run of this chat is still going on, or there is no
                text to send.
            ProviderError: The agent failed; what had arrived is in the conversation.
            TurnError: The run could not go on.
        """
        text = question_text(text)
        work = self._claim()
        with quiet_interrupt(_STOPPED):
            return await self._answer(work, text)

    async def retry(self) -> Reply:
        """Ask the last question again; its answer so far goes.

        Raises:
            AIStreamError: Nothing was asked yet, or this agent cannot forget.
        """
        last = self.last_question()
        return await self.edit(last.id, str(last.text))

    async def edit(self, message_id: str, text: str) -> Reply:
        """Ask an earlier question anew; it and all that came after go.

        Raises:
            AIStreamError: There is no such question, this agent cannot forget, or
                another run is going on.
        """
        text = question_text(text)
        work = self._claim()
        with quiet_interrupt(_STOPPED):
            return await self._answer(work, text, message_id)

    def start(self, text: str, *, instead_of: str | None = None) -> Run:
        """Send a message and return at once; the kernel stays free.

        Args:
            text: The message.
            instead_of: The id of an earlier question that this one replaces.

        Raises:
            AIStreamError: Another run is going on, or no event loop runs here.
        """
        text = question_text(text)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise AIStreamError(
                "chat.start needs a running event loop, as a notebook has. In a "
                "script use: asyncio.run(chat.send(...))"
            ) from None
        work = self._claim()
        task = loop.create_task(self._answer(work, text, instead_of))
        self._background.add(task)
        task.add_done_callback(self._forget)
        # Not in the coroutine: a task that is cancelled at once never enters it.
        task.add_done_callback(lambda _: self._release(work))
        return Run(task, self.stop)

    def stop(self) -> None:
        """End the run that is going on, if there is one; what had arrived is kept."""
        if self._work is not None:
            self._work.stop()

    @property
    def busy(self) -> bool:
        """Whether a run is going on."""
        return self._work is not None

    # ------------------------------------------------------------ looking

    @property
    def recording(self) -> Recording:
        """All that happened, to be saved and played again."""
        return self._journal.recording

    @property
    def ledger(self) -> ChatLedger:
        """Every tool call: what was decided, how often it ran, and why it did not."""
        return self._ledger

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Where the agent's events broke the AG-UI order."""
        return self._journal.violations

    @property
    def state(self) -> Any:
        """The state shared with the agent; set it to have the next run start from it.

        Raises:
            AIStreamError: It is set, and this agent shares no state.
        """
        agent = self._agent
        return agent.state if isinstance(agent, Stateful) else self.conversation.state

    @state.setter
    def state(self, state: Any) -> None:
        if not isinstance(self._agent, Stateful):
            raise AIStreamError("This agent shares no state; AG-UI servers do.")
        self._agent.state = state

    @property
    def tools(self) -> tuple[ClientTool, ...]:
        """The tools that the agent may call."""
        return self._tools

    def last_question(self) -> MessageModel:
        """The message that was sent last.

        Raises:
            AIStreamError: Nothing was sent yet.
        """
        return last_question(self.conversation.messages)

    def check_question(self, message_id: str) -> None:
        """See whether a question can be asked anew.

        Raises:
            AIStreamError: There is no such question, or the agent cannot forget.
        """
        message = self.conversation.message(message_id)
        if message is None or message.role != "user":
            raise AIStreamError(f"There is no question {message_id!r} to ask anew.")
        if not isinstance(self._agent, Rewindable):
            raise AIStreamError("This agent cannot forget; send a new message.")

    def timing_chart(self) -> TimingChart:
        """When the first token came, where the gaps are, how long the tools took."""
        return self.recording.timing_chart()

    def __repr__(self) -> str:
        return f"Chat({self._agent.name!r})"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return self._view.mimebundle()

    async def aclose(self) -> None:
        """End the run, close the connection and the view."""
        self.stop()
        for task in tuple(self._background):
            await asyncio.wait([task])
        await self._agent.aclose()
        self._view.close()
        self._ledger.close()

    # ------------------------------------------------------------ running

    async def _answer(
        self, work: Work, text: str, instead_of: str | None = None
    ) -> Reply:
        try:
            kept = None if instead_of is None else self._cut_before(instead_of)
            question = {"id": self._new_id("user"), "role": "user", "content": text}
            task = self._task(question, kept)
            with cell_wait():
                await work.perform(lambda: self._agent.run(task))
        finally:
            self._release(work)
        answers = answers_to(question["id"], self.conversation.messages)
        return Reply(
            self.conversation,
            answers,
            hide=self._journal.hide,
            where_live=self._view.where_live,
        )

    def _forget(self, task: asyncio.Task[Reply]) -> None:
        self._background.discard(task)
        if not task.cancelled():
            # Whoever awaits the run still gets it; the conversation shows it anyway.
            task.exception()

    def _task(
        self,
        question: Mapping[str, Any],
        kept: tuple[Mapping[str, Any], ...] | None,
    ) -> Task:
        self._journal.begin_run()
        if isinstance(self._agent, Keyed):
            # A key may have come into the environment since the last run.
            self._journal.learn_secrets(self._agent.secrets)
        return Task(
            thread_id=self._thread_id,
            run_id=self._new_id("run"),
            question=question,
            kept=kept,
            tools=self._tools,
            gate=self._gate,
            audience=self._view.audience,
            emit=self._journal.emit,
            wire=self.recording.append_wire,
            new_id=self._new_id,
        )

    def _cut_before(self, message_id: str) -> tuple[Mapping[str, Any], ...]:
        """The AG-UI messages that stay when a question and its sequel go."""
        self.check_question(message_id)
        if not isinstance(self._agent, Rewindable) or not self._agent.rewind(
            message_id
        ):
            raise AIStreamError("The agent does not remember this question.")
        return self._journal.messages_before(message_id)

    def _claim(self) -> Work:
        """Take the chat for one run."""
        if self._work is not None:
            raise AIStreamError(STILL_GOING_ON)
        self._work = Work()
        return self._work

    def _release(self, work: Work) -> None:
        if isinstance(self._agent, FaultFinding):
            self._journal.note_faults(self._agent.faults)
        if self._work is work:
            self._work = None
