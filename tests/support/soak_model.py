"""The model of the soak: a server on loopback that never runs out of words.

It speaks Anthropic's dialect. Every question is answered by numbered words in markdown,
cut into deltas of five letters, then by a call that needs a yes; the call's result by a
few words more. Since every word has its number, a reader can tell whether one is
missing, twice or out of order.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from turn_kit import call_block, message, sse

DELTA = 5
WORD = 10
"""Letters of a word with its space: ``w00000001 ``."""
TICK = 0.02
"""Seconds between two writes, where the rate is limited."""
SHAPES = (
    "{}\n\n",
    "- {}\n- {}\n- {}\n\n",
    "## {}\n\n",
    "**{}** and *{}*, then `{}`.\n\n",
    "```text\n{}\n{}\n```\n\n",
    "| {} | {} |\n|---|---|\n| {} | {} |\n\n",
)
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
)


@dataclass
class Model:
    """What it says, and what it has said."""

    words_a_turn: int
    rate: float = 0
    """Deltas a second; 0 is as fast as they are taken."""
    asks: bool = True
    """Whether it calls a tool."""
    words: int = 0
    deltas: int = 0
    calls: int = 0
    letters: int = 0
    ended: float = 0.0
    """When its last delta was sent, as the wall clock says."""

    def prose(self, count: int) -> str:
        """Markdown with so many words or a few more."""
        text, last = "", self.words + count
        while self.words < last:
            shape = SHAPES[(self.words // 7) % len(SHAPES)]
            text += shape.format(*self._some(shape.count("{}"), last))
        return text

    def _some(self, places: int, last: int) -> Iterator[str]:
        each = max(1, min(12, last - self.words))
        for _ in range(places):
            numbers = range(self.words, self.words + each)
            yield " ".join(f"w{number:08d}" for number in numbers)
            self.words += each

    def answer(self, request: bytes) -> tuple[bytes, list[bytes], bytes]:
        """The beginning, the deltas and the end of the answer to a request."""
        last = json.loads(request)["messages"][-1]["content"]
        is_result = isinstance(last, list) and last[-1].get("type") == "tool_result"
        is_last = is_result or not self.asks
        text = self.prose(self.words_a_turn // (10 if is_result else 1))
        self.letters += len(text)
        pieces = [text[at : at + DELTA] for at in range(0, len(text), DELTA)]
        self.deltas += len(pieces)
        start = {"type": "text", "text": ""}
        opened = {"type": "content_block_start", "index": 0, "content_block": start}
        told = [sse(delta(piece)) for piece in pieces]
        closed = {"type": "content_block_stop", "index": 0}
        if is_last:
            frames = message(opened, closed)
        else:
            self.calls += 1
            call = call_block(1, f"call_{self.calls}", '{"number": 1}', name="note")
            frames = message(opened, closed, *call, stop="tool_use")
        cut = frames.index(b"event: content_block_stop")
        return frames[:cut], told, frames[cut:]


def delta(piece: str) -> dict[str, object]:
    said = {"type": "text_delta", "text": piece}
    return {"type": "content_block_delta", "index": 0, "delta": said}


async def _answer(
    model: Model, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    fields = dict(line.split(b": ") for line in head.lower().split(b"\r\n")[1:-2])
    body = await reader.readexactly(int(fields[b"content-length"]))
    begin, deltas, end = model.answer(body)
    writer.write(HEAD + begin)
    each = max(1, round(model.rate * TICK)) if model.rate else 50
    due = asyncio.get_running_loop().time()
    for at in range(0, len(deltas), each):
        writer.write(b"".join(deltas[at : at + each]))
        await writer.drain()
        due += TICK
        pause = due - asyncio.get_running_loop().time()
        await asyncio.sleep(max(pause, 0) if model.rate else 0)
    model.ended = time.time()
    writer.write(end)
    await writer.drain()


@contextmanager
def talking(model: Model) -> Generator[str, None, None]:
    """The address of the model, which listens in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await _answer(model, reader, writer)
        writer.close()

    async def listen() -> asyncio.Server:
        return await asyncio.start_server(meet, "127.0.0.1", 0)

    server = asyncio.run_coroutine_threadsafe(listen(), loop).result(10)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()
