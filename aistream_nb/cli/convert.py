"""Write a recording in another format, or for people to read.

The format follows from the name of the file that is written; ``--to`` says it where a
name does not. What is read is found out by itself: our own recordings, gzipped or
not, dumps of server-sent events, JSON arrays and lines, the reference's recordings.

Exit code 0 when it is written, 2 when it cannot be read or written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from aistream_nb.cli.target import add_force, check_target
from aistream_nb.cli.working import working
from aistream_nb.errors import AIStreamError
from aistream_nb.export import (
    to_anthropic,
    to_html,
    to_markdown,
    to_notebook,
    to_openai,
)
from aistream_nb.recording import Recording
from aistream_nb.recording.journal import write_whole
from aistream_nb.recording.writing import FORMS, encode_recording

__all__ = ["add_arguments", "run"]

_STANDARD: Final = "-"
_SUFFIXES: Final[Mapping[str, str]] = {
    ".html": "html",
    ".ipynb": "notebook",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".sse": "sse",
}


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


_EXPORTS: Final[Mapping[str, Callable[[Recording], str]]] = {
    "anthropic": lambda recording: _as_json(to_anthropic(recording)),
    "html": to_html,
    "markdown": to_markdown,
    "notebook": to_notebook,
    "openai": lambda recording: _as_json(to_openai(recording)),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read, what is written, and in which format."""
    parser.add_argument("source", metavar="IN", help="- reads standard input")
    parser.add_argument("target", metavar="OUT", help="- writes to standard output")
    parser.add_argument(
        "--to",
        choices=sorted([*FORMS, *_EXPORTS]),
        help="the format (default: by the name of OUT: .jsonl, .jsonl.gz, .sse, "
        ".json, .md, .html, .ipynb)",
    )
    parser.add_argument(
        "--compact", action="store_true", help="join neighbouring deltas"
    )
    add_force(parser)
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="json: a summary in one line",
    )


def run(options: argparse.Namespace) -> int:
    """Read, convert, write."""
    form = options.to or _form_of(options.target)
    if options.target != _STANDARD:
        check_target(Path(options.target), force=options.force)
    recording = _read(options.source)
    notices = recording.notices
    with working(f"writing {form} …"):
        if options.compact:
            recording = recording.compact()
        text = _EXPORTS[form](recording) if form in _EXPORTS else ""
        _write(options.target, text or encode_recording(recording, form))
    if options.format == "json":
        told = {"file": options.target, "format": form, "events": len(recording)}
        where = sys.stderr if options.target == _STANDARD else sys.stdout
        where.write(json.dumps({**told, "notices": notices}) + "\n")
    else:
        lines = [*notices, f"{len(recording)} events written as {form}"]
        sys.stderr.write("".join(f"{line}\n" for line in lines))
    return 0


def _form_of(target: str) -> str:
    form = _SUFFIXES.get(Path(target.removesuffix(".gz")).suffix)
    if form is None:
        raise AIStreamError(
            f"The name {target!r} does not say which format is meant. Add --to, or "
            f"name a file in {', '.join(_SUFFIXES)}."
        )
    return form


def _read(source: str) -> Recording:
    if source == _STANDARD:
        return Recording.read(sys.stdin.buffer.read(), path="standard input")
    return Recording.load(source)


def _write(target: str, text: str) -> None:
    if target == _STANDARD:
        sys.stdout.write(text)
    else:
        write_whole(Path(target), text)
