"""Run a recording again, against today's tools, and show what differs.

Without ``--tools`` nothing of yours runs: what the tools gave when it was recorded
stands in for them, and held still is the rest.

Exit code 0 when nothing differs, 1 when something does, 2 when the recording cannot
be read.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from aistream_nb.cli.working import working
from aistream_nb.core.tool_spec import ClientTool
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The recording, where its tools are, and where to keep the new one."""
    parser.add_argument("recording", help="a recording that a chat has saved")
    parser.add_argument(
        "--tools",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="a tool to run, such as mypackage.tools:book; may be repeated. Without "
        "one, the recorded results stand in for the tools",
    )
    parser.add_argument("--save", metavar="FILE", help="keep the new recording here")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print it"
    )


def run(options: argparse.Namespace) -> int:
    """Print the calls, then the difference."""
    from aistream_nb.testing import replay  # noqa: PLC0415 # loads everything that a run needs

    recording = Recording.load(options.recording)
    with working("running it again …"):
        again = replay(recording, tools=_tools(options.tools, recording))
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


def _tools(
    names: list[str], recording: Recording
) -> Sequence[ClientTool | Callable[..., Any]]:
    if names:
        return [_tool(name) for name in names]
    from aistream_nb.testing import recorded_tools  # noqa: PLC0415 # as above

    stand_ins = recorded_tools(recording)
    if stand_ins:
        sys.stderr.write(
            "No --tools: what the tools gave when it was recorded stands in for them.\n"
        )
    return stand_ins


def _tool(name: str) -> ClientTool | Callable[..., Any]:
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise AIStreamError(
            f"There is no tool {name!r} ({error}). Name it as MODULE:NAME."
        ) from error
