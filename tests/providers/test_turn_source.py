"""One round's stream, where it can go wrong."""

from __future__ import annotations

import pytest
from turn_kit import Answer, Server, begin, message, play, text_block

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


async def test_a_closed_stream_can_be_closed_again():
    turn = begin(Server(message()))
    await turn.connect()
    await turn.aclose()
    await turn.aclose()
    with pytest.raises(Exception, match="left before its end"):
        await turn.next_turn
