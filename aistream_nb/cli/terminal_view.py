"""A conversation printed as it grows, for terminals and for pipes.

Each speaker has a heading. What is said is printed block by block, as the markdown
that it is; in a terminal the block that still grows is shown below what is printed,
and replaced by it. So a log, which has no such place, reads the same.

Text from a model is data: neither the console's markup nor control characters, HTML or
hidden addresses of links come out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from markdown_it import MarkdownIt

from aistream_nb.conversation import (
    Change,
    Conversation,
    MessageModel,
    ToolCallModel,
)
from aistream_nb.core.call_status import SETTLED
from aistream_nb.core.messages import TextPart, ThinkingPart

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.live import Live
    from rich.segment import Segment

__all__ = ["TerminalView", "finished_blocks"]

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_LONGEST: Final = 160
_TAIL: Final = 2000
"""So much of a growing block is shown; all of it comes when it is finished."""
_TOLD: Final = SETTLED | {"ready"}
_WHO: Final = {"user": "You", "system": "Instructions"}
_THOUGHT: Final = "(Thought) "

_COLOURS: Final[Mapping[str, str]] = {
    "complete": "green",
    "denied": "yellow",
    "error": "red",
    "aborted": "red",
}


class TerminalView:
    """Prints what each event adds.

    Args:
        console: Where to.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: dict[tuple[int, int], int] = {}
        self._told: dict[str, str] = {}
        self._open: tuple[int, int] | None = None
        self._is_thought = False
        self._rest = ""
        self._live: Live | None = None
        self._speaker = ""
        self._latest = ""
        """What was printed last: a ``heading``, a ``block``, a ``line``, or nothing."""

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
        """Print what is there of the block that still grows."""
        rest, self._rest, self._open = self._rest, "", None
        self._end_live()
        self._print_block(rest)

    # ------------------------------------------------------------ what is said

    def _show_message(self, place: int, message: MessageModel) -> None:
        # By place and not by id: a message gets its id when its text begins.
        for index, part in enumerate(message.parts):
            if isinstance(part, (TextPart, ThinkingPart)):
                self._show_growth((place, index), part, str(message.role))

    def _show_growth(
        self, key: tuple[int, int], part: TextPart | ThinkingPart, role: str
    ) -> None:
        shown, text = self._shown.get(key, 0), part.content
        if len(text) <= shown:
            return
        self._shown[key] = len(text)
        if self._open != key:
            self.pause()
            self._open = key
            self._is_thought = isinstance(part, ThinkingPart)
            self._rest = _THOUGHT if self._is_thought else ""
            self._head(_WHO.get(role, "Assistant"))
        self._rest += _printable(text[shown:])
        end = finished_blocks(self._rest)
        if end:
            blocks, self._rest = self._rest[:end], self._rest[end:]
            self._end_live()
            self._print_block(blocks)
        if role == "assistant":
            self._show_rest()
        else:
            self.pause()  # people say all at once

    def _head(self, who: str) -> None:
        if who != self._speaker:
            from rich.text import Text  # noqa: PLC0415 # only a terminal needs it

            self._speaker = who
            self._print(Text(who, style="bold magenta"), "heading")

    def _print_block(self, text: str) -> None:
        if text.strip():
            self._print(self._block(text), "block")

    def _block(self, text: str) -> RenderableType:
        from rich.text import Text  # noqa: PLC0415 # only a terminal needs it

        if self._is_thought:
            return Text(text.strip(), style="dim italic")
        return _markdown(text)

    # ------------------------------------------------------------ what still grows

    def _show_rest(self) -> None:
        if not self._console.is_terminal:
            return
        if self._live is None:
            from rich.live import Live  # noqa: PLC0415 # only a terminal needs it

            if self._latest in {"block", "line"}:
                self._console.print()
                self._latest = ""
            live = Live(console=self._console, transient=True, auto_refresh=False)
            self._live = live
            live.start()
        self._live.update(self._block(self._rest[-_TAIL:]), refresh=True)

    def _end_live(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    # ------------------------------------------------------------ calls

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
        from rich.text import Text  # noqa: PLC0415 # only a terminal needs it

        self.pause()
        self._head("Assistant")
        self._print(Text(f"• {_printable(text)}", style=style), "line")

    def _print(self, what: RenderableType, kind: str) -> None:
        """Print something, and a blank line before it where one is due."""
        close = {"", "heading"} if kind != "heading" else {""}
        if self._latest not in close and (kind, self._latest) != ("line", "line"):
            self._console.print()
        self._console.print(what, soft_wrap=kind == "line")
        self._latest = kind


def finished_blocks(text: str) -> int:
    r"""Where the blocks end that nothing can be added to any more.

    >>> finished_blocks("One.\n\nTwo")
    6
    >>> finished_blocks("```\n\n")
    0
    """
    end = at = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        at += len(line)
        found = _FENCE.match(line)
        if fence:
            closes = found is not None and found.group(1).startswith(fence)
            fence = "" if closes else fence
        elif found is not None:
            fence = found.group(1)
        elif not line.strip() and line.endswith("\n"):
            end = at
    return end


def _markdown(text: str) -> RenderableType:
    """Markdown, in which HTML is text and an address is seen."""
    from rich.markdown import Markdown  # noqa: PLC0415 # only a terminal needs it

    rendered: Any = Markdown(text, hyperlinks=False)
    parser = MarkdownIt("commonmark", {"html": False})
    rendered.parsed = parser.enable(["strikethrough", "table"]).parse(text)
    return _Trimmed(rendered)


class _Trimmed:
    """What it is given, without blank lines around it and blanks behind its lines."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[Segment]:
        from rich.segment import Segment  # noqa: PLC0415 # only a terminal needs it

        lines = console.render_lines(self._inner, options, pad=False)
        kept = [_without_blanks(line) for line in lines]
        while kept and not kept[0]:
            del kept[0]
        while kept and not kept[-1]:
            del kept[-1]
        for line in kept:
            yield from line
            yield Segment.line()


def _without_blanks(line: list[Segment]) -> list[Segment]:
    """A line without the blanks at its end, unless they have a colour."""
    kept = list(line)
    while kept:
        text, style, control = kept.pop()
        is_coloured = style is not None and style.bgcolor is not None
        bare = text if is_coloured else text.rstrip(" ")
        if bare:
            return [*kept, type(line[0])(bare, style, control)]
    return kept


def _printable(text: str) -> str:
    """Without what would move the cursor, colour the screen or ring the bell."""
    return _CONTROL.sub("�", text)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
