"""``aistream-nb COMMAND``: one table of commands, one way to fail.

A command is a module with ``add_arguments(parser)`` and ``run(options) -> int``;
its docstring is its help. The answer of ``run`` is the exit code.
Errors that the library foresees end in one line and exit code 2.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Final, Protocol, cast

from aistream_nb.errors import AIStreamError

__all__ = ["COMMANDS", "main"]


class Command(Protocol):
    """What a command's module offers."""

    __doc__: str | None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""
        ...

    def run(self, options: argparse.Namespace) -> int:
        """Do it; the answer is the exit code."""
        ...


COMMANDS: Final[Mapping[str, str]] = {
    "lab": "Open JupyterLab on the first notebook, with the embedded agent.",
    "demo": "Watch the embedded agent in the terminal, and decide for it.",
    "check": "Check the AG-UI order of a recording; for people and for CI.",
    "replay": "Run a recording against today's tools and show what differs.",
    "record": "Talk to an agent from the terminal and keep the recording.",
    "notebook": "Write a regression notebook for a recording.",
    "convert": "Write a recording in another format, or for people to read.",
}
"""Each command and its promise. Its module is imported only when it is called."""

_USAGE_ERROR: Final = 2
_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the answer is the process's exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    called = next((word for word in given if word in COMMANDS), None)
    command = None if called is None else _command(called)
    options = _parser(called, command).parse_args(given)
    # Without a command argparse has said what is missing, and left.
    run = cast("Command", command).run
    try:
        return run(options)
    except AIStreamError as error:
        sys.stderr.write(f"aistream-nb {called}: {error}\n")
        return _USAGE_ERROR
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped.\n")
        return _INTERRUPTED


def _command(name: str) -> Command:
    return cast("Command", import_module(f"aistream_nb.cli.{name}"))


def _parser(called: str | None, command: Command | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aistream-nb",
        description="See, steer and test an agent's stream inside a notebook.",
    )
    said = f"%(prog)s {version('aistream-nb')}"
    parser.add_argument("--version", action="version", version=said)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for name, promise in COMMANDS.items():
        described = promise
        if name == called and command is not None:
            described = command.__doc__ or promise
        own = commands.add_parser(name, help=promise, description=described)
        if name == called and command is not None:
            command.add_arguments(own)
    return parser
