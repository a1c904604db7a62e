"""A server on loopback that does all that servers must not do.

Each time: what had arrived is kept, the failure has one of our own types and says what
happened, no key is in it, the run has its one end, and no connection stays open.
"""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import dataclass, field
from typing import Any

import pytest
from bad_server import (
    HEAD,
    BadServer,
    Play,
    chunked,
    for_ever,
    says,
    serving,
    then_silence,
)
from fault_kit import hold_the_laws, kept_text
from turn_kit import call_block, message, sse, text_block

import aistream_nb as ai
from aistream_nb.errors import (
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderStreamError,
)
from aistream_nb.http import HttpClient, Timeouts
from aistream_nb.providers.retry import NO_RETRY, RetryPolicy

KEY = "sk-planted-0123456789"
WHOLE = message(*text_block(0, "Hello ", "there"))
HALF = WHOLE[: WHOLE.index(b"there")]
PACKED = gzip.compress(WHOLE)
PAGE = f"<!doctype html><h1>Bad gateway</h1> {KEY}".encode()
CALLS = message(*call_block(0, "call_1", '{"city": "Hvar"}'), stop="tool_use")
DELTA = sse(text_block(0, "la ")[1])
LONG = "x" * 10_000_000


def head(status: str = "200 OK", **fields: str) -> str:
    fields = {"content_type": "text/event-stream", **fields}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return f"HTTP/1.1 {status}\r\n" + "".join(f"{line}\r\n" for line in lines)


async def hangs_up(_writer: asyncio.StreamWriter) -> None:
    """Close without a word."""


@dataclass(frozen=True)
class Fault:
    """What a server does, and what has to come of it."""

    play: Play
    text: str = ""
    """What is shown of the answer."""
    error: type[ProviderError] | None = None
    words: str = ""
    """What the failure says, besides its type."""
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    timeouts: dict[str, float] = field(default_factory=dict[str, float])


Status, Stream, Connection = (
    ProviderStatusError,
    ProviderStreamError,
    ProviderConnectionError,
)
BOUND = {"max_answer_bytes": 50_000}

