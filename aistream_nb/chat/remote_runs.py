"""The runs that answer one message: request, listen, answer, and again.

Where things are: what the server said is in the thread, what the chat is told goes
through the narration, who decides sits at the desk, and our tools run in the tools.
Here is only the order in which these come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aistream_nb.agui.agent import AGUIAgent, AGUIAnswer
from aistream_nb.agui.questions import Answer, read_questions
from aistream_nb.agui.run_input import build_run_input
from aistream_nb.chat.agent import Task
from aistream_nb.chat.remote_desk import RemoteDesk
from aistream_nb.chat.remote_narration import RemoteNarration
from aistream_nb.chat.remote_thread import RemoteThread
from aistream_nb.chat.remote_tools import RemoteTools, ToolAnswer
from aistream_nb.core.ordering.facts import slip
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.values import Event
from aistream_nb.core.wire.frames import Frame
from aistream_nb.errors import ProviderError, ProviderStreamError, TurnError

__all__ = ["RemoteRuns", "RunFailedError"]

_LINGER: Final = 2.0
"""Seconds that a server may take to end its answer after it has ended the run."""
_CALL_EVENTS: Final = frozenset(
    {"TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_CHUNK"}
)


_FIRST: Final = frozenset({"RUN_STARTED", "RUN_ERROR"})


class RunFailedError(ProviderError):
    """The server ended its run with RUN_ERROR, which the chat has been told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What a run is asked."""

    run_id: str
    news: Sequence[Mapping[str, Any]] = ()
    """Messages that the server has not seen."""
    resume: Sequence[Mapping[str, Any]] = ()
    command: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What goes into ``forwardedProps.command``."""


