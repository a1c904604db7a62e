"""What a sent message came to: the answer as a value, shown without a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aistream_nb.conversation import Conversation, MessageModel, ToolCallModel
from aistream_nb.widgets.forms import WIDGET_VIEW, view_of
from aistream_nb.widgets.static_html import to_html, to_text

if TYPE_CHECKING:
    from aistream_nb.widgets.note import NoteWidget

__all__ = ["Reply"]


class Reply:
    """The messages of one run, in order, without the question.

    In a notebook it shows as static HTML and as plain text that is the same each
    time, so that a saved notebook reads well and passes ``pytest --nbval``; ``hide``
    takes secrets out of both. Where ``where_live`` says that the chat is on display
    live, a page shows one line in their place, so that nothing stands there twice.
    """

    def __init__(
        self,
        conversation: Conversation,
        messages: Sequence[MessageModel],
        *,
        hide: Callable[[str], str] = str,
        where_live: Callable[[], str] = str,
    ) -> None:
        self._hide = hide
        self._where_live = where_live
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

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        forms: dict[str, Any] = {
            "text/plain": repr(self),
            "text/html": self._repr_html_(),
        }
        if where := self._where_live():
            forms[WIDGET_VIEW] = view_of(self._note(where))
        return forms

    def _note(self, where: str) -> NoteWidget:
        from aistream_nb.widgets.note import (  # noqa: PLC0415 # a script has no view
            NoteWidget,
        )

        count = len(self.tool_calls)
        calls = f", {count} tool call{'' if count == 1 else 's'}" if count else ""
        return NoteWidget(f"{self.status.capitalize()}{calls}; shown {where}.")
