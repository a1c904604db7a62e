from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

import aistream_nb as ai
from aistream_nb.errors import AIStreamError
from aistream_nb.export.source import read_source
from aistream_nb.recording import Recording

GOLDEN = Path(__file__).parents[1] / "golden" / "anthropic" / "denied.jsonl"


def test_everything_that_holds_a_conversation_is_taken():
    recording = Recording.load(GOLDEN)
    player = ai.Player(recording)
    player.seek(-1)
    sources = [str(GOLDEN), GOLDEN, recording, player, player.conversation]

    for source in sources:
        assert len(read_source(source).conversation.messages) == 3
    assert read_source(player).recording is recording
    assert read_source(player.conversation).recording is None


def test_the_system_prompt_and_a_title_are_known_where_they_were_recorded():
    exported = read_source(GOLDEN)

    assert exported.system.startswith("You are a travel desk assistant.")
    assert exported.title == "Conversation with offline:anthropic"


def test_a_system_message_is_the_system_prompt():
    message = {"id": "s", "role": "system", "content": "Be brief."}
    events = [{"type": "MESSAGES_SNAPSHOT", "messages": [message]}]

    exported = read_source(Recording.of(events))

    assert exported.system == "Be brief."
    assert exported.title == "Conversation with an agent"


def test_anything_else_is_an_error_that_says_what_is_due():
    with pytest.raises(AIStreamError, match="'int' holds no conversation"):
        read_source(cast("Any", 3))


def test_a_player_is_exported_where_it_stands():
    player = ai.Player(GOLDEN)
    player.seek(4)

    exported = read_source(player)

    shown = [message.text for message in exported.conversation.messages]
    assert shown == [message.text for message in player.conversation.messages]
    assert len(shown) < 3


def test_an_inspector_is_exported_as_it_shows():
    inspector = ai.Inspector(GOLDEN)
    assert read_source(inspector).conversation is inspector.conversation
    assert read_source(inspector).recording is None
