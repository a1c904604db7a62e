"""Say that work goes on, to who waits at a terminal and to nobody else."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext

__all__ = ["working"]


def working(words: str) -> AbstractContextManager[object]:
    """Show ``words`` and a sign of life while the block runs.

    They stand on standard error and go when the work is done, so that no log and no
    output that somebody reads on holds them.
    """
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console  # noqa: PLC0415 # only a terminal needs it

    return Console(stderr=True, highlight=False).status(words)
