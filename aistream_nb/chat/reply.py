"""What a sent message came to: the answer as a value, shown without a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aistream_nb.conversation import Conversation, MessageModel, ToolCallModel
from aistream_nb.widgets.static_html import to_html, to_text

__all__ = ["Reply"]


class Reply:
    """The messages of one run, in order, without the question.

    In a notebook it shows as static HTML and as plain text that is the same each
    time, so that a saved notebook reads well and passes ``pytest --nbval``; ``hide``
    takes secrets out of both.
    """

    def __init__(
        self,
        conversation: Conversation,
        messages: Sequence[MessageModel],
        *,
        hide: Callable[[str], str] = str,
    ) -> None:
        self._hide = hide
        self.messages: tuple[MessageModel, ...] = tuple(messages)
        self.status: str = conversation.status
        """``finished``, ``waiting``, ``aborted`` or ``error``."""
        self.error: str = conversation.error

    @property
    def text(self) -> str:
        """The text of the last message."""
        return str(self.messages[-1].text) if self.messages else ""

    @property
    def tool_calls(self) -> Mapping[str, ToolCallModel]:
        """The calls of this run, by id, in the order of their start."""
        return {call.id: call for m in self.messages for call in m.tool_calls}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self._hide(to_text(self))

    def _repr_html_(self) -> str:
        return self._hide(to_html(self))

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
