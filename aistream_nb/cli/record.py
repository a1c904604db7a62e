"""Talk to an agent from the terminal and keep the recording.

The agent is the address of an AG-UI server, or what ``Chat`` understands: offline,
anthropic:MODEL, openai:MODEL, ... The recording grows in a file beside the one that
is named, and gets its name at the end. So a file that is there is whole; and whatever
ends a run, Ctrl-C too, what had arrived is kept.

Exit code 0 when every run finished, 1 when one failed, 2 when nothing came from the
agent or the file cannot be written, 130 when Ctrl-C ended it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from aistream_nb.chat import Chat
from aistream_nb.cli.target import add_force, check_target
from aistream_nb.cli.terminal_view import TerminalView
from aistream_nb.errors import AIStreamError
from aistream_nb.gate import ApprovalGate
from aistream_nb.recording import Recording

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["add_arguments", "run"]

Ending = Literal["finished", "failed", "stopped"]

_EXIT_CODES: Final = {"finished": 0, "failed": 1, "stopped": 130}
_NOTHING_CAME: Final = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Whom to ask what, who decides, and where it is kept."""
    parser.add_argument("agent", metavar="URL", help="the agent to talk to")
    parser.add_argument(
        "--prompt",
        action="append",
        required=True,
        help="what to say; repeat it to say more, one after another",
    )
    parser.add_argument(
        "-o", "--out", type=Path, required=True, metavar="FILE", help="a .jsonl file"
    )
    add_force(parser, what="recording")
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="NAME:VALUE",
        help="sent with each request to an AG-UI server; never recorded",
    )
    parser.add_argument(
        "--approve",
        choices=("nothing", "everything"),
        default="nothing",
        help="what becomes of calls that a person would be asked about "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="json: a summary on standard output",
    )


def run(options: argparse.Namespace) -> int:
    """Ask, and tell on standard error what comes."""
    from rich.console import Console  # noqa: PLC0415 # only a terminal needs it

    growing = _place(options.out, force=options.force)
    console = Console(stderr=True, highlight=False)
    return asyncio.run(_record(options, growing, console))


def _place(out: Path, *, force: bool) -> Path:
    """Where the recording grows."""
    growing = out.with_name(f"unfinished-{out.name}")
    check_target(out, force=force)
    if growing.exists() and not force:
        raise AIStreamError(
            f"{growing} is there: a recording that was cut off. Give it another name "
            "if you want to keep it; --force replaces it."
        )
    return growing


async def _record(options: argparse.Namespace, growing: Path, console: Console) -> int:
    chat = Chat(options.agent, gate=_gate(options.approve), **_headers(options))
    chat.recording.record_to(growing)
    chat.recording.name = options.out.name
    view = TerminalView(console)
    view.follow(chat.conversation)
    ending = await _ask(chat, options.prompt, view)
    await chat.aclose()
    chat.recording.close()
    kept = _keep(chat, growing, options.out)
    _tell(chat, options, kept=kept, ending=ending)
    return _EXIT_CODES[ending] if kept or ending == "stopped" else _NOTHING_CAME


async def _ask(chat: Chat, prompts: list[str], view: TerminalView) -> Ending:
    try:
        for prompt in prompts:
            await chat.send(prompt)
            view.pause()
    except AIStreamError:
        return "failed"  # the view has said why
    except (asyncio.CancelledError, KeyboardInterrupt):
        return "stopped"
    finally:
        view.pause()
    return "stopped" if chat.conversation.status == "aborted" else "finished"


def _keep(chat: Chat, growing: Path, out: Path) -> bool:
    """Give the recording its name, if there is anything in it."""
    recording = chat.recording
    if not any(exchange.body for exchange in recording.rounds):
        growing.unlink(missing_ok=True)
        return False
    if recording.notices:
        # The file did not get everything, perhaps for a full disk; it may by now.
        recording.save(out)
        growing.unlink(missing_ok=True)
        return True
    try:
        growing.replace(out)
    except OSError as error:
        raise AIStreamError(
            f"{out} cannot be written: {error.strerror}. The recording is {growing}."
        ) from error
    return True


def _gate(approve: str) -> ApprovalGate:
    return ApprovalGate(nobody="proceed" if approve == "everything" else "deny")


def _headers(options: argparse.Namespace) -> dict[str, Any]:
    if not options.header:
        return {}
    pairs = [line.partition(":") for line in options.header]
    return {"headers": {name.strip(): value.strip() for name, _, value in pairs}}


def _tell(
    chat: Chat, options: argparse.Namespace, *, kept: bool, ending: Ending
) -> None:
    recording = chat.recording
    for notice in recording.notices:
        sys.stderr.write(f"{notice}\n")
    if not kept:
        sys.stderr.write(f"Nothing came from {options.agent}, and nothing is kept.\n")
    elif ending == "stopped":
        sys.stderr.write(f"Stopped. What had arrived is kept in {options.out}.\n")
    if options.format == "json":
        sys.stdout.write(
            json.dumps(_summary(chat, options, kept=kept, ending=ending)) + "\n"
        )
    elif kept:
        sys.stdout.write(
            f"{options.out}: {len(recording)} events, {_word(recording, ending)}\n"
        )


def _word(recording: Recording, ending: Ending) -> str:
    return ending if ending == "stopped" else recording.ending


def _summary(
    chat: Chat, options: argparse.Namespace, *, kept: bool, ending: Ending
) -> dict[str, Any]:
    recording = chat.recording
    return {
        "file": str(options.out) if kept else None,
        "events": len(recording),
        "ending": _word(recording, ending),
        "violations": [one.rule for one in chat.violations],
        "calls": [
            {"name": call.name, "status": call.status}
            for call in chat.conversation.tool_calls.values()
        ],
    }
