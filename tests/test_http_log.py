from __future__ import annotations

import logging
from typing import Any

import hpack
import httpx

from aistream_nb.http_log import request_of_ours

PLANTED = "hunter2-PLANTED"


async def ask(address: str) -> None:
    async def answer(request: httpx.Request) -> httpx.Response:
        # What an HTTP/2 connection does below the client, without its network.
        hpack.Encoder().encode([*request.headers.raw, (b"x-key", PLANTED.encode())])
        return httpx.Response(200)

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        await client.get(address)


async def test_of_our_requests_neither_user_nor_query_nor_header_is_logged(caplog: Any):
    caplog.set_level(logging.DEBUG)
    with request_of_ours(), request_of_ours():
        await ask(f"http://me:{PLANTED}@127.0.0.1/run?key={PLANTED}")
    assert "GET http://127.0.0.1/run " in caplog.text
    assert PLANTED not in caplog.text


async def test_the_requests_of_others_are_logged_as_before(caplog: Any):
    caplog.set_level(logging.DEBUG)
    with request_of_ours():
        await ask("http://127.0.0.1/ours")
    await ask("http://127.0.0.1/theirs?page=2")
    assert "theirs?page=2" in caplog.text
    assert PLANTED in caplog.text


def test_a_line_without_arguments_is_left_alone(caplog: Any):
    caplog.set_level(logging.INFO)
    with request_of_ours():
        logging.getLogger("httpx").info("plain %s", {"a": 1})
        logging.getLogger("httpx").info("named %(a)s", {"a": 1})
    assert "named 1" in caplog.text
