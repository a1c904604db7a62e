"""Seeded workloads: the same seed gives the same events, here and in Node."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

_SPOKEN = (
    "the of and to in is that for with as was it by are this from at be or an not "
    "which one can stream event model token delta tool call state cell kernel frame "
    "output value error result parse buffer index message browser widget python array"
)
WORDS = tuple(_SPOKEN.split())
POOL = 500
BATCH = 2_000
MEAN = 10
"""About so many characters has a delta of arguments."""


@dataclass(frozen=True, kw_only=True)
class TextWorkload:
    """Messages of deltas; delta ``i`` is ``pool[i % 500]``."""

    messages: int
    per: int
    pool: tuple[str, ...]

    @property
    def fields(self) -> dict[str, Any]:
        """What a peer in Node makes the same events of."""
        return {"messages": self.messages, "per": self.per, "pool": self.pool}

    def batches(self) -> Iterator[list[dict[str, Any]]]:
        """The events, as warm in the cache as they are behind a decoder."""
        events = self.events()
        while batch := list(islice(events, BATCH)):
            yield batch

    def events(self) -> Iterator[dict[str, Any]]:
        """The AG-UI events, each a fresh object, as a decoder would make them."""
        run = {"threadId": "t", "runId": "r"}
        yield {"type": "RUN_STARTED", **run}
        for number in range(self.messages):
            name = f"m{number}"
            start = {"type": "TEXT_MESSAGE_START", "messageId": name}
            yield {**start, "role": "assistant"}
            for i in range(number * self.per, (number + 1) * self.per):
                yield {
                    "type": "TEXT_MESSAGE_CONTENT",
                    "messageId": name,
                    "delta": self.pool[i % POOL],
                }
            yield {"type": "TEXT_MESSAGE_END", "messageId": name}
        yield {"type": "RUN_FINISHED", **run, "finishReason": "stop"}

    @property
    def length(self) -> int:
        """How long all text together is."""
        total = self.messages * self.per
        return sum(len(self.pool[i % POOL]) for i in range(total))


def text(*, messages: int = 1, per: int, seed: int = 1) -> TextWorkload:
    """A workload of text: deltas of about five characters, like a model's tokens."""
    dice = random.Random(seed)  # noqa: S311 - a workload, not a secret
    pool = tuple(_token(dice) for _ in range(POOL))
    return TextWorkload(messages=messages, per=per, pool=pool)


def _token(dice: random.Random) -> str:
    throw = dice.random()
    if throw < 0.80:  # noqa: PLR2004 - four of five tokens are a word
        return f" {dice.choice(WORDS)}"
    return dice.choice([". ", ", ", ";\n", "\n\n", f" `{dice.choice(WORDS)}`", "ing"])


def records(size: int, dice: random.Random) -> str:
    """Nested JSON of many short values, of about ``size`` characters."""
    rows: list[dict[str, Any]] = []
    left = size
    while left > 0:
        rows.append(_row(len(rows), dice))
        left -= len(json.dumps(rows[-1]))
    table = {"table": "records", "mode": "upsert", "rows": rows, "done": True}
    return json.dumps(table, ensure_ascii=False)


def _row(number: int, dice: random.Random) -> dict[str, Any]:
    noted = f'line "{dice.choice(WORDS)}"\n\u2014 {dice.choice(WORDS)}'
    return {
        "id": number,
        "name": " ".join(dice.choices(WORDS, k=3)),
        "score": round(dice.uniform(-100, 100), 3),
        "ok": dice.choice([True, False]),
        "tags": dice.choices(WORDS, k=dice.randint(0, 3)),
        "note": dice.choice([None, noted, noted]),
        "pos": {"x": dice.randint(-9999, 9999), "y": dice.random() * 1e-3},
    }


def long_string(size: int, dice: random.Random) -> str:
    """JSON that is mostly one string, of about ``size`` characters."""
    pool = text(per=1, seed=dice.randint(0, 999)).pool
    content = "".join(dice.choices(pool, k=size // 5))
    written = {"path": "/src/main.py", "content": content, "tail": [1, {"a": "b"}]}
    return json.dumps(written, ensure_ascii=False)


def arguments(
    count: int, *, make: Callable[[int, random.Random], str] = records
) -> list[str]:
    """About ``count`` deltas, which together are whole JSON."""
    dice = random.Random(2)  # noqa: S311 - a workload, not a secret
    whole = make(count * MEAN, dice)
    cuts = [0]
    while cuts[-1] < len(whole):
        cuts.append(cuts[-1] + dice.randint(MEAN - 6, MEAN + 6))
    return [whole[start:stop] for start, stop in pairwise(cuts)]
