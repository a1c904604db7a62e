"""The questions of a conversation."""

from __future__ import annotations

from typing import Any

import pytest
from chat_kit import offline

from aistream_nb.chat.questions import answers_to, last_question, question_text
from aistream_nb.errors import AIStreamError


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "nothing to send"), (" \n", "nothing to send"), (3, "text, and not int 3")],
)
async def test_what_cannot_be_asked_is_refused_before_anything_is_sent(
    text: Any, why: str
):
    chat = offline()

    for ask in (chat.send, chat.start):
        with pytest.raises(AIStreamError, match=why):
            await ask(text)
    with pytest.raises(AIStreamError, match=why):
        await chat.edit("user_1", text)

    assert not chat.busy
    assert chat.recording.events == ()
    assert question_text(" Hi ") == " Hi "


async def test_an_answer_is_what_comes_behind_its_question():
    chat = offline()
    await chat.send("Hello?")
    question, *answer = chat.conversation.messages

    assert last_question(chat.conversation.messages) is question
    assert answers_to(question.id, chat.conversation.messages) == tuple(answer)
    assert answers_to("renamed", chat.conversation.messages) == tuple(answer)
    assert answers_to("renamed", answer) == tuple(answer)
    with pytest.raises(AIStreamError, match="Nothing was asked"):
        last_question(())
