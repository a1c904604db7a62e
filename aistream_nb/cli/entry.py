"""``aistream-nb COMMAND``: one table of commands, one way to fail.

A command is a module with ``add_arguments(parser)`` and ``run(options) -> int``;
its docstring's first line is its help. The answer of ``run`` is the exit code.
Errors that the library foresees end in one line and exit code 2.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Final, Protocol, cast

from aistream_nb.errors import AIStreamError

__all__ = ["COMMANDS", "main"]


class Command(Protocol):
    """What a command's module offers."""

    __doc__: str | None
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


COMMANDS: Final[Mapping[str, str]] = {
    "lab": "aistream_nb.cli.lab",
    "demo": "aistream_nb.cli.demo",
    "check": "aistream_nb.cli.check",
    "replay": "aistream_nb.cli.replay",
}
"""Each command and its module, which is imported only when it is needed."""

_USAGE_ERROR: Final = 2
_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the answer is the process's exit code."""
    options = _parser().parse_args(arguments)
    command = cast("Command", import_module(COMMANDS[options.command]))
    try:
        return command.run(options)
    except AIStreamError as error:
        sys.stderr.write(f"aistream-nb {options.command}: {error}\n")
        return _USAGE_ERROR
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped.\n")
        return _INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aistream-nb",
        description="See, steer and test an agent's stream inside a notebook.",
    )
    said = f"%(prog)s {version('aistream-nb')}"
    parser.add_argument("--version", action="version", version=said)
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", title="commands"
    )
    for name, module in COMMANDS.items():
        command = cast("Command", import_module(module))
        promise = (command.__doc__ or "").partition("\n")[0]
        command.add_arguments(
            commands.add_parser(name, help=promise, description=promise)
        )
    return parser
