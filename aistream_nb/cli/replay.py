"""Run a recording again, against today's tools, and show what differs.

For tools that are not given by ``--tools`` nothing of yours runs: what they gave when
it was recorded stands in for them, and held still is the rest.

Exit code 0 when nothing differs, 1 when something does, 2 when the recording cannot
be read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from aistream_nb.cli.named_tools import add_tools, current_folder_first, named_tools
from aistream_nb.cli.target import add_force, check_target
from aistream_nb.cli.working import working
from aistream_nb.core.tool_spec import ClientTool
from aistream_nb.recording import Recording

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The recording, where its tools are, and where to keep the new one."""
    parser.add_argument("recording", help="a recording that a chat has saved")
    add_tools(
        parser,
        otherwise="For those not given, the recorded results stand in",
    )
    parser.add_argument("--save", metavar="FILE", help="keep the new recording here")
    add_force(parser, what="recording")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print it"
    )


def run(options: argparse.Namespace) -> int:
    """Print the calls, then the difference."""
    from aistream_nb.testing import replay  # noqa: PLC0415 # loads everything that a run needs

    if options.save:
        check_target(Path(options.save), force=options.force)
    recording = Recording.load(options.recording)
    with current_folder_first():
        tools = _tools(options.tools, recording)
        with working("running it again …"):
            again = replay(recording, tools=tools)
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
            "not_compared": list(again.not_compared),
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


def _tools(names: list[str], recording: Recording) -> Sequence[ClientTool]:
    """The tools that are given, and stand-ins for the others; that is told."""
    from aistream_nb.testing.recorded_tools import with_stand_ins  # noqa: PLC0415 # as above

    tools, missing = with_stand_ins(recording, named_tools(names))
    if missing:
        sys.stderr.write(
            f"Not given by --tools: {', '.join(missing)}. What they gave when it was "
            "recorded stands in for them.\n"
        )
    return tools
