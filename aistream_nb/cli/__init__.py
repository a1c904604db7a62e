"""The command line: ``aistream-nb lab``, ``demo``, ``check``, ``replay``."""

from __future__ import annotations

from aistream_nb.cli.entry import main

__all__ = ["main"]
