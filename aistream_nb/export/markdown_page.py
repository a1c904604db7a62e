"""A conversation as markdown: reads well as text, and renders anywhere.

What a model wrote is markdown already and is kept as it is, but that nothing in it is
loaded; a value goes into a fence that is longer than any inside it, so nothing can
break out of its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from aistream_nb.conversation import Conversation, MessageModel
from aistream_nb.core.json_text import parse_json
from aistream_nb.export.harmless import harmless
from aistream_nb.export.source import Source, read_source
from aistream_nb.widgets.static_html import STATE_WORDS, decision_words
from aistream_nb.widgets.static_values import plain_text
from aistream_nb.widgets.view_model import clean, is_shown, view_call

__all__ = ["message_markdown", "to_markdown"]

_WHO: Final = {"user": "You", "system": "Instructions", "assistant": "Assistant"}
_TICKS: Final = re.compile(r"`{3,}")


def to_markdown(source: Source) -> str:
    """The conversation as the text of a ``.md`` file.

    Raises:
        AIStreamError: ``source`` holds no conversation.

    >>> conversation = Conversation()
    >>> conversation.receive_all(
    ...     [{"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Ahoy"}]
    ... )
    >>> print(to_markdown(conversation))
    # Conversation with an agent
    <BLANKLINE>
    ## Assistant
    <BLANKLINE>
    Ahoy
    <BLANKLINE>
    """
    exported = read_source(source)
    conversation = exported.conversation
    blocks = [f"# {clean(exported.title)}"]
    latest = ""
    for message in conversation.messages:
        inner = message_markdown(message, conversation)
        if inner and message.role != latest:
            latest = str(message.role)
            blocks.append(f"## {_WHO.get(latest, 'Assistant')}")
        blocks += [inner] if inner else []
    if conversation.status == "error":
        blocks.append(f"*The answer failed: {clean(str(conversation.error))}*")
    elif conversation.status == "aborted":
        blocks.append("*Stopped.*")
    return harmless("\n\n".join(blocks)) + "\n"


def message_markdown(message: MessageModel, conversation: Conversation) -> str:
    """One message, without who said it."""
    parts = [part for part in message.parts if is_shown(part)]
    return "\n\n".join(_part(part, conversation) for part in parts)


def _part(part: Any, conversation: Conversation) -> str:
    match part.type:
        case "text":
            return clean(part.content).strip()
        case "thinking":
            words = clean(part.content).strip()
            return "\n".join(f"> {line}".rstrip() for line in words.split("\n"))
        case "tool-call":
            return "\n\n".join(_call(part, conversation))
        case _:
            return f"*[{part.type}]*"


def _call(part: Any, conversation: Conversation) -> Iterator[str]:
    call = conversation.tool_call(part.id)
    view = None if call is None else view_call(call)
    status = view.status if view else str(part.state)
    name = clean(str(part.name)).replace("`", "'")
    yield f"**Tool `{name}`**: {STATE_WORDS.get(status, status)}"
    if part.arguments:
        yield _fence(clean(str(part.arguments)))
    if view is None:
        return
    decided = decision_words(view)
    if decided:
        yield clean(decided)
    if view.status == "error":
        yield f"Error:\n\n{_fence(view.error or view.result or 'it said nothing')}"
    elif view.status != "denied" and view.result is not None:
        yield f"Result:\n\n{_fence(view.result)}"


def _fence(text: str) -> str:
    """Text in a fence of its own; JSON is laid out."""
    kind = ""
    try:
        text, kind = plain_text(parse_json(text)), "json"
    except ValueError:
        text = clean(text)
    longest = max((len(run) for run in _TICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{kind}\n{text}\n{ticks}"
