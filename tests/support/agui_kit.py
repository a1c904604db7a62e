"""An AG-UI server in the test's own hands: only the network is missing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import aistream_nb as ai
from aistream_nb.agui import AGUIAgent
from aistream_nb.chat.ids import counted_ids
from aistream_nb.chat.remote_agent import RemoteAgent
from aistream_nb.core.tool_spec import Decision, Gate, GateRequest, Proceed
from aistream_nb.core.wire.sse_encode import SSEEncoder
from aistream_nb.http import HttpAnswer, HttpClient, HttpRequest, scripted_transport

URL = "http://agent.test/run"

Event: TypeAlias = Mapping[str, Any]


@dataclass
class Said:
    """One answer of the server."""

    events: Sequence[Event] = ()
    body: bytes | None = None
    """The bytes in place of the events."""
    status: int = 200
    content_type: str = "text/event-stream"
    wait_before_end: asyncio.Event | None = None
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    breaks: Exception | None = None
    """Raised behind the body."""
    refuses: Exception | None = None
    """Raised in place of an answer."""

    async def chunks(self) -> AsyncIterator[bytes]:
        yield sse(*self.events) if self.body is None else self.body
        self.reached.set()
        if self.wait_before_end is not None:
            await self.wait_before_end.wait()
        if self.breaks is not None:
            raise self.breaks


Script: TypeAlias = Said | Sequence[Event] | Callable[[dict[str, Any]], Any]


class AGUIServer:
    """Answers each request with the next script, and remembers the requests."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.client = HttpClient(transport=scripted_transport(self._answer))

    async def _answer(self, request: HttpRequest) -> HttpAnswer:
        body = json.loads(request.body)
        self.requests.append(body)
        self.headers.append(request.headers)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        said = script(body) if callable(script) else script
        said = said if isinstance(said, Said) else Said(events=fill(said, body))
        if said.refuses is not None:
            raise said.refuses
        if said.events:
            said.events = fill(said.events, body)
        headers = {"content-type": said.content_type}
        return HttpAnswer(chunks=said.chunks(), status=said.status, headers=headers)

    def agent(self, **options: Any) -> AGUIAgent:
        return AGUIAgent(URL, client=self.client, **options)

    def chat(
        self,
        *,
        tools: Sequence[Any] = (),
        gate: Gate | None = None,
        system: str | None = None,
        **options: Any,
    ) -> ai.Chat:
        return ai.Chat(
            self.agent(**options),
            tools=tools,
            gate=gate or allow,
            system=system,
            ids=counted_ids("thread"),
        )


async def allow(_request: GateRequest) -> Decision:
    return Proceed()


def fill(events: Sequence[Event], body: Mapping[str, Any]) -> list[Event]:
    """Events of runs get the ids of the request, unless they have their own."""
    ids = {"threadId": body["threadId"], "runId": body["runId"]}
    runs = {"RUN_STARTED", "RUN_FINISHED"}
    return [{**ids, **e} if e["type"] in runs else e for e in events]


def sse(*events: Event) -> bytes:
    return b"".join(map(SSEEncoder().encode, events))


def started(**fields: Any) -> Event:
    return {"type": "RUN_STARTED", "protocolVersion": "1.0", **fields}


def finished(*pending: str, **fields: Any) -> Event:
    outcome: dict[str, Any] = {"type": "success"}
    if pending:
        outcome["pendingToolCallIds"] = list(pending)
    return {"type": "RUN_FINISHED", "outcome": outcome, **fields}


def interrupted(*interrupts: Event) -> Event:
    return {
        "type": "RUN_FINISHED",
        "outcome": {"type": "interrupt", "interrupts": list(interrupts)},
    }


def text(said: str, message_id: str = "m1") -> list[Event]:
    ids = {"messageId": message_id}
    return [
        {"type": "TEXT_MESSAGE_START", "role": "assistant", **ids},
        {"type": "TEXT_MESSAGE_CONTENT", "delta": said, **ids},
        {"type": "TEXT_MESSAGE_END", **ids},
    ]


def call(call_id: str, name: str, arguments: str = "{}", **fields: Any) -> list[Event]:
    ids = {"toolCallId": call_id}
    return [
        {"type": "TOOL_CALL_START", "toolCallName": name, **ids, **fields},
        {"type": "TOOL_CALL_ARGS", "delta": arguments, **ids},
        {"type": "TOOL_CALL_END", **ids},
    ]


def result(call_id: str, content: str) -> Event:
    return {
        "type": "TOOL_CALL_RESULT",
        "messageId": f"{call_id}:result",
        "toolCallId": call_id,
        "content": content,
        "role": "tool",
    }


def answer(said: str, message_id: str = "answer") -> list[Event]:
    """A run that only says something."""
    return [started(), *text(said, message_id), finished()]


class Charts:
    """A tool of the client that notes what it is called with."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.reached = asyncio.Event()

    def tool(self) -> Any:
        async def show_chart(kind: str) -> str:
            """Show a chart."""
            self.reached.set()
            await self.go_on.wait()
            self.shown.append(kind)
            if kind == "broken":
                raise ValueError("no such chart")
            return f"shown {kind}"

        return ai.tool(read_only=True)(show_chart)


def remote(chat: ai.Chat) -> RemoteAgent:
    agent = chat._agent
    assert isinstance(agent, RemoteAgent)
    return agent


def kinds(chat: ai.Chat) -> list[str]:
    return [str(event["type"]) for event in chat.recording.events]


def tool_messages(request: dict[str, Any]) -> list[tuple[str, str]]:
    messages = request["messages"]
    return [
        (m["toolCallId"], m["content"]) for m in messages if m.get("role") == "tool"
    ]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110 # traits have no event to wait for
            await asyncio.sleep(0)


async def somebody() -> str | None:
    await asyncio.Event().wait()
    return None


def gate_saying(decision: Decision) -> tuple[list[GateRequest], Any]:
    asked: list[GateRequest] = []

    async def gate(request: GateRequest) -> Decision:
        asked.append(request)
        return decision

    return asked, gate
