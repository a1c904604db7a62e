"""A real HTTP server on loopback that plays the scripted turns of a case."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aistream_nb.core.json_text import encode_json

KEPT_HEADERS = {
    "accept",
    "anthropic-dangerous-direct-browser-access",
    "anthropic-version",
    "authorization",
    "content-type",
    "x-api-key",
    "x-goog-api-key",
}


@dataclass
class Server:
    """An HTTP server that answers each request with the next scripted turn."""

    turns: list[dict[str, Any]]
    on_hang: Any
    requests: list[dict[str, Any]] = field(default_factory=list)
    exchanges: list[Any] = field(default_factory=list)

    @contextmanager
    def _closing(self, writer: asyncio.StreamWriter) -> Generator[None]:
        try:
            yield
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away, which some cases are about
        finally:
            writer.close()

    def running(self) -> _Running:
        return _Running(self)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.exchanges.append(asyncio.current_task())
        with self._closing(writer):
            await self._read_request(reader)
            turn = self.turns[min(len(self.requests), len(self.turns)) - 1]
            if turn.get("close") == "reset-before-headers":
                writer.transport.abort()
                return
            await self._answer(turn, writer)
            if turn.get("close") == "hang":
                await asyncio.sleep(0.05)  # the client reads what was sent
                self.on_hang()
                await reader.read()
            elif turn.get("close") == "reset":
                await asyncio.sleep(0.05)  # or the last bytes are lost with the rest
                writer.transport.abort()

    async def _read_request(self, reader: asyncio.StreamReader) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        method, path, _ = first.split(" ")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        values = dict(line.split(": ", 1) for line in lines)
        kept = {name.lower(): value for name, value in values.items()}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.requests.append(
            {
                "method": method,
                "path": path,
                "headers": {name: kept[name] for name in kept if name in KEPT_HEADERS},
                "body": json.loads(body),
            }
        )

    async def _answer(self, turn: Mapping[str, Any], writer: asyncio.StreamWriter):
        body = _body(turn)
        headers = {"content-type": turn.get("content_type", _content_type(turn))}
        headers |= turn.get("headers") or {}
        if not turn.get("close"):
            headers["content-length"] = str(len(body))
        headers["connection"] = "close"
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {turn.get('status', 200)} X\r\n{lines}\r\n".encode())
        for piece in _pieces(body, turn.get("split") or []):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)


@dataclass
class _Running:
    server: Server

    async def __aenter__(self) -> str:
        self._listening = await asyncio.start_server(self.server.serve, "127.0.0.1", 0)
        port = self._listening.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        await asyncio.gather(*self.server.exchanges)
        await self._listening.wait_closed()


def _content_type(turn: Mapping[str, Any]) -> str:
    return "application/json" if "body" in turn else "text/event-stream"


def _body(turn: Mapping[str, Any]) -> bytes:
    if "sse" in turn:
        return turn["sse"].encode("utf-8", "surrogatepass")
    if "sse_base64" in turn:
        return base64.b64decode(turn["sse_base64"])
    body = turn.get("body", "")
    return (body if isinstance(body, str) else encode_json(body)).encode()


def _pieces(body: bytes, split: Any) -> list[bytes]:
    cuts = range(1, len(body)) if split == "every-byte" else split
    edges = [0, *cuts, len(body)]
    return [body[start:end] for start, end in itertools.pairwise(edges)]
