from __future__ import annotations

from chat_kit import Agent, offline, somebody, until

import aistream_nb as ai
from aistream_nb.chat.clicks import Clicks
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT


async def test_a_message_from_the_view_starts_a_run():
    agent = Agent()
    chat = ai.Chat(agent)

    assert Clicks(chat).act_send("  ") == "There is nothing to send."
    assert Clicks(chat).act_send("hello") == ""
    assert Clicks(chat).act_send("hello again, before it began") == ""
    await agent.reached.wait()
    assert "still going on" in Clicks(chat).act_send("again")
    assert Clicks(chat).act_stop() == ""
    await until(lambda: chat.conversation.status == "aborted")
    await until(lambda: not chat.busy)
    assert Clicks(chat).act_stop() == "Nothing is running."


def test_without_a_loop_a_click_says_so():
    chat = ai.Chat(Agent())

    assert Clicks(chat).act_send("hello") == "No event loop runs in this kernel."


async def test_a_click_on_a_card_decides_once():
    chat = offline()
    chat._view.audience = somebody  # a person watches
    run = chat.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(chat.waiting))
    call = chat.waiting[0].id

    assert Clicks(chat).act_decide(call, ai.Proceed(), always=False) == ""
    assert Clicks(chat).act_decide(call, ai.Deny(), always=False) != ""
    reply = await run

    assert reply.tool_calls[call].status == "complete"


async def test_the_buttons_of_the_view_ask_anew():
    chat = offline()
    await chat.send(OFFLINE_PROMPT)

    assert Clicks(chat).act_retry() == ""
    await until(lambda: chat.busy)
    await until(lambda: not chat._background)
    question = chat.conversation.messages[0].id
    assert Clicks(chat).act_edit(question, OFFLINE_BOOKING_PROMPT) == ""
    await until(lambda: chat.conversation.messages[0].text == OFFLINE_BOOKING_PROMPT)
    await chat.aclose()


async def test_only_a_question_can_be_asked_anew():
    chat = offline()

    assert "Nothing was asked" in Clicks(chat).act_retry()
    assert "no question 'x'" in Clicks(chat).act_edit("x", "y")