FAULTS = {
    # Odd, and harmless.
    "trickling": Fault(
        chunked(*(WHOLE[at : at + 1] for at in range(len(WHOLE)))), "Hello there"
    ),
    "gzip nobody asked for": Fault(
        says(PACKED, head=head(content_encoding="gzip")), "Hello there"
    ),
    "unknown encoding": Fault(
        says(WHOLE, head=head(content_encoding="klingon")), "Hello there"
    ),
    "wrong content type": Fault(
        says(WHOLE, head=head(content_type="application/octet-stream")), "Hello there"
    ),
    "events called a page": Fault(
        says(WHOLE, head=head(content_type="text/html")), "Hello there"
    ),
    "no content type": Fault(says(WHOLE, head="HTTP/1.1 200 OK\r\n"), "Hello there"),
    "carriage returns and a byte order mark": Fault(
        says(b"\xef\xbb\xbf" + WHOLE.replace(b"\n", b"\r")), "Hello there"
    ),
    "bytes that are no text": Fault(
        says(WHOLE.replace(b"Hello", b"H\xff\xfe")), "H�� there"
    ),
    "half a character": Fault(
        says(WHOLE.replace(b"Hello", rb"H\ud83d")), "H\ud83d there"
    ),
    "a frame nested too deeply": Fault(
        says(b"data: " + b"[" * 100_000 + b"\n\n" + WHOLE), "Hello there"
    ),
    "a count that is no number": Fault(
        says(WHOLE.replace(b'"output_tokens":5', b'"output_tokens":NaN')), "Hello there"
    ),
    "a count of many digits": Fault(
        says(WHOLE.replace(b'"output_tokens":5', b'"output_tokens":' + b"9" * 5000)),
        "Hello there",
    ),
    "a long line that is noise": Fault(
        says(b"data: " + LONG.encode() + b"\n\n" + WHOLE), "Hello there"
    ),
    "a long line that is text": Fault(says(message(*text_block(0, LONG))), LONG),
    # Broken off.
    "cut between chunks": Fault(
        chunked(HALF, end=False), "Hello ", Stream, "broke off"
    ),
    "cut before its length": Fault(
        says(HALF, head=head(content_length=str(len(WHOLE)))),
        "Hello ",
        Stream,
        "broke off",
    ),
    "ended in order, too early": Fault(
        chunked(HALF), "Hello ", Stream, "ended without"
    ),
    "nothing in it": Fault(says(), "", Stream, "ended without"),
    "no content": Fault(says(head="HTTP/1.1 204 No Content\r\n"), "", Stream),
    "hung up": Fault(hangs_up, "", Connection, "disconnected"),
    "gzip, damaged": Fault(
        says(PACKED[:20] + b"\xff" * 40, head=head(content_encoding="gzip")),
        "",
        ProviderError,
        "decompressing",
    ),
    "gzip, only said": Fault(
        says(WHOLE, head=head(content_encoding="gzip")),
        "",
        ProviderError,
        "decompressing",
    ),
    "gzip, cut": Fault(
        says(PACKED[: len(PACKED) // 2], head=head(content_encoding="gzip")),
        "",
        Stream,
        "ended without",
    ),
    # Silent.
    "no first byte": Fault(
        then_silence(), "", Connection, "no answer within", timeouts={"first_byte": 0.1}
    ),
    "silent in the middle": Fault(
        then_silence(HALF + b'there"}}\n\n'),
        "Hello there",
        Stream,
        "silent for longer than Timeouts.read",
        timeouts={"read": 0.1},
    ),
    # Endless.
    "endless text": Fault(for_ever(DELTA), "la ", Stream, "max_answer_bytes", BOUND),
    "endless noise": Fault(for_ever(b"x" * 999), "", Stream, "max_answer_bytes", BOUND),
    "endless comments": Fault(
        for_ever(b": ping\n\n" * 99), "", Stream, "max_answer_bytes", BOUND
    ),
    # Something else altogether.
    "a page": Fault(
        says(PAGE, head=head(content_type="text/html")), "", Stream, "a web page"
    ),
    "a page with a status": Fault(
        says(PAGE, head=head("502 Bad Gateway", content_type="text/html")),
        "",
        Status,
        "502",
    ),
    "JSON": Fault(
        says(b'{"error": {"message": "no"}}', head=head(content_type="text/json")),
        "",
        Stream,
        "no",
    ),
    "JSON nested too deeply": Fault(
        says(b"[" * 60_000, head=head(content_type="application/json")),
        "",
        Stream,
        "JSON instead of events",
    ),
    "a redirect": Fault(
        says(head=head("307 Go", location=f"https://other.test/?key={KEY}")),
        "",
        Status,
        "points to other.test",
    ),
    "a redirect to nowhere": Fault(
        says(head=head("302 Found", location="http://[bad/")), "", Status, "302"
    ),
    "another protocol": Fault(says(head="SSH-2.0-OpenSSH_9.2\r\n"), "", Connection),
    "a switch of protocols": Fault(
        says(head="HTTP/1.1 101 Switching\r\nupgrade: x\r\n"), "", Connection
    ),
    "endless headers": Fault(says(head=HEAD + "x-a: b\r\n" * 20_000), "", Connection),
}


def talk(url: str, fault: Fault, **options: Any) -> ai.Chat:
    client = HttpClient(timeouts=Timeouts(**fault.timeouts))
    options = {"retry": NO_RETRY, "client": client, **fault.options, **options}
    endpoint = url.removesuffix("/v1")
    return ai.Chat("anthropic:m", api_key=KEY, endpoint=endpoint, **options)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_a_server_breaks_a_rule(fault: Fault):
    async with serving(fault.play) as (server, url):
        chat = talk(url, fault)
        if fault.error is None:
            assert (await chat.send("Hi")).status == "finished"
        else:
            with pytest.raises(fault.error) as caught:
                await chat.send("Hi")
            assert fault.words in str(caught.value)
            assert KEY not in str(caught.value)
            assert caught.value.provider == "anthropic"
            assert chat.conversation.status == "error"
        hold_the_laws(chat)
        shown = chat.conversation.messages[-1].text
        assert shown == fault.text or (fault.text and shown.startswith(fault.text))
        assert KEY not in kept_text(chat.recording)
        await chat.aclose()
    assert server.requests <= 1


async def test_a_server_that_closes_while_a_tool_runs_has_it_run_once():
    """The call was whole, so the tool ran; then its stream broke, and with it the run.

    Nothing is tried again, for the tool would run twice.
    """
    ran: list[str] = []
    hung_up = asyncio.Event()

    @ai.tool(read_only=True)
    async def get_weather(city: str) -> str:
        """Say how the weather is."""
        ran.append(city)
        await hung_up.wait()
        return "snow"

    async def play(writer: asyncio.StreamWriter) -> None:
        await chunked(CALLS[: CALLS.index(b"event: message_delta")], end=False)(writer)
        writer.close()
        hung_up.set()

    async with serving(play) as (server, url):
        patient = RetryPolicy(attempts=5, sleep=no_time)
        chat = talk(url, Fault(play), tools=[get_weather], retry=patient)
        with pytest.raises(ProviderStreamError):
            await chat.send("Hi")
        hold_the_laws(chat)
        await chat.aclose()
    assert (ran, server.requests) == (["Hvar"], 1)
    assert [call.status for call in chat.conversation.tool_calls.values()] == [
        "complete"
    ]


async def no_time(_seconds: float) -> None:
    """Wait without waiting."""


@pytest.mark.parametrize("where", ["before the first byte", "in the middle"])
async def test_a_silent_server_can_be_stopped(where: str):
    pieces = (HALF + b'there"}}\n\n',) if where == "in the middle" else ()
    async with serving(then_silence(*pieces)) as (_server, url):
        chat = talk(url, Fault(then_silence()))
        run = chat.start("Hi")
        if pieces:
            await has_come(chat, "Hello there")
        chat.stop()
        assert (await run).status == "aborted"
        hold_the_laws(chat)
        await chat.aclose()


async def has_come(chat: ai.Chat, text: str) -> None:
    come = asyncio.Event()

    def look(_change: object) -> None:
        if chat.conversation.messages and chat.conversation.messages[-1].text == text:
            come.set()

    chat.conversation.subscribe(look)
    await asyncio.wait_for(come.wait(), 5)


async def test_a_server_that_fails_is_asked_again_only_before_its_first_event():
    said = iter([says(head=head("503 Busy")), hangs_up, chunked(HALF, end=False)])

    async def play(writer: asyncio.StreamWriter) -> bool | None:
        return await next(said)(writer)

    async with serving(play) as (server, url):
        patient = RetryPolicy(attempts=9, sleep=no_time)
        chat = talk(url, Fault(play), retry=patient)
        with pytest.raises(ProviderStreamError):
            await chat.send("Hi")
        hold_the_laws(chat)
        await chat.aclose()
    assert isinstance(server, BadServer)
    assert server.requests == 3


async def test_the_next_question_goes_on_after_a_broken_answer():
    said = iter([chunked(HALF, end=False), says(WHOLE)])

    async def play(writer: asyncio.StreamWriter) -> bool | None:
        return await next(said)(writer)

    async with serving(play) as (_server, url):
        chat = talk(url, Fault(play))
        with pytest.raises(ProviderStreamError):
            await chat.send("Hi")
        assert (await chat.send("Again")).text == "Hello there"
        hold_the_laws(chat)
        await chat.aclose()
