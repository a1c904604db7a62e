from __future__ import annotations

from chat_kit import offline

from aistream_nb.chat.reply import Reply
from aistream_nb.conversation import Conversation
from aistream_nb.providers.offline import OFFLINE_PROMPT


async def test_a_reply_is_the_run_without_its_question():
    chat = offline()
    reply = await chat.send(OFFLINE_PROMPT)

    assert [message.role for message in reply.messages] == ["assistant", "assistant"]
    assert str(reply) == reply.text == chat.conversation.messages[-1].text
    assert len(reply.tool_calls) == 2
    assert OFFLINE_PROMPT not in repr(reply)


async def test_a_reply_shows_as_html_and_as_plain_text():
    reply = await offline().send(OFFLINE_PROMPT)
    forms = reply._repr_mimebundle_()

    assert forms == {"text/plain": repr(reply), "text/html": reply._repr_html_()}
    assert "get_forecast" in forms["text/plain"]


def test_no_messages_are_no_text():
    assert Reply(Conversation(), ()).text == ""
