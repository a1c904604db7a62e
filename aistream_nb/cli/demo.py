"""Watch the embedded agent in the terminal, and decide about its booking.

The same road as in a notebook: provider stream, turn, gate, conversation. Only the
last step differs: the conversation is printed as it grows, and the question of the
gate is asked at the prompt. Ctrl-C ends it at any time.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from typing import TYPE_CHECKING, Final

from aistream_nb.chat import Chat
from aistream_nb.cli.prompt import Read, read_line
from aistream_nb.cli.terminal_view import TerminalView
from aistream_nb.core.tool_spec import Decision, Deny, GateRequest, Proceed
from aistream_nb.gate import ApprovalGate, may_destroy
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT

try:
    import termios
except ImportError:  # pragma: no cover # there is none on Windows
    termios = None

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["add_arguments", "ask_at_prompt", "run"]

_PROMPT: Final = "Type yes to run it. Anything else denies: the reason, or just Enter: "
_YES: Final = frozenset({"y", "yes"})
_NO: Final = frozenset({"n", "no", ""})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which vendor's streams are played, and how fast."""
    parser.add_argument(
        "--provider",
        choices=("anthropic", "openai", "gemini", "xai"),
        default="anthropic",
        help="whose recorded streams are played (default: %(default)s)",
    )
    parser.add_argument(
        "--pace",
        type=_pace,
        default=1.0,
        help="1 is a model's pace, 2 takes twice as long, 0 does not wait "
        "(default: %(default)s)",
    )


def _pace(text: str) -> float:
    try:
        pace = float(text)
    except ValueError:
        pace = math.nan
    if not 0 <= pace < math.inf:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no pace; it is a number from 0 on, such as 0, 0.5 or 1"
        )
    return pace


def run(options: argparse.Namespace) -> int:
    """Two questions: one that only looks things up, one that wants to book."""
    from rich.console import Console  # noqa: PLC0415 # only a terminal needs it

    console = Console(highlight=False)
    return asyncio.run(_demo(console, options.provider, options.pace))


async def _demo(console: Console, provider: str, pace: float) -> int:
    view = TerminalView(console)

    async def ask(request: GateRequest) -> Decision:
        if not may_destroy(request.tool):
            return Proceed()
        view.pause()
        return await ask_at_prompt(console, request)

    chat = Chat(f"offline:{provider}", pace=pace, gate=ApprovalGate(ask=ask))
    view.follow(chat.conversation)
    try:
        for question in (OFFLINE_PROMPT, OFFLINE_BOOKING_PROMPT):
            await chat.send(question)
            view.pause()
    finally:
        view.pause()
        await chat.aclose()
    return 0


async def ask_at_prompt(
    console: Console, request: GateRequest, *, read: Read = read_line
) -> Decision:
    """What the person at the terminal decides; anything but a yes does not run."""
    console.print()
    console.print(f"[bold]Run [cyan]{request.tool.name}[/cyan]?[/bold]")
    for name, value in request.arguments.items():
        console.print(f"  {name} = {value!r}", markup=False)
    _forget_typed_ahead()
    try:
        line = await read(_PROMPT)
    except EOFError:
        console.print()
        return Deny(reason="there was nobody at the prompt")
    except asyncio.CancelledError:
        console.print()
        raise
    answer = line.strip()
    if answer.lower() in _YES:
        return Proceed()
    return Deny(reason="" if answer.lower() in _NO else answer)


def _forget_typed_ahead() -> None:
    """Only what is typed after the question answers it."""
    if termios is None or not sys.stdin.isatty():
        return  # what comes through a pipe was meant for us
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
