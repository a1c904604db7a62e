"""A file that a command writes: what is there stays, unless ``--force`` is given."""

from __future__ import annotations

import argparse
from pathlib import Path

from aistream_nb.errors import AIStreamError

__all__ = ["add_force", "check_target"]


def add_force(parser: argparse.ArgumentParser, *, what: str = "file") -> None:
    """Declare ``--force``, with the same words in every command."""
    parser.add_argument(
        "--force", action="store_true", help=f"replace a {what} that is there"
    )


def check_target(out: Path, *, force: bool) -> None:
    """See that nothing is lost when ``out`` is written.

    Raises:
        AIStreamError: There is a file of this name, and nobody said to replace it.
    """
    if out.exists() and not force:
        raise AIStreamError(
            f"{out} is there already; --force replaces it, or name another file."
        )
