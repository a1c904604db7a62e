"""A conversation printed as it grows, for terminals and for pipes.

Nothing that was printed is ever changed, so the output reads the same in a log. Text
from a model is data: it is printed without markup and without control characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from aistream_nb.conversation import (
    Change,
    Conversation,
    MessageModel,
    ToolCallModel,
)
from aistream_nb.core.call_status import SETTLED
from aistream_nb.core.messages import TextPart, ThinkingPart

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["TerminalView"]

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LONGEST: Final = 160
_TOLD: Final = SETTLED | {"ready"}

_COLOURS: Final[Mapping[str, str]] = {
    "complete": "green",
    "denied": "yellow",
    "error": "red",
    "aborted": "red",
}


class TerminalView:
    """Prints what each event adds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: dict[tuple[int, int], int] = {}
        self._told: dict[str, str] = {}
        self._open: tuple[int, int] | None = None

    def follow(self, conversation: Conversation) -> None:
        """Print everything that the conversation gets from now on."""

        def changed(change: Change) -> None:
            for place, message in enumerate(conversation.messages):
                if message.id in change.messages:
                    self._show_message(place, message)
            for call_id in change.tool_calls:
                self._show_call(conversation.tool_calls[call_id])
            if change.run and conversation.status == "error":
                self._line(f"The run failed: {conversation.error}", "bold red")

        conversation.subscribe(changed)

    def pause(self) -> None:
        """End the line that is open, if one is."""
        if self._open is not None:
            self._console.print()
            self._open = None

    def _show_message(self, place: int, message: MessageModel) -> None:
        # By place and not by id: a message gets its id when its text begins.
        for index, part in enumerate(message.parts):
            if isinstance(part, TextPart):
                style = "bold" if message.role == "user" else ""
                self._show_growth((place, index), part.content, style)
            elif isinstance(part, ThinkingPart):
                self._show_growth((place, index), part.content, "dim italic")

    def _show_growth(self, key: tuple[int, int], text: str, style: str) -> None:
        shown = self._shown.get(key, 0)
        if len(text) <= shown:
            return
        self._shown[key] = len(text)
        if self._open != key:
            self.pause()
            self._open = key
        self._console.print(
            _printable(text[shown:]), style=style, end="", markup=False, soft_wrap=True
        )

    def _show_call(self, call: ToolCallModel) -> None:
        status = str(call.status)
        if status not in _TOLD or self._told.get(call.id) == status:
            return
        self._told[call.id] = status
        if status == "ready":
            self._line(f"{call.name} {_short(str(call.arguments))}", "cyan")
            return
        outcome = {
            "complete": str(call.result),
            "error": str(call.error),
            "denied": str(call.reason),
        }.get(status)
        said = f"{call.name} {status}"
        self._line(f"{said}: {_short(outcome)}" if outcome else said, _COLOURS[status])

    def _line(self, text: str, style: str) -> None:
        self.pause()
        self._console.print(
            f"• {_printable(text)}", style=style, markup=False, soft_wrap=True
        )


def _printable(text: str) -> str:
    """Without what would move the cursor, colour the screen or ring the bell."""
    return _CONTROL.sub("�", text)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
