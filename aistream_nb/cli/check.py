"""Check the AG-UI order of a recording; for people and for CI.

Exit code 0 when every event is in its place, 1 when one is not or when none is one of
AG-UI, 2 when the recording cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from aistream_nb.cli.working import working
from aistream_nb.core.ordering.report import OrderingReport, check_ordering
from aistream_nb.core.wire.frame_readers import is_binary
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording

__all__ = ["add_arguments", "run"]

_STANDARD_INPUT: Final = "-"
_FRAME_STARTS: Final = (b"data:", b"event:", b":")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is checked, how strictly, and how that is told."""
    parser.add_argument(
        "recording", help="a .jsonl, .sse or .json file; - reads standard input"
    )
    parser.add_argument(
        "--profile",
        choices=("client", "spec", "teach"),
        default="spec",
        help="client: what the official client refuses; spec: also what the "
        "specification forbids; teach: also what is likely wrong "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print it"
    )
    parser.add_argument("--junit", type=Path, help="also write a JUnit file here")


def run(options: argparse.Namespace) -> int:
    """Print one line a violation."""
    content = _content(options.recording)
    source: object = content
    notices: list[str] = []
    if not _is_a_dump(options.recording, content):
        recording = Recording.read(content, path=options.recording)
        source, notices = recording.events, recording.notices
    with working("checking the order of the events …"):
        report = check_ordering(source, profile=options.profile)
    if options.junit is not None:
        options.junit.write_text(report.to_junit(), "utf-8")
    sys.stdout.write(_told(report, options.format))
    for notice in notices:
        sys.stderr.write(f"{notice}\n")
    return 0 if report.ok else 1


def _content(name: str) -> bytes:
    if name == _STANDARD_INPUT:
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise AIStreamError(f"{name} cannot be read: {error.strerror}") from error


def _is_a_dump(name: str, content: bytes) -> bool:
    """Whether these are a server's own bytes, so that its frames are judged too."""
    starts = is_binary(content) or content.lstrip().startswith(_FRAME_STARTS)
    return starts or name.endswith(".sse")


def _told(report: OrderingReport, form: str) -> str:
    return f"{report.to_json() if form == 'json' else report}\n"