class RemoteRuns:
    """The runs of one task.

    Args:
        server: Where they are asked for.
        task: The message.
        thread: The thread that it belongs to.
        tools: Our tools.
        new_number: Numbers the requests, for the recording.
    """

    def __init__(
        self,
        server: AGUIAgent,
        task: Task,
        *,
        thread: RemoteThread,
        tools: RemoteTools,
        new_number: Callable[[], int],
    ) -> None:
        self._server = server
        self._task = task
        self._thread = thread
        self._tools = tools
        self._new_number = new_number
        self.narration: RemoteNarration = RemoteNarration(task.emit)
        self._desk = RemoteDesk(server, task, self.narration)
        self._has_ended = False
        self._count = 0
        self.faults: list[Slip] = []
        """What was wrong with the bytes."""
        tools.offer(task.tools, self._desk.gate)

    def close(self) -> None:
        """Stop listening to the gate."""
        self._desk.close()

    async def go(self, opening: Sequence[Event] = ()) -> None:
        """Ask, answer what is asked back, and ask again until nothing is open.

        Args:
            opening: What the chat is to be told right behind the first RUN_STARTED.

        Raises:
            RunFailedError: The server says that the run failed.
            ProviderError: The road to the server failed, or the stream broke off.
            TurnError: It takes more runs than are allowed.
        """
        request: _Request | None = self._first()
        for _ in range(self._server.max_rounds):
            await self._run(request, opening)
            opening = ()
            request = await self._follow_up()
            if request is None:
                return
        raise TurnError(
            f"The agent wanted more than {self._server.max_rounds} runs for one "
            "message. Raise max_rounds, or ask for less at once."
        )

    # ------------------------------------------------------------ asking

    def _first(self) -> _Request:
        """The question; and what is still open, nobody will answer."""
        question = self._task.question
        news = () if question is None else (question,)
        self._thread.add(news)
        abandoned = [_cancelled(interrupt) for interrupt in self._thread.abandon()]
        return _Request(run_id=self._task.run_id, news=news, resume=abandoned)

    async def _run(self, request: _Request, opening: Sequence[Event]) -> None:
        body = self._body(request)
        self._thread.begin_run()
        # The chat is told the hints about our tools, which the server is not.
        tools = [tool.spec.to_wire() for tool in self._task.tools]
        news = [dict(message) for message in request.news]
        told = {**body, "messages": news, "tools": tools}
        self.narration.begin(told, opening=opening)
        number = self._new_number()
        sent = {"method": "POST", "url": self._server.url, "body": body}
        self._task.wire(number, request=sent)

        def keep(content: bytes) -> None:
            self._task.wire(number, content=content)

        async with await self._server.open(body, on_bytes=keep) as answer:
            self.faults.extend(answer.faults)
            await self._listen(answer)
        self._judge_ending()

    def _body(self, request: _Request) -> dict[str, Any]:
        ids = {"threadId": self._thread.thread_id, "runId": request.run_id}
        if self._server.protocol_version is not None:
            ids["protocolVersion"] = self._server.protocol_version
        extra = self._server.extra
        if request.command:
            props = {**extra["forwardedProps"], "command": dict(request.command)}
            extra["forwardedProps"] = props
        return build_run_input(
            ids,
            messages=self._thread.messages,
            tools=[tool.spec for tool in self._task.tools],
            state=self._thread.state,
            resume=request.resume,
            extra=extra,
        )

    # ------------------------------------------------------------ listening

    async def _listen(self, answer: AGUIAnswer) -> None:
        self._has_ended, self._count = False, 0
        try:
            while True:
                frames = await answer.read(within=_LINGER if self._has_ended else None)
                if frames is None:
                    break
                for frame in frames:
                    self._take(frame)
        except ProviderError as error:
            # Some servers drop the connection behind the end of a run.
            if not self._has_ended:
                _note_progress(error, self._count)
                raise
        for event in self._thread.close():
            self._hand_on(event)

    def _take(self, frame: Frame) -> None:
        if not (frame.is_done and self._thread.is_tanstack):
            self.faults.extend(frame.faults)
        if frame.event is None:
            self._thread.skip()
            return
        self._count += 1
        for event in self._thread.receive(frame.event):
            self._hand_on(event)

    def _hand_on(self, event: Event) -> None:
        thread = self._thread
        self._has_ended = thread.finished is not None or thread.failure is not None
        if not self.narration.begun and event.get("type") not in _FIRST:
            self.faults.append(_no_start(event))
        self.narration.receive(event)
        if event.get("type") in _CALL_EVENTS:
            self._tools.watch(thread.started_calls())

    def _judge_ending(self) -> None:
        failure = self._thread.failure
        if failure is not None:
            raise RunFailedError(f"The agent failed: {failure}", provider="agui")
        if self._thread.finished is None:
            raise ProviderStreamError(
                "The stream ended in the middle of the run: neither RUN_FINISHED nor "
                "RUN_ERROR came. Send the message again.",
                provider="agui",
                after=self._count,
            )

    # ------------------------------------------------------------ answering

    async def _follow_up(self) -> _Request | None:
        """What the next run is asked; ``None`` if nothing is open."""
        thread = self._thread
        calls = thread.open_calls()
        ours = [call for call in calls if self._tools.owns(call)]
        questions = read_questions(
            interrupts=thread.interrupts,
            customs=thread.customs,
            calls=[call for call in calls if call not in ours],
            approvals=self._server.approvals,
            is_tanstack=thread.is_tanstack,
        )
        results = await self._tools.run(ours) if ours else {}
        answers = await self._desk.ask(questions)
        if not results and not answers:
            return None
        return self._answering(results, answers)

    def _answering(
        self, results: Mapping[str, ToolAnswer], answers: Sequence[Answer]
    ) -> _Request:
        thread, new_id = self._thread, self._task.new_id
        news = [
            thread.answer(
                call_id, one.content, message_id=new_id("result"), error=one.error
            )
            for call_id, one in results.items()
        ]
        resume = [_as_resume(i, results) for i in thread.tool_interrupts()]
        command: dict[str, Any] = {}
        for one in answers:
            call, said = one.question.call, one.tool_message
            if call is not None and said is not None:
                news.append(thread.answer(call.id, said, message_id=new_id("result")))
            elif call is not None and one.question.style == "tanstack":
                thread.decide(call.id, one.question.id, approved=one.approved)
            elif one.question.style == "on-interrupt" and self._commands:
                command = {"resume": one.payload}
            else:
                resume.extend(one.resume)
        run_id = new_id("run")
        return _Request(run_id=run_id, news=news, resume=resume, command=command)

    @property
    def _commands(self) -> bool:
        return self._server.resume_by == "command"


def _as_resume(
    interrupt: Mapping[str, Any], results: Mapping[str, ToolAnswer]
) -> Mapping[str, Any]:
    """The entry for an interrupt that asks for a client tool."""
    result = results.get(str(interrupt.get("toolCallId")))
    if result is None:
        return _cancelled(interrupt)
    entry = {"interruptId": interrupt["id"], "status": "resolved"}
    return {**entry, "payload": result.content}


def _cancelled(interrupt: Mapping[str, Any]) -> dict[str, Any]:
    return {"interruptId": interrupt["id"], "status": "cancelled"}


def _no_start(event: Event) -> Slip:
    return slip(
        "run.first_event",
        f"the stream begins with {event.get('type')}; the chat was given a RUN_STARTED",
        "RUN_STARTED, or RUN_ERROR",
    )


def _note_progress(error: ProviderError, count: int) -> None:
    if isinstance(error, ProviderStreamError):
        error.after = count
