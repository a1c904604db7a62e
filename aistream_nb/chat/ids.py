"""Ids that a chat gives: countable, so that two runs of one script look the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from typing import TypeAlias
from uuid import uuid4

from aistream_nb.errors import AIStreamError

__all__ = ["IdFactory", "counted_ids", "untaken_ids"]

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


def untaken_ids(factory: IdFactory, taken: Collection[str]) -> IdFactory:
    """The ids of ``factory`` without those that a saved conversation has.

    >>> new_id = untaken_ids(counted_ids("t"), {"msg_1", "msg_2"})
    >>> new_id("msg"), new_id("run")
    ('msg_3', 'run_1')
    """

    def new_id(kind: str) -> str:
        for _ in range(len(taken) + 1):
            made = factory(kind)
            if made not in taken:
                return made
        raise AIStreamError(
            f"ids gives no new id for {kind!r}: the saved conversation has them all."
        )

    return new_id
