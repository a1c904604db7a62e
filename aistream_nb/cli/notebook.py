"""Write a regression notebook for a recording: it passes ``pytest --nbval``.

Exit code 0 when it is written, 1 when today's tools and code do not come to what was
recorded (nothing is written then), 2 when the recording cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from aistream_nb.errors import AIStreamError

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
    parser.add_argument(
        "--tools",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="a tool to run, such as mypackage.tools:book; may be repeated. Without "
        "one, stand-ins give what the tools gave when it was recorded",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace a notebook that is there"
    )


def run(options: argparse.Namespace) -> int:
    """Run the cells, then write the notebook."""
    from aistream_nb.testing.regression_notebook import (  # noqa: PLC0415 # loads everything that a run needs
        regression_notebook,
    )

    recording: Path = options.recording
    stem = recording.name.removesuffix(".gz").removesuffix(".jsonl")
    out: Path = options.out or recording.with_name(f"{stem}.ipynb")
    if out.exists() and not options.force:
        raise AIStreamError(f"{out} is there already; --force replaces it.")
    if not out.parent.is_dir():
        raise AIStreamError(f"{out} cannot be written: there is no such folder.")
    sys.stderr.write(f"running {recording} against today's code …\n")
    try:
        text = regression_notebook(recording, out, tools=options.tools)
    except AssertionError as difference:
        sys.stderr.write(f"{difference}\n")
        return 1
    except ImportError as error:
        raise AIStreamError(f"{error}. Name tools as MODULE:NAME.") from error
    try:
        out.write_text(text, "utf-8", "replace")
    except OSError as error:
        raise AIStreamError(f"{out} cannot be written: {error.strerror}") from error
    sys.stdout.write(f"{out}\n")
    return 0
