"""The door to the network: what goes out, what comes back, what is kept secret."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from turn_kit import Answer, Server

from aistream_nb.errors import (
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderStreamError,
)
from aistream_nb.http import (
    HttpClient,
    HttpRequest,
    Timeouts,
    redact,
    scripted_transport,
)

KEY = "sk-planted-0123456789"


def request(**fields: Any) -> HttpRequest:
    defaults: dict[str, Any] = {
        "url": "http://models.example/v1",
        "headers": {"authorization": f"Bearer {KEY}"},
        "body": b"{}",
        "provider": "some",
        "secrets": (KEY,),
    }
    return HttpRequest(**{**defaults, **fields})


async def read(server: Server, **fields: Any) -> bytes:
    stream = await server.client.open(request(**fields))
    return b"".join([chunk async for chunk in stream])


async def test_a_body_comes_piece_by_piece():
    server = Server(Answer([b"one", b"two"]))
    stream = await server.client.open(request(headers={"x-a": "1"}))
    assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream")
    assert [await stream.read() for _ in range(3)] == [b"one", b"two", b""]
    (sent,) = server.requests
    assert (sent.method, sent.body, sent.headers["x-a"]) == ("POST", b"{}", "1")
    assert sent.headers["accept-encoding"] == "identity"


async def test_redirects_are_not_followed():
    server = Server(Answer(status=307, headers={"location": "http://evil.example/"}))
    with pytest.raises(ProviderStatusError) as caught:
        await read(server)
    assert caught.value.status_code == 307
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2),
        ({"retry-after": "2", "retry-after-ms": "300.5"}, 0.3005),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0),
    ],
)
async def test_a_status_says_when_to_come_back(headers, seconds):
    with pytest.raises(ProviderStatusError) as caught:
        await read(Server(Answer(b"later", status=429, headers=headers)))
    assert caught.value.retry_after == seconds
    assert str(caught.value) == "AI streaming API returned 429: later"


async def test_a_status_may_say_whether_to_come_back_at_all():
    headers = {"x-should-retry": "false"}
    with pytest.raises(ProviderStatusError) as caught:
        await read(Server(Answer(status=529, headers=headers)))
    assert caught.value.should_retry is False


async def test_a_date_to_come_back_is_turned_into_seconds():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    with pytest.raises(ProviderStatusError) as caught:
        await read(Server(Answer(status=503, headers={"retry-after": soon})))
    assert caught.value.retry_after is not None
    assert 60 < caught.value.retry_after <= 90


async def test_a_long_body_is_quoted_in_part():
    with pytest.raises(ProviderStatusError) as caught:
        await read(Server(Answer([b"x" * 50_000] * 3, status=500)))
    assert len(caught.value.body) == 4000


async def test_an_error_body_that_breaks_is_quoted_as_far_as_it_came():
    broken = Answer(b"half a ", status=500, breaks=httpx.ReadError("gone"))
    with pytest.raises(ProviderStatusError, match=r"500: half a $"):
        await read(Server(broken))


async def test_no_answer_in_time_is_a_connection_error():
    async def never(_request: HttpRequest) -> Any:
        await asyncio.Event().wait()

    timeouts = Timeouts(first_byte=0.01)
    client = HttpClient(transport=scripted_transport(never), timeouts=timeouts)
    with pytest.raises(ProviderConnectionError, match=r"no answer within 0\.01 s"):
        await client.open(request())


async def test_a_header_that_cannot_be_sent_is_refused_without_showing_it():
    with pytest.raises(ProviderConnectionError, match="not plain ASCII") as caught:
        await read(Server(), headers={"x-key": "kľúč-planted"})
    assert "planted" not in repr(caught.value)
    assert caught.value.__context__ is None


async def test_a_refused_connection_tells_where_it_was_to_go_and_no_secret():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://me:hush@127.0.0.1:{port}/{KEY}/agent?token=hush"
    async with HttpClient() as client:
        with pytest.raises(ProviderConnectionError) as caught:
            await client.open(request(url=url))
    assert str(caught.value) == (
        "AI streaming request failed: All connection attempts failed "
        f"(POST http://127.0.0.1:{port}/[redacted]/agent). "
        "Is a server running there, and is the address right?"
    )


async def test_headers_without_a_first_byte_are_no_answer():
    async def never(_request: HttpRequest) -> Any:
        return Answer([], before_end=asyncio.Event().wait)

    async def answer(sent: HttpRequest) -> Any:
        said = await never(sent)
        return type("Said", (), {"status": 200, "headers": {}, "chunks": said.chunks()})

    timeouts = Timeouts(first_byte=0.01)
    client = HttpClient(transport=scripted_transport(answer), timeouts=timeouts)
    stream = await client.open(request())
    with pytest.raises(ProviderConnectionError, match=r"no answer within 0\.01 s"):
        await stream.read()


async def test_a_connection_that_breaks_before_the_first_byte_may_be_tried_again():
    with pytest.raises(ProviderConnectionError, match="failed: gone"):
        await read(Server(Answer([], breaks=httpx.ReadError("gone"))))


async def test_a_connection_that_breaks_later_is_a_broken_stream():
    broken = Answer([b"data"], breaks=httpx.ReadError(""))
    with pytest.raises(ProviderStreamError, match="broke off: ReadError"):
        await read(Server(broken))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "no such model"}}', "no such model"),
        (b'[{"error": {"message": "first"}}]', "first"),
        (b'{"error": "plain"}', "plain"),
        (b'{"detail": "not found"}', "not found"),
        (b'{"ok": true}', "answered 200 with JSON instead of events"),
        (b"{ not json", "answered 200 with JSON instead of events"),
        (b"[1]", "answered 200 with JSON instead of events"),
    ],
)
async def test_json_instead_of_a_stream_is_an_error_with_its_message(body, said):
    answer = Answer([body[:5], body[5:]], headers={"content-type": "application/json"})
    with pytest.raises(ProviderStreamError, match=said):
        await read(Server(answer))


async def test_a_stream_under_a_wrong_content_type_is_still_a_stream():
    answer = Answer(b"data: 1\n\n", headers={"content-type": "application/json"})
    assert await read(Server(answer)) == b"data: 1\n\n"


async def test_a_body_past_the_limit_is_read_up_to_it_and_then_refused():
    pieces = [b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n"]
    limited = request(max_answer_bytes=len(pieces[0]))
    stream = await Server(Answer(pieces)).client.open(limited)
    assert [await stream.read(), await stream.read()] == pieces[:2]
    with pytest.raises(ProviderStreamError, match="raise max_answer_bytes"):
        await stream.read()


async def test_a_body_without_a_limit_is_read_to_its_end():
    limited = request(max_answer_bytes=None)
    stream = await Server(Answer(b"data: 1\n\n")).client.open(limited)
    assert b"".join([piece async for piece in stream]) == b"data: 1\n\n"


async def test_no_key_is_in_any_error_repr_or_trace():
    echo = f"bad key {KEY}".encode()
    servers = [
        Server(Answer(echo, status=401)),
        Server(Answer(refuses=httpx.ConnectError(f"cannot use {KEY}"))),
        Server(Answer([b"x"], breaks=httpx.ReadError(f"lost {KEY}"))),
        Server(Answer(b"{" + echo, headers={"content-type": "application/json"})),
    ]
    for server in servers:
        with pytest.raises(ProviderError) as caught:
            await read(server)
        error = caught.value
        shown = "".join(traceback.format_exception(error))
        shown += repr(error) + repr(vars(error)) + repr(error.__cause__)
        assert KEY not in shown
        assert error.__context__ is None
    assert KEY not in repr(request())


def test_what_looks_like_a_key_is_taken_out():
    shown = redact("Bearer abcdef123456 or AIzaSyD-12345678")
    assert shown == "[redacted] or [redacted]"
    assert redact("nothing here", ("", "x", "her")) == "nothing here"


async def test_a_client_is_made_when_it_is_needed_and_closed_once():
    server = Server(b"")
    client = server.client
    await client.aclose()
    async with client:
        await client.open(request())
    assert client._client is None
    assert HttpClient.around(client) is client


async def test_a_client_of_yours_stays_open():
    async with httpx.AsyncClient() as yours:
        coat = HttpClient.around(yours)
        await coat.aclose()
        assert not yours.is_closed


def test_httpx_is_imported_with_the_first_request_only():
    code = "import sys, aistream_nb.http; print('httpx' in sys.modules)"
    done = subprocess.run(  # noqa: S603 - our own interpreter, our own words
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
