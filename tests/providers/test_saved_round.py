"""A recorded round as history; conversations are in tests/chat/test_restore.py."""

from __future__ import annotations

import pytest

from aistream_nb.providers.history import ToldCall, call_entries
from aistream_nb.providers.registry import Wire, find_provider
from aistream_nb.providers.saved_round import SavedAnswer, round_entries

CALL = (
    b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
    b'"content_block":{"type":"tool_use","id":"ID","name":"look","input":{}}}\n\n'
    b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n'
)
ANTHROPIC = find_provider("anthropic")


def test_a_call_that_nobody_answered_is_told_as_it_is():
    answers = [SavedAnswer(id="c1", content=None, why_open="not run: it was late")]

    entries = round_entries(
        ANTHROPIC, CALL.replace(b"ID", b"c1"), answers=answers, tail=()
    )

    (result,) = entries[1]["content"]
    assert result["content"] == "look (callId=c1): not run: it was late"
    assert result["is_error"] is True


def test_a_call_of_which_nothing_is_known_is_told_so():
    entries = round_entries(ANTHROPIC, CALL.replace(b"ID", b"c1"), answers=(), tail=())

    assert "does not say" in entries[1]["content"][0]["content"]


def test_what_no_provider_would_take_back_is_left_out():
    broken = CALL[:40]

    assert round_entries(ANTHROPIC, broken, answers=(), tail=()) == ()
    assert round_entries(ANTHROPIC, b"", answers=(), tail=()) == ()


@pytest.mark.parametrize("wire", ["anthropic", "responses", "chat", "gemini"])
def test_each_provider_is_told_a_foreign_call_with_its_result(wire: Wire):
    call = ToldCall(
        id="c1", name="look", arguments='{"at": 1}', answer="seen", is_error=True
    )

    told = repr(call_entries(wire, "Let me look.", [call]))
    bare = repr(call_entries(wire, " ", [call]))

    assert "Let me look." in told
    assert "Let me look." not in bare
    for words in ("look", "seen", "at"):
        assert words in bare


def test_a_relay_is_told_the_text_alone():
    call = ToldCall(id="c1", name="look", arguments="", answer="seen")

    assert call_entries("proxy", "Hi", [call]) == [
        {"role": "assistant", "content": "Hi"}
    ]
    assert call_entries("proxy", "", [call]) == []
