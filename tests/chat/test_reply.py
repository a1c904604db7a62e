from __future__ import annotations

import pytest
from chat_kit import offline

from aistream_nb.chat.reply import Reply
from aistream_nb.conversation import Conversation
from aistream_nb.providers.offline import OFFLINE_PROMPT
from aistream_nb.widgets.forms import WIDGET_VIEW


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


@pytest.mark.parametrize(
    ("count", "line"),
    [
        (2, "Finished, 2 tool calls; shown above."),
        (0, "Finished; shown above."),
    ],
)
async def test_where_the_cell_shows_the_chat_a_page_shows_one_line(
    count: int, line: str
):
    chat = offline()
    await chat.send(OFFLINE_PROMPT)
    answers = chat.conversation.messages[1 if count else -1 :]
    reply = Reply(chat.conversation, answers, where_live=lambda: "above")

    forms = reply._repr_mimebundle_()

    assert forms["text/plain"] == repr(reply)
    assert forms["text/html"] == reply._repr_html_()
    assert forms[WIDGET_VIEW]["model_id"].startswith("aistream-")
    assert reply._note("above").text == line
