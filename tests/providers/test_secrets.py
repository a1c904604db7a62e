"""A key is planted, all is made to fail, and the key is looked for everywhere."""

from __future__ import annotations

import logging
import traceback
import warnings
from typing import Any

import pytest
from turn_kit import Answer, FakeTool, Server, begin, broken, message, play, sse

from aistream_nb.errors import AIStreamError
from aistream_nb.providers import ProviderRecord, find_provider
from aistream_nb.providers.turn_prepare import TurnSettings

KEY = "planted-Zx81-key-never-to-be-seen"
ECHO = f"the key {KEY} is not valid"

FAILURES: dict[str, Answer] = {
    "a status whose body repeats it": Answer(ECHO.encode(), status=401),
    "a connection that fails with it": Answer(refuses=broken(ECHO)),
    "a stream that breaks with it": Answer([b": x\n\n"], breaks=broken(ECHO)),
    "a body that repeats it": Answer(
        f'{{"error":{{"message":"{ECHO}"}}}}'.encode(),
        headers={"content-type": "application/json"},
    ),
    "an error in the stream": Answer(
        sse({"type": "error", "error": {"message": ECHO}}, named=False)
    ),
    "an event that nobody knows": Answer(
        sse({"type": "hint", "value": ECHO}) + message()
    ),
    "a stream that just ends": Answer(b""),
}
WIRES = ["anthropic", "openai", "xai", "gemini", "groq"]


@pytest.mark.parametrize("provider", WIRES)
@pytest.mark.parametrize("answer", FAILURES.values(), ids=FAILURES)
async def test_a_planted_key_is_nowhere_but_in_the_request(provider, answer, caplog):
    seen: list[Any] = []
    server = Server(answer)
    with warnings.catch_warnings(record=True) as warned, caplog.at_level(0):
        warnings.simplefilter("always")
        events, outcome = await play(
            server,
            FakeTool(),
            provider=provider,
            api_key=KEY,
            on_request=lambda *watched: seen.append(watched),
            on_retry=lambda *watched: seen.append(watched),
        )
    shown = [repr(events), repr(outcome), repr(seen), caplog.text, repr(warned)]
    if isinstance(outcome, AIStreamError):
        shown += [str(outcome), repr(vars(outcome))]
        shown += traceback.format_exception(outcome)
    assert KEY not in "".join(shown)
    assert KEY in repr(dict(server.requests[0].headers))


def test_no_value_on_the_way_shows_a_key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    turn = begin(Server(), api_key=None, headers={"x-own": KEY})
    source = turn._source
    record: ProviderRecord = find_provider("anthropic")
    parts: list[object] = [turn, source, source._wire, source._road, turn._desk, record]
    parts.append(TurnSettings(api_key=KEY, headers={"x": KEY}))
    assert KEY not in "".join(map(repr, parts))


def test_the_log_has_one_name():
    assert logging.getLogger("aistream_nb.providers").name == "aistream_nb.providers"
