from __future__ import annotations

import math

import pytest

from aistream_nb.core.wire.http_values import HttpAnswer, HttpRequest, Timeouts


def test_a_request_shows_no_header_and_no_body():
    request = HttpRequest(url="http://h", headers={"a": "hush"}, body=b"hush")
    assert "hush" not in repr(request)


async def test_an_answer_is_an_event_stream_unless_it_says_otherwise():
    async def nothing():
        yield b""

    answer = HttpAnswer(chunks=nothing())
    assert (answer.status, answer.headers) == (
        200,
        {"content-type": "text/event-stream"},
    )
    assert [chunk async for chunk in answer.chunks] == [b""]


@pytest.mark.parametrize("name", ["connect", "write", "first_byte", "read"])
@pytest.mark.parametrize("value", ["2", 0, -1, math.nan, math.inf, True])
def test_a_time_that_cannot_be_is_refused(name: str, value: object):
    with pytest.raises(ValueError, match=f"^{name}=.* is not a number of seconds"):
        Timeouts(**{name: value})  # pyright: ignore[reportArgumentType] the point of the test


def test_no_limit_is_a_limit_too():
    assert Timeouts(read=None, first_byte=None).read is None
