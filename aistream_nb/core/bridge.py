"""Turn events in, AG-UI events out: one run that may hold several rounds.

:class:`TurnBridge` is the only place that knows both vocabularies. What it emits is
legal AG-UI 1.0 in any order of turn events:

- a run opens with RUN_STARTED, whose ``input`` carries the messages that are new,
  and ends exactly once, as finished, cancelled or failed;
- a round's text and calls belong to one assistant message; text that resumes after
  a call gets a message of its own, since AG-UI orders a conversation by messages;
- thinking is a reasoning span around one reasoning message;
- what is open is closed before anything else opens, and before the run ends.

Things AG-UI has no word for travel as CUSTOM events: ``aistream:round``,
``aistream:server-tool``. A failed call is marked in the result's ``metadata``,
because TOOL_CALL_RESULT has no field for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.turn_events import (
    Done,
    ServerToolEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallArgsDelta,
    ToolCallDone,
    ToolCallResult,
    ToolCallStart,
    TurnEvent,
    TurnFailed,
    Usage,
)
from aistream_nb.core.values import Event

__all__ = ["PROTOCOL_VERSION", "RESULT_ERROR", "TurnBridge", "usage_to_wire"]

PROTOCOL_VERSION: Final = "1.0"

RESULT_ERROR: Final[Mapping[str, Any]] = {"aistream": {"isError": True}}
"""The metadata of a TOOL_CALL_RESULT that tells of a failure."""

_USAGE_NAMES: Final[Mapping[str, str]] = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "reasoning_tokens": "reasoningTokens",
    "cached_input_tokens": "cachedInputTokens",
    "cache_write_input_tokens": "cacheWriteInputTokens",
}


def usage_to_wire(usage: Usage, *, provider: str, model: str) -> dict[str, Any]:
    """The tokens of one round as AG-UI's ``TokenUsage``.

    >>> usage_to_wire(Usage(input_tokens=3), provider="anthropic", model="m")
    {'provider': 'anthropic', 'model': 'm', 'inputTokens': 3}
    """
    counted = {
        _USAGE_NAMES[name]: count
        for name, count in asdict(usage).items()
        if count is not None
    }
    return {"provider": provider, "model": model, **counted}


class TurnBridge:
    """One run on its way from a provider's turn events to AG-UI events.

    Every method returns the events to hand on, in order.

    >>> bridge = TurnBridge(thread_id="t", run_id="r", new_id=lambda kind: kind)
    >>> _ = bridge.open_run(), bridge.open_round(provider="anthropic", model="m")
    >>> [event["type"] for event in bridge.receive(TextDelta(delta="Hi"))]
    ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT']
    >>> [event["type"] for event in bridge.finish_run()]
    ['TEXT_MESSAGE_END', 'RUN_FINISHED']
    """

    def __init__(
        self, *, thread_id: str, run_id: str, new_id: Callable[[str], str]
    ) -> None:
        self._ids: dict[str, str] = {"threadId": thread_id, "runId": run_id}
        self._new_id = new_id
        self._provider = ""
        self._model = ""
        self._round = 0
        self._message_id = ""
        self._text_closed = False
        self._open_text: str | None = None
        self._open_thinking: str | None = None
        self._open_calls: dict[str, bool] = {}
        self._unnamed: list[str] = []
        self._usage: list[dict[str, Any]] = []

    # ------------------------------------------------------------ the run

    def open_run(
        self,
        *,
        messages: Sequence[Mapping[str, Any]] = (),
        tools: Sequence[Mapping[str, Any]] = (),
        state: object = None,
        kept: Sequence[Mapping[str, Any]] | None = None,
    ) -> tuple[Event, ...]:
        """RUN_STARTED with what is asked: AG-UI messages and the shared state.

        The tools travel as metadata. ``input.tools`` is for tools that the *client*
        runs and answers in another run; ours run and are answered inside this one.
        Where the thread was cut, ``kept`` are the messages that stay before it; a
        MESSAGES_SNAPSHOT says so.
        """
        run_input: dict[str, Any] = {
            **self._ids,
            "messages": list(messages),
            "tools": [],
            "state": state if state is not None else {},
            "context": [],
            "forwardedProps": {},
        }
        started = {
            "type": "RUN_STARTED",
            **self._ids,
            "protocolVersion": PROTOCOL_VERSION,
            "input": run_input,
            "metadata": {"aistream": {"tools": list(tools)}},
        }
        if kept is None:
            return (started,)
        thread = [*kept, *messages]
        return (started, {"type": "MESSAGES_SNAPSHOT", "messages": thread})

    def open_round(self, *, provider: str, model: str) -> tuple[Event, ...]:
        """Begin another request to the model, and with it another message."""
        closed = self._close_all()
        self._round += 1
        self._provider, self._model = provider, model
        self._message_id = self._new_id("msg")
        self._text_closed = False
        return closed

    def finish_run(self) -> tuple[Event, ...]:
        """The run did what it was asked."""
        return self._end({"outcome": {"type": "success"}})

    def cancel_run(self) -> tuple[Event, ...]:
        """The run was stopped; calls that are open end without a result."""
        return self._end({"outcome": {"type": "cancelled"}})

    def fail_run(self, message: str, *, code: str | None = None) -> tuple[Event, ...]:
        """The run broke. Text and thinking are closed; a call stays unfinished."""
        error: dict[str, Any] = {"type": "RUN_ERROR", "message": message}
        if code is not None:
            error["code"] = code
        if self._usage:
            error["usage"] = list(self._usage)
        return (*self._close_prose(), error)

    def _end(self, how: Mapping[str, Any]) -> tuple[Event, ...]:
        usage = {"usage": list(self._usage)} if self._usage else {}
        finished = {"type": "RUN_FINISHED", **self._ids, **how, **usage}
        return (*self._close_all(), finished)

    # ------------------------------------------------------------ the turn events

    def receive(self, event: TurnEvent) -> tuple[Event, ...]:
        """The AG-UI events that say what ``event`` says."""
        return self._RECEIVE[type(event)](self, event)

    @property
    def unnamed_call_id(self) -> str:
        """The id that was made for the oldest call that has none and no result yet."""
        return self._unnamed[0] if self._unnamed else ""

    def _text(self, event: TextDelta) -> tuple[Event, ...]:
        opened: tuple[Event, ...] = ()
        if self._open_text is None:
            if self._text_closed:
                self._message_id = self._new_id("msg")
            self._open_text = self._message_id
            opened = (
                *self._close_thinking(),
                {
                    "type": "TEXT_MESSAGE_START",
                    "messageId": self._open_text,
                    "role": "assistant",
                },
            )
        content = {
            "type": "TEXT_MESSAGE_CONTENT",
            "messageId": self._open_text,
            "delta": event.delta,
        }
        return (*opened, content)

    def _thinking(self, event: ThinkingDelta) -> tuple[Event, ...]:
        opened: tuple[Event, ...] = ()
        if self._open_thinking is None:
            thinking_id = self._open_thinking = self._new_id("thinking")
            opened = (
                *self._close_text(),
                {"type": "REASONING_START", "messageId": thinking_id},
                {
                    "type": "REASONING_MESSAGE_START",
                    "messageId": thinking_id,
                    "role": "reasoning",
                },
            )
        content = {
            "type": "REASONING_MESSAGE_CONTENT",
            "messageId": self._open_thinking,
            "delta": event.delta,
        }
        return (*opened, content)

    def _start(self, event: ToolCallStart) -> tuple[Event, ...]:
        return self._start_call(event.call_id, event.tool_name)

    def _start_call(self, call_id: str, tool_name: str) -> tuple[Event, ...]:
        self._open_calls[call_id] = False
        start = {
            "type": "TOOL_CALL_START",
            "toolCallId": call_id,
            "toolCallName": tool_name,
            "parentMessageId": self._message_id,
        }
        return (*self._close_prose(), start)

    def _arguments(self, event: ToolCallArgsDelta) -> tuple[Event, ...]:
        self._open_calls[event.call_id] = True
        return (_arguments_event(event.call_id, event.delta),)

    def _finish_call(self, event: ToolCallDone) -> tuple[Event, ...]:
        call_id = event.call_id
        if call_id is None:
            # The result that follows has no id either; calls answer in order.
            call_id = self._new_id("call")
            self._unnamed.append(call_id)
        started: tuple[Event, ...] = ()
        if call_id not in self._open_calls:
            started = self._start_call(call_id, event.tool_name)
        if not self._open_calls.pop(call_id):
            whole = encode_json(event.arguments)
            started = (*started, _arguments_event(call_id, whole))
        return (*started, {"type": "TOOL_CALL_END", "toolCallId": call_id})

    def _result(self, event: ToolCallResult) -> tuple[Event, ...]:
        call_id = event.call_id
        if call_id is None:
            call_id = self._unnamed.pop(0) if self._unnamed else self._new_id("call")
        result: dict[str, Any] = {
            "type": "TOOL_CALL_RESULT",
            "messageId": self._new_id("result"),
            "toolCallId": call_id,
            "content": event.result,
            "role": "tool",
        }
        if event.is_error:
            result["metadata"] = dict(RESULT_ERROR)
        return (result,)

    def _server_tool(self, event: ServerToolEvent) -> tuple[Event, ...]:
        value = {"toolType": event.tool_type, "phase": event.phase}
        if event.detail is not None:
            value["detail"] = event.detail
        return ({"type": "CUSTOM", "name": "aistream:server-tool", "value": value},)

    def _finish_round(self, event: Done) -> tuple[Event, ...]:
        value: dict[str, Any] = {
            "round": self._round,
            "provider": self._provider,
            "model": self._model,
            "truncated": event.truncated,
        }
        if event.stop_reason is not None:
            value["stopReason"] = event.stop_reason
        if event.incomplete_reason is not None:
            value["incompleteReason"] = event.incomplete_reason
        if event.usage is not None:
            counted = usage_to_wire(
                event.usage, provider=self._provider, model=self._model
            )
            value["usage"] = counted
            self._usage.append(counted)
        said = {"type": "CUSTOM", "name": "aistream:round", "value": value}
        return (*self._close_all(), said)

    def _failed(self, event: TurnFailed) -> tuple[Event, ...]:
        # The driver tells the failure, with fail_run: it knows whether it tries again.
        del event
        return self._close_prose()

    # ------------------------------------------------------------ closing

    def _close_text(self) -> tuple[Event, ...]:
        if self._open_text is None:
            return ()
        closed = {"type": "TEXT_MESSAGE_END", "messageId": self._open_text}
        self._open_text = None
        self._text_closed = True
        return (closed,)

    def _close_thinking(self) -> tuple[Event, ...]:
        thinking_id, self._open_thinking = self._open_thinking, None
        if thinking_id is None:
            return ()
        return (
            {"type": "REASONING_MESSAGE_END", "messageId": thinking_id},
            {"type": "REASONING_END", "messageId": thinking_id},
        )

    def _close_prose(self) -> tuple[Event, ...]:
        return (*self._close_text(), *self._close_thinking())

    def _close_all(self) -> tuple[Event, ...]:
        calls = [
            {"type": "TOOL_CALL_END", "toolCallId": call_id}
            for call_id in self._open_calls
        ]
        self._open_calls.clear()
        return (*self._close_prose(), *calls)

    _RECEIVE: ClassVar[Mapping[type[TurnEvent], Callable[..., tuple[Event, ...]]]] = {
        TextDelta: _text,
        ThinkingDelta: _thinking,
        ToolCallStart: _start,
        ToolCallArgsDelta: _arguments,
        ToolCallDone: _finish_call,
        ToolCallResult: _result,
        ServerToolEvent: _server_tool,
        Done: _finish_round,
        TurnFailed: _failed,
    }


def _arguments_event(call_id: str, delta: str) -> Event:
    return {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": delta}
