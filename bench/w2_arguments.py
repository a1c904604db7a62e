"""W2: one tool call whose arguments arrive in deltas of about ten characters.

*each*: the value so far is read after every delta. *frame*: after every 50. *records*
is nested JSON of many short values, *text* is one long string between a few others.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import common
import workloads

from aistream_nb.core.partial_json import ArgumentsParser, PartialJSONParser

FRAME = 50
SIZES = (500, 5_000, 20_000)
PEERS = ("tanstack-ai-0.5", "tanstack-ai-0.58")
READERS = {"preview": PartialJSONParser, "arguments": ArgumentsParser}
MEAN = 10


def records(size: int, dice: random.Random) -> str:
    rows: list[dict[str, Any]] = []
    left = size
    while left > 0:
        rows.append(_row(len(rows), dice))
        left -= len(json.dumps(rows[-1]))
    table = {"table": "records", "mode": "upsert", "rows": rows, "done": True}
    return json.dumps(table, ensure_ascii=False)


def _row(number: int, dice: random.Random) -> dict[str, Any]:
    words = workloads.WORDS
    noted = f'line "{dice.choice(words)}"\n\u2014 {dice.choice(words)}'
    return {
        "id": number,
        "name": " ".join(dice.choices(words, k=3)),
        "score": round(dice.uniform(-100, 100), 3),
        "ok": dice.choice([True, False]),
        "tags": dice.choices(words, k=dice.randint(0, 3)),
        "note": dice.choice([None, noted, noted]),
        "pos": {"x": dice.randint(-9999, 9999), "y": dice.random() * 1e-3},
    }


def text(size: int, dice: random.Random) -> str:
    pool = workloads.text(per=1, seed=dice.randint(0, 999)).pool
    content = "".join(dice.choices(pool, k=size // 5))
    written = {"path": "/src/main.py", "content": content, "tail": [1, {"a": "b"}]}
    return json.dumps(written, ensure_ascii=False)


KINDS = {"records": records, "text": text}


def deltas_of(make: Callable[[int, random.Random], str], count: int) -> list[str]:
    """About ``count`` deltas, which together are whole JSON."""
    dice = random.Random(2)  # noqa: S311 - a workload, not a secret
    whole = make(count * MEAN, dice)
    cuts = [0]
    while cuts[-1] < len(whole):
        cuts.append(cuts[-1] + dice.randint(MEAN - 6, MEAN + 6))
    return [whole[start:stop] for start, stop in pairwise(cuts)]


def read(reader: type[Any], deltas: list[str], *, every: int) -> Any:
    parser = reader()
    for count, delta in enumerate(deltas):
        parser.receive(delta)
        if count % every == 0:
            parser.value  # noqa: B018 - reading is the work
    return parser.value


def floor(deltas: list[str]) -> Any:
    pieces: list[str] = []
    for delta in deltas:
        pieces.append(delta)  # noqa: PERF402 - one call a delta, as a stream has it
    return json.loads("".join(pieces))


def main() -> None:
    report = common.Report("W2  arguments of one call")
    for kind, make in KINDS.items():
        _measure(report, kind, make)
    report.show()


def _measure(
    report: common.Report, kind: str, make: Callable[[int, random.Random], str]
) -> None:
    spent: dict[tuple[str, int, int], float] = {}
    for size in SIZES:
        deltas = deltas_of(make, size)
        wanted = floor(deltas)
        for name, reader in READERS.items():
            for every in (1, FRAME):
                common.check(read(reader, deltas, every=every), wanted)
                spent[name, size, every] = common.best(
                    lambda r=reader, d=deltas, e=every: read(r, d, every=e)
                )
                mode = "each" if every == 1 else "frame"
                label = f"{kind}, {name}, {mode}, {size:,}"
                report.time(label, spent[name, size, every])
    _judge(report, kind, make, spent)


def _judge(
    report: common.Report,
    kind: str,
    make: Callable[[int, random.Random], str],
    spent: dict[tuple[str, int, int], float],
) -> None:
    small, middle, large = SIZES
    deltas = deltas_of(make, middle)
    least = common.best(lambda: floor(deltas))
    report.time(f"{kind}, floor: append, json.loads at the end", least)
    is_records = kind == "records"
    for name in READERS:
        growth = spent[name, large, 1] / (spent[name, small, 1] * large / small)
        report.ratio(f"{kind}: {name}, growth to {large:,}", growth, 1, at_most=1.15)
        if is_records:
            framed = spent[name, middle, FRAME]
            report.ratio(f"{kind}: {name}, frame / floor", framed, least, at_most=6)
    for peer in PEERS:
        theirs = _peer(peer, deltas)
        report.time(f"{kind}, {peer}, each, {middle:,}", theirs)
        for name in READERS:
            label = f"{kind}: {name} / {peer}"
            at_most = 1 / 300 if is_records else 1 / 60
            report.ratio(label, spent[name, middle, 1], theirs, at_most=at_most)


def _peer(peer: str, deltas: list[str]) -> float | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arguments.json"
        path.write_text(json.dumps({"deltas": deltas}), "utf-8")
        found = common.node("arguments.mjs", peer, str(path))
    if found is None:
        return None
    common.check(found["length"], len("".join(deltas)))
    return found["milliseconds"]


if __name__ == "__main__":
    main()
