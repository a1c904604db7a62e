"""The command line: ``aistream-nb COMMAND``; the commands are in :mod:`.entry`."""

from __future__ import annotations

from aistream_nb.cli.entry import main

__all__ = ["main"]
