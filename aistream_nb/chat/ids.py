"""Ids that a chat gives: countable, so that two runs of one script look the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias
from uuid import uuid4

__all__ = ["IdFactory", "counted_ids"]

IdFactory: TypeAlias = Callable[[str], str]
"""Gives a new id for a kind: ``thread``, ``run``, ``user``, ``msg``, ``result``, …"""


def counted_ids(thread_id: str | None = None) -> IdFactory:
    """Ids that count up by kind; only a thread's id is unique in the world.

    >>> new_id = counted_ids("t")
    >>> new_id("run"), new_id("run"), new_id("msg"), new_id("thread")
    ('run_1', 'run_2', 'msg_1', 't')
    """
    counts: Counter[str] = Counter()

    def new_id(kind: str) -> str:
        if kind == "thread":
            return thread_id or f"thread_{uuid4().hex}"
        counts[kind] += 1
        return f"{kind}_{counts[kind]}"

    return new_id
