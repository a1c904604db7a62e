"""A chat's side of the gate; more of it is in test_chat.py."""

from __future__ import annotations

from chat_kit import Agent, offline, somebody, until

import aistream_nb as ai
from aistream_nb.chat.deciding import Deciding
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT


async def test_a_chat_decides_about_the_one_call_that_waits():
    chat = offline()
    chat._view.audience = somebody  # a person watches
    assert isinstance(chat, Deciding)
    run = chat.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(chat.waiting))
    (waiting,) = chat.waiting

    assert chat.approve("other") == "No call 'other' waits for a decision."
    assert chat.deny(waiting.id, "no") == "decided"
    await run
    assert chat.approve() == "No call waits."


def test_without_a_question_nothing_is_decided():
    assert ai.Chat(Agent()).approve() == "No call waits."
