"""The questions of a conversation: which was the last, and what answers one."""

from __future__ import annotations

from collections.abc import Sequence

from aistream_nb.conversation import MessageModel
from aistream_nb.errors import AIStreamError

__all__ = ["answers_to", "last_question", "question_text"]


def question_text(text: object) -> str:
    """What is to be asked, if something is.

    Raises:
        AIStreamError: It is no text, or an empty one.
    """
    if not isinstance(text, str):
        raise AIStreamError(
            f"A message is text, and not {type(text).__name__} {text!r:.60}: "
            'chat.send("…").'
        )
    if not text.strip():
        raise AIStreamError("There is nothing to send: the message is empty.")
    return text


def last_question(messages: Sequence[MessageModel]) -> MessageModel:
    """The message that was sent last.

    Raises:
        AIStreamError: Nothing was sent yet.
    """
    for message in reversed(messages):
        if message.role == "user":
            return message
    raise AIStreamError("Nothing was asked yet; call chat.send first.")


def answers_to(
    question_id: str, messages: Sequence[MessageModel]
) -> tuple[MessageModel, ...]:
    """What came behind a question; a server may have given it another id."""
    by_id = [at for at, one in enumerate(messages) if one.id == question_id]
    asked = by_id or [at for at, one in enumerate(messages) if one.role == "user"]
    return tuple(messages[asked[-1] + 1 :] if asked else messages)
