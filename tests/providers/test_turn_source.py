"""One round's stream, where it can go wrong."""

from __future__ import annotations

import httpx
import pytest
from turn_kit import Answer, Server, begin, message, play, sse, text_block

from aistream_nb.errors import ProviderStreamError
from aistream_nb.providers import turn_source
from aistream_nb.providers.retry import RetryPolicy


async def test_a_frame_without_end_is_a_broken_stream(monkeypatch):
    monkeypatch.setattr(turn_source, "_FRAME_LIMIT", 100)
    events, failure = await play(Server(b"data: " + b"x" * 200))
    assert isinstance(failure, ProviderStreamError)
    assert "longer than 100 bytes" in str(failure)
    assert len(events) == 1


async def test_a_retry_needs_no_watcher():
    async def sleep(seconds: float) -> None:
        del seconds

    server = Server(Answer(status=500), message(*text_block(0, "Hi")))
    _, outcome = await play(server, retry=RetryPolicy(sleep=sleep))
    assert outcome.full_text == "Hi"


PING = sse({"type": "ping"})


@pytest.mark.parametrize("before", [b"", PING, PING[:9]])
async def test_a_connection_that_breaks_before_the_first_event_is_tried_again(before):
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    lost = Answer([before] if before else [], breaks=httpx.ReadError("gone"))
    server = Server(lost, message(*text_block(0, "Hi")))
    policy = RetryPolicy(sleep=sleep, chance=lambda: 1.0)
    _, outcome = await play(server, retry=policy)
    assert outcome.full_text == "Hi"
    assert waited == [0.5]


async def test_a_connection_that_breaks_after_it_is_not():
    whole = message(*text_block(0, "Hi", "there"))
    lost = Answer(whole[: whole.index(b"there")], breaks=httpx.ReadError("gone"))
    server = Server(lost, whole)
    events, failure = await play(server, retry=RetryPolicy())
    assert isinstance(failure, ProviderStreamError)
    assert (len(server.requests), events[0].delta) == (1, "Hi")
    assert failure.after == 1


async def test_a_closed_stream_can_be_closed_again():
    turn = begin(Server(message()))
    await turn.connect()
    await turn.aclose()
    await turn.aclose()
    with pytest.raises(Exception, match="left before its end"):
        await turn.next_turn
