"""A vendor's server in the test's own hands, and small tools, for tests of turns.

The server answers through the project's own HTTP client: only the network is missing.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from aistream_nb.core.tool_spec import ToolAnnotations, ToolSpec
from aistream_nb.core.wire.sse import FrameSplitter
from aistream_nb.errors import AIStreamError, ToolInputError
from aistream_nb.http import HttpAnswer, HttpClient, HttpRequest, scripted_transport
from aistream_nb.providers.registry import find_provider
from aistream_nb.providers.retry import NO_RETRY
from aistream_nb.providers.turn import Turn, execute_client_tool_turn

USER = [{"role": "user", "content": "Hi"}]


def sse(*payloads: Any, named: bool = True) -> bytes:
    """Frames for payloads; those with a ``type`` get it as their event's name."""
    frames: list[str] = []
    for payload in payloads:
        name = payload.get("type") if named else None
        head = f"event: {name}\n" if name else ""
        text = json.dumps(payload, separators=(",", ":"), ensure_ascii=False)
        frames.append(f"{head}data: {text}\n\n")
    return "".join(frames).encode()


@dataclass
class Answer:
    """One answer of the scripted server."""

    body: bytes | list[bytes] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks: Exception | None = None
    refuses: Exception | None = None
    before_end: Callable[[], Any] | None = None

    async def chunks(self) -> AsyncIterator[bytes]:
        for chunk in [self.body] if isinstance(self.body, bytes) else self.body:
            yield chunk
        if self.before_end is not None:
            await self.before_end()
        if self.breaks is not None:
            raise self.breaks


class Server:
    """Answers each request with the next answer, and remembers the requests."""

    def __init__(self, *answers: Answer | bytes) -> None:
        self.answers = list(answers)
        self.requests: list[HttpRequest] = []
        self.client = HttpClient(transport=scripted_transport(self._answer))

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.body) for request in self.requests]

    async def _answer(self, request: HttpRequest) -> HttpAnswer:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, bytes):
            answer = Answer(answer)
        if answer.refuses is not None:
            raise answer.refuses
        headers = {"content-type": "text/event-stream", **answer.headers}
        return HttpAnswer(chunks=answer.chunks(), status=answer.status, headers=headers)


@dataclass
class FakeTool:
    """A tool of a test: its schema is a set of required names."""

    name: str = "get_weather"
    action: Callable[[Mapping[str, Any]], Any] = lambda _: "snow"
    required: tuple[str, ...] = ("city",)
    annotations: ToolAnnotations = field(default_factory=ToolAnnotations)
    ran: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            name=self.name,
            description="A tool.",
            parameters={
                "type": "object",
                "properties": {name: {"type": "string"} for name in self.required},
                "required": list(self.required),
            },
            annotations=self.annotations,
        )

    def validate(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        missing = [name for name in self.required if name not in arguments]
        if missing:
            raise ToolInputError(f"{missing[0]!r} is missing", tool_name=self.name)
        return arguments

    async def execute(self, arguments: Mapping[str, Any]) -> object:
        self.ran.append(arguments)
        value = self.action(arguments)
        return await value if hasattr(value, "__await__") else value


def begin(
    server: Server, *tools: FakeTool, provider: str = "anthropic", **options: Any
) -> Turn:
    """A turn with the scripted server; nothing is sent yet."""
    defaults: dict[str, Any] = {
        "messages": USER,
        "api_key": "test-key",
        "client": server.client,
        "retry": NO_RETRY,
        "model": "some-model",
    }
    return execute_client_tool_turn(
        provider=find_provider(provider), client_tools=tools, **{**defaults, **options}
    )


def body_of(provider: str, *tools: FakeTool, **options: Any) -> dict[str, Any]:
    """The body that a turn would send."""
    return begin(Server(), *tools, provider=provider, **options)._source._wire.body


async def play(
    server: Server, *tools: FakeTool, **options: Any
) -> tuple[list[Any], Any]:
    """All events of a turn, and its outcome or its failure."""
    turn = begin(server, *tools, **options)
    events = [event async for event in turn.events]
    try:
        return events, await turn.next_turn
    except AIStreamError as failure:
        return events, failure


def kinds(events: list[Any]) -> list[str]:
    return [event.type for event in events]


def translate(translator: Any, body: bytes) -> list[Any]:
    """What a translator makes of a whole body."""
    splitter = FrameSplitter()
    items = translator.receive(splitter.receive(body))
    return [*items, *translator.receive(splitter.close())]


def broken(text: str = "connection lost") -> httpx.ReadError:
    return httpx.ReadError(text)


# Anthropic's words, as short as they can be.


def message(*events: Any, stop: str = "end_turn", usage: Any = None) -> bytes:
    start = {"type": "message_start", "message": {"usage": usage or {}}}
    change = {
        "type": "message_delta",
        "delta": {"stop_reason": stop},
        "usage": {"output_tokens": 5},
    }
    return sse(start, *events, change, {"type": "message_stop"})


def block(index: int, start: Mapping[str, Any], *deltas: Any) -> list[Any]:
    """The events of one content block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *(
            {"type": "content_block_delta", "index": index, "delta": delta}
            for delta in deltas
        ),
        {"type": "content_block_stop", "index": index},
    ]


def text_block(index: int, *pieces: str) -> list[Any]:
    deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
    return block(index, {"type": "text", "text": ""}, *deltas)


def call_block(
    index: int, ident: str, arguments: str, name: str = "get_weather"
) -> list[Any]:
    start = {"type": "tool_use", "id": ident, "name": name, "input": {}}
    delta = {"type": "input_json_delta", "partial_json": arguments}
    return block(index, start, delta)
