"""Seeded workloads: the same seed gives the same events, here and in Node."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SPOKEN = (
    "the of and to in is that for with as was it by are this from at be or an not "
    "which one can stream event model token delta tool call state cell kernel frame "
    "output value error result parse buffer index message browser widget python array"
)
WORDS = tuple(_SPOKEN.split())
POOL = 500


@dataclass(frozen=True, kw_only=True)
class TextWorkload:
    """Messages of deltas; delta ``i`` is ``pool[i % 500]``."""

    messages: int
    per: int
    pool: tuple[str, ...]

    def save(self, folder: Path) -> Path:
        """Write the workload where a peer in Node can read it."""
        path = folder / f"text-{self.messages}-{self.per}.json"
        fields = {"messages": self.messages, "per": self.per, "pool": self.pool}
        path.write_text(json.dumps(fields), "utf-8")
        return path

    def events(self) -> Iterator[dict[str, Any]]:
        """The AG-UI events, each a fresh object, as a decoder would make them."""
        yield {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
        for number in range(self.messages):
            name = f"m{number}"
            yield {
                "type": "TEXT_MESSAGE_START",
                "messageId": name,
                "role": "assistant",
            }
            for i in range(number * self.per, (number + 1) * self.per):
                yield {
                    "type": "TEXT_MESSAGE_CONTENT",
                    "messageId": name,
                    "delta": self.pool[i % POOL],
                }
            yield {"type": "TEXT_MESSAGE_END", "messageId": name}
        yield {
            "type": "RUN_FINISHED",
            "threadId": "t",
            "runId": "r",
            "finishReason": "stop",
        }

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
