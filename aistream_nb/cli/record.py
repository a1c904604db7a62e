"""Talk to an agent from the terminal and keep the recording.

The agent is the address of an AG-UI server, or what ``Chat`` understands: offline,
anthropic:MODEL, openai:MODEL, ... The file grows while the run goes on, so whatever
ends it, what had arrived is kept.

Exit code 0 when every run finished, 1 when one failed, 2 when the agent or the file
cannot be used.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aistream_nb.chat import Chat
from aistream_nb.cli.terminal_view import TerminalView
from aistream_nb.errors import AIStreamError
from aistream_nb.gate import ApprovalGate

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["add_arguments", "run"]


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

    console = Console(stderr=True, highlight=False)
    return asyncio.run(_record(options, console))


async def _record(options: argparse.Namespace, console: Console) -> int:
    chat = Chat(options.agent, gate=_gate(options.approve), **_headers(options))
    if options.out.exists():
        raise AIStreamError(f"{options.out} is there already; name another file.")
    chat.recording.record_to(options.out)
    view = TerminalView(console)
    view.follow(chat.conversation)
    failed = False
    for prompt in options.prompt:
        try:
            await chat.send(prompt)
        except AIStreamError:
            failed = True  # the view has said why
            break
        finally:
            view.pause()
    await chat.aclose()
    chat.recording.close()
    _tell(chat, options)
    return 1 if failed else 0


def _gate(approve: str) -> ApprovalGate:
    return ApprovalGate(nobody="proceed" if approve == "everything" else "deny")


def _headers(options: argparse.Namespace) -> dict[str, Any]:
    if not options.header:
        return {}
    pairs = [line.partition(":") for line in options.header]
    return {"headers": {name.strip(): value.strip() for name, _, value in pairs}}


def _tell(chat: Chat, options: argparse.Namespace) -> None:
    recording = chat.recording
    if options.format == "json":
        summary = {
            "file": str(options.out),
            "events": len(recording),
            "ending": recording.ending,
            "violations": [one.rule for one in chat.violations],
            "calls": [
                {"name": call.name, "status": call.status}
                for call in chat.conversation.tool_calls.values()
            ],
        }
        sys.stdout.write(json.dumps(summary) + "\n")
    else:
        sys.stdout.write(
            f"{options.out}: {len(recording)} events, {recording.ending}\n"
        )
