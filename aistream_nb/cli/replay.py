"""Run a recording again, against today's tools, and show what differs.

Exit code 0 when nothing differs, 1 when something does, 2 when the recording cannot
be read.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

from aistream_nb.core.tool_spec import ClientTool
from aistream_nb.errors import AIStreamError

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The recording, where its tools are, and where to keep the new one."""
    parser.add_argument("recording", help="a recording that a chat has saved")
    parser.add_argument(
        "--tools",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="a tool to run, such as mypackage.tools:book; may be repeated",
    )
    parser.add_argument("--save", metavar="FILE", help="keep the new recording here")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print it"
    )


def run(options: argparse.Namespace) -> int:
    """Print the calls, then the difference."""
    from aistream_nb.testing import replay  # noqa: PLC0415 # loads everything that a run needs

    again = replay(options.recording, tools=[_tool(name) for name in options.tools])
    holds = not (again.differences or again.diff)
    calls = [(call.name, call.arguments, call.status) for call in again.invocations]
    if options.format == "json":
        told = {
            "ok": holds,
            "calls": [
                {"name": name, "arguments": arguments, "status": status}
                for name, arguments, status in calls
            ],
            "differences": again.differences,
            "violations": [one.rule for one in again.violations],
        }
        sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
    else:
        for name, arguments, status in calls:
            sys.stdout.write(f"{name} {arguments}: {status}\n")
        sys.stdout.write(f"{again.report}\n")
    if options.save:
        again.recording.save(options.save)
    return 0 if holds else 1


def _tool(name: str) -> ClientTool | Callable[..., Any]:
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise AIStreamError(
            f"There is no tool {name!r} ({error}). Name it as MODULE:NAME."
        ) from error
