"""The events of a remote run on their way to the chat: the server's own, in order.

A chat may hear of a question and of a tool that runs after the server's run has
finished, and nothing may follow RUN_FINISHED. So RUN_FINISHED waits here until what
belongs to the run is told: until the next run begins, or nothing is left to do.

Rules that a change here must keep:

1. An event of the server is handed on as it is. What is added to one is named in
   its ``metadata.aistream.added``, and an event of ours says
   ``metadata.aistream.made``.
2. Only what is missing is added: the messages that are new, where RUN_STARTED does
   not say them, and RUN_STARTED itself. Without them nobody would see the question,
   or a tool's result.
3. Every run that was opened is ended, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from aistream_nb.chat.narration import Emit
from aistream_nb.chat.open_items import OpenItems
from aistream_nb.core.values import Event, is_array, is_mapping

__all__ = ["RemoteNarration"]

_MADE: Final[Mapping[str, Any]] = {"metadata": {"aistream": {"made": "by-the-client"}}}


class RemoteNarration:
    """What a chat is told of the runs that answer one message.

    Args:
        emit: Takes the events.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit: Emit = emit
        self._input: Mapping[str, Any] = {}
        self._opening: Sequence[Event] = ()
        self._begun = False
        self._held: Event | None = None
        self._open = OpenItems()

    def begin(
        self, run_input: Mapping[str, Any], *, opening: Sequence[Event] = ()
    ) -> None:
        """Say what the next request asks.

        Args:
            run_input: The request, with the messages that are new only.
            opening: What the client has to say right behind RUN_STARTED.
        """
        self._input = run_input
        self._opening = opening
        self._begun = False

    def take_up(self, run: Iterable[Event], *, held: Event | None) -> None:
        """Go on with a run that another session began.

        Args:
            run: What the chat was told of it, from its start on.
            held: How the server ended it, where the chat was not told that.
        """
        for event in run:
            if event.get("type") == "RUN_STARTED":
                self._input = {name: event.get(name) for name in ("threadId", "runId")}
                self._begun = True
            self._open.note(event)
        self._held = held

    @property
    def begun(self) -> bool:
        """Whether the run that was asked for has begun."""
        return self._begun

    # ------------------------------------------------------------ the server's

    def receive(self, event: Event) -> None:
        """Hand on an event of the server."""
        kind = event.get("type")
        if kind == "RUN_STARTED":
            self._start(event)
            return
        if not self._begun:
            self._start(self._made_start())
        self._release()
        if kind == "RUN_FINISHED":
            self._held = event
            return
        self._open.note(event)
        self._emit(event)

    def _start(self, event: Event) -> None:
        self._release()
        self._begun = True
        self._open.forget()
        self._emit(self._with_news(event))
        for ours in self._opening:
            self._emit({**ours, **_MADE})
        self._opening = ()

    def _with_news(self, event: Event) -> Event:
        """RUN_STARTED with the messages that nobody saw yet."""
        news: Sequence[Any] = self._input.get("messages", ())
        given = event.get("input")
        if not is_mapping(given):
            return _added(event, input=dict(self._input))
        said = given.get("messages")
        known = {m.get("id") for m in said if is_mapping(m)} if is_array(said) else ()
        missing = [message for message in news if message["id"] not in known]
        if not missing:
            return event
        messages = [*(said if is_array(said) else ()), *missing]
        return _added(event, input={**given, "messages": messages})

    # ------------------------------------------------------------ ours

    def tell(self, event: Event) -> None:
        """Tell something of ours, as a part of the run that the server finished."""
        self._open.note(event)
        self._emit(event)

    def finish(self) -> None:
        """Nothing more comes: tell how the last run ended."""
        self._release()

    def cancel(self) -> None:
        """The run was stopped: end what is open, and then the run."""
        held, self._held = self._held, None
        if held is None and not self._begun:
            self._start(self._made_start())
        self._close_items()
        ids = {name: self._input.get(name) for name in ("threadId", "runId")}
        finished = {"type": "RUN_FINISHED", **ids, **(held or {})}
        finished.pop("result", None)
        finished["outcome"] = {"type": "cancelled"}
        if held is None:
            self._emit({**finished, **_MADE})
        else:
            self._emit(_added(held, **finished))

    def fail(self, message: str, *, code: str) -> None:
        """The run cannot go on: say why. What is open may stay open."""
        if self._begun:
            self._held = None
        else:
            self._start(self._made_start())
        error = {"type": "RUN_ERROR", "message": message, "code": code}
        self._emit({**error, **_MADE})

    # ------------------------------------------------------------ what is open

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            self._emit(held)

    def _made_start(self) -> Event:
        ids = {name: self._input.get(name) for name in ("threadId", "runId")}
        start = {"type": "RUN_STARTED", **ids, "input": dict(self._input)}
        return {**start, **_MADE}

    def _close_items(self) -> None:
        for closing in self._open.close():
            self._emit({**closing, **_MADE})


def _added(event: Event, **fields: Any) -> Event:
    """The event with these fields, and with their names in its metadata."""
    changed = sorted(name for name in fields if event.get(name) != fields[name])
    given = event.get("metadata")
    metadata: Mapping[str, Any] = given if is_mapping(given) else {}
    ours = metadata.get("aistream")
    note = {**(ours if is_mapping(ours) else {}), "added": changed}
    kept = {name: event[name] for name in event if name in fields or name != "result"}
    return {**kept, **fields, "metadata": {**metadata, "aistream": note}}
