"""A server on loopback that speaks HTTP by hand, so that it can break every rule."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

Play = Callable[[asyncio.StreamWriter], Awaitable[bool | None]]
"""Writes an answer, or what it takes for one. Then the connection is closed, unless
the answer is true: then we wait until the client goes."""

HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"


class BadServer:
    """Answers every request with one play, and counts them."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self.requests = 0
        self.open = 0
        """Connections that are not closed yet."""
        self.left = asyncio.Event()
        """Set when the last client has gone."""

    async def _meet(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.open += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answer(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            self.open -= 1
            if not self.open:
                self.left.set()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        )
        await reader.readexactly(length)
        self.requests += 1
        stays = await self._play(writer)
        await writer.drain()
        if stays:
            await reader.read()


@asynccontextmanager
async def serving(play: Play) -> AsyncGenerator[tuple[BadServer, str]]:
    """A server and its address; at the end every connection is gone."""
    bad = BadServer(play)
    server = await asyncio.start_server(bad._meet, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    try:
        yield bad, f"http://{host}:{port}/v1"
        async with asyncio.timeout(5):
            if bad.open:
                await bad.left.wait()
    finally:
        server.close()


def says(*pieces: bytes, head: str = HEAD) -> Play:
    """An answer in so many pieces, ended by the end of the connection."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(f"{head}connection: close\r\n\r\n".encode())
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return play


def chunked(*pieces: bytes, end: bool = True, head: str = HEAD) -> Play:
    """An answer in chunks; without its end it breaks off."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(f"{head}transfer-encoding: chunked\r\n\r\n".encode())
        for piece in pieces:
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
        if end:
            writer.write(b"0\r\n\r\n")

    return play


def then_silence(*pieces: bytes) -> Play:
    """The beginning of an answer, and then nothing until the client goes."""

    async def play(writer: asyncio.StreamWriter) -> bool:
        await chunked(*pieces, end=False)(writer)
        return True

    return play


def for_ever(piece: bytes) -> Play:
    """An answer without an end."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(f"{HEAD}transfer-encoding: chunked\r\n\r\n".encode())
        while not writer.is_closing():
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()

    return play
