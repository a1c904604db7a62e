"""Write a regression notebook for a recording: it passes ``pytest --nbval``.

Exit code 0 when it is written, 1 when today's tools and code do not come to what was
recorded (nothing is written then), 2 when the recording cannot be read.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from aistream_nb.cli.named_tools import add_tools, current_folder_first, places
from aistream_nb.cli.target import add_force, check_target
from aistream_nb.cli.working import working
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The recording, the notebook, and today's tools."""
    parser.add_argument("recording", type=Path, help="a recording that a chat has made")
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="FILE",
        help="the notebook (default: the recording's name, with .ipynb)",
    )
    add_tools(
        parser,
        otherwise="Without one, stand-ins give what was recorded",
    )
    add_force(parser, what="notebook")
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="json: whether it holds and what was written, on standard output",
    )


def run(options: argparse.Namespace) -> int:
    """Run the cells, then write the notebook."""
    from aistream_nb.testing.not_compared import not_compared  # noqa: PLC0415 # as below
    from aistream_nb.testing.regression_notebook import (  # noqa: PLC0415 # loads everything that a run needs
        regression_notebook,
    )

    recording: Path = options.recording
    stem = recording.name.removesuffix(".gz").removesuffix(".jsonl")
    out: Path = options.out or recording.with_name(f"{stem}.ipynb")
    check_target(out, force=options.force)
    if not out.parent.is_dir():
        raise AIStreamError(f"{out} cannot be written: there is no such folder.")
    try:
        with (
            current_folder_first(),
            working(f"running {recording} against today's code …"),
        ):
            text = regression_notebook(recording, out, tools=options.tools)
    except AssertionError as difference:
        sys.stderr.write(f"{difference}\n")
        return _told(options, {"ok": False, "file": None}, "", code=1)
    except ImportError as error:
        raise AIStreamError(
            f"{error}. {places()} Name tools as MODULE:NAME."
        ) from error
    try:
        out.write_text(text, "utf-8", "replace")
    except OSError as error:
        raise AIStreamError(f"{out} cannot be written: {error.strerror}") from error
    for sentence in not_compared(Recording.load(recording)):
        sys.stderr.write(f"Not compared: {sentence}\n")
    return _told(options, {"ok": True, "file": str(out)}, f"{out}\n", code=0)


def _told(
    options: argparse.Namespace, summary: dict[str, object], text: str, *, code: int
) -> int:
    is_json = options.format == "json"
    sys.stdout.write(f"{json.dumps(summary)}\n" if is_json else text)
    return code
