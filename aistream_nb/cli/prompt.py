"""A line that a person types, awaited: who stops meanwhile need not press Enter.

``input`` in a thread would go on waiting for the line, and with it the process. Here
the loop looks at the terminal, and a line is read when one is there.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import TypeAlias

__all__ = ["Read", "read_line"]

Read: TypeAlias = Callable[[str], Awaitable[str]]
"""Shows a prompt, and gives the line that is typed."""


async def read_line(prompt: str) -> str:
    """The next line of standard input, without its end.

    Raises:
        EOFError: There is none.
    """
    sys.stdout.write(prompt)
    sys.stdout.flush()
    await _line_is_there()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.removesuffix("\n")


async def _line_is_there() -> None:
    """Wait until standard input can be read without waiting."""
    loop = asyncio.get_running_loop()
    there = asyncio.Event()
    try:
        number = sys.stdin.fileno()
        loop.add_reader(number, there.set)
    except (NotImplementedError, OSError, ValueError):  # Windows, a file, closed
        return
    try:
        await there.wait()
    finally:
        loop.remove_reader(number)
