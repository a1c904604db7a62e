"""Tools that are named on the command line, as ``MODULE:NAME``.

They are looked for where the person stands, and then where Python looks: a command
that is installed would not see the current folder by itself, and
``python -m aistream_nb`` does.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aistream_nb.core.tool_spec import ClientTool
from aistream_nb.errors import AIStreamError

__all__ = ["add_tools", "current_folder_first", "named_tools", "places"]


def add_tools(parser: argparse.ArgumentParser, *, otherwise: str) -> None:
    """Declare ``--tools``; ``otherwise`` says what happens for tools not given."""
    parser.add_argument(
        "--tools",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="a tool to run, such as mypackage.tools:book, looked for in the current "
        f"folder first; may be repeated. {otherwise}",
    )


@contextmanager
def current_folder_first() -> Generator[None]:
    """Modules in the current folder can be imported while the block runs."""
    before = list(sys.path)
    sys.path.insert(0, str(Path.cwd()))
    try:
        yield
    finally:
        sys.path[:] = before


def named_tools(names: Iterable[str]) -> list[ClientTool | Callable[..., Any]]:
    """The tools of these names.

    Raises:
        AIStreamError: There is none; the message says where it was looked for.
    """
    return [_tool(name) for name in names]


def places() -> str:
    """Where tools are looked for, in words."""
    return f"It was looked for in {Path.cwd()} and among the installed packages."


def _tool(name: str) -> ClientTool | Callable[..., Any]:
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise AIStreamError(
            f"There is no tool {name!r} ({error}). {places()} Name it as MODULE:NAME."
        ) from error
