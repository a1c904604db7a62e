"""W5: snapshots of a conversation in which one call grows.

*growing*: a conversation of one call. *shared*: 500 messages before it, the same
objects in every snapshot. *fresh*: the same 500, decoded anew for every snapshot.
*own*: the same 500, made from our own messages by the snapshot maker. Medians of five
passes, here and there, in CPU time.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import common
import w2_arguments
import workloads

from aistream_nb.core.invocation_snapshot import SnapshotMaker
from aistream_nb.core.messages import TextPart, ToolCallPart, UIMessage
from aistream_nb.tracker import ToolInvocationTracker

BATCH = 50
HISTORY = 500
LARGE = 5_000
HELLO = [{"id": "u", "role": "user", "content": [{"type": "text", "text": "hi"}]}]


class Write:
    """A tool that counts."""

    def __init__(self) -> None:
        self.opened = 0
        self.ran = 0

    def stream_call(self, _reader: object, _context: object) -> None:
        """Count that it was told of the call."""
        self.opened += 1

    async def execute(self, _arguments: object, _context: object) -> dict[str, bool]:
        """Count that it ran."""
        self.ran += 1
        return {"ok": True}


def deltas_of(count: int) -> list[str]:
    return w2_arguments.deltas_of(w2_arguments.records, count)


def history() -> list[dict[str, Any]]:
    """Questions, and answers with a call that was answered."""
    dice = random.Random(9)  # noqa: S311 - a workload, not a secret
    pool = workloads.text(per=1).pool
    messages: list[dict[str, Any]] = []
    for number in range(HISTORY):
        asks = number % 2 == 0
        text = "".join(dice.choices(pool, k=30 if asks else 40))
        content: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if not asks:
            content.append(_answered(number, dice))
        role = "user" if asks else "assistant"
        messages.append({"id": f"m{number}", "role": role, "content": content})
    return messages


def _answered(number: int, dice: random.Random) -> dict[str, Any]:
    return {
        "type": "tool-call",
        "toolCallId": f"old-{number}",
        "toolName": "write",
        "argsText": w2_arguments.records(100, dice),
        "result": {"ok": True},
    }


def snapshots(
    before: Sequence[dict[str, Any]], deltas: Sequence[str], *, fresh: bool
) -> Iterator[dict[str, Any]]:
    """One snapshot a delta, and one more when the run has stopped."""
    text, encoded = "", json.dumps(before)
    messages: list[dict[str, Any]] = []
    for delta in deltas:
        # A text of its own for each snapshot, as a decoder makes it.
        text = (text + delta).encode().decode()
        call = {"type": "tool-call", "toolCallId": "live", "toolName": "write"}
        content = [call | {"argsText": text, "args": {}}]
        known = json.loads(encoded) if fresh else before
        messages = [*known, {"id": "last", "role": "assistant", "content": content}]
        yield {"messages": messages, "isRunning": True}
    yield {"messages": messages, "isRunning": False}


def own_snapshots(deltas: Sequence[str]) -> Iterator[tuple[UIMessage, ...]]:
    """Our own messages: frozen, and the same objects while they do not change."""
    before = tuple(
        UIMessage(id=f"m{n}", role="assistant", parts=(TextPart("Ahoy"),))
        for n in range(HISTORY)
    )
    call = ToolCallPart(id="live", name="write")
    text = ""
    for delta in deltas:
        text += delta
        last = UIMessage(
            id="last", role="assistant", parts=(replace(call, arguments=text),)
        )
        yield (*before, last)


def batches(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) >= size:
            yield batch
            batch = []
    yield batch


async def _feed(groups: Iterator[list[Any]], make: Any, tool: Write) -> float:
    """CPU milliseconds of the tracker; making and freeing the input is the host's."""
    tracker = ToolInvocationTracker({"write": tool}, on_result=lambda _: None)
    spent, held = 0.0, None
    for batch in groups:
        before = time.thread_time()
        for item in batch:
            tracker.set_state(make(item))
        await asyncio.sleep(0)
        spent += time.thread_time() - before
        held = batch
    before = time.thread_time()
    for _ in range(5):
        await asyncio.sleep(0)
    spent += time.thread_time() - before
    await tracker.aclose()
    del held
    return spent * 1000


def ours(
    before: Sequence[dict[str, Any]], deltas: Sequence[str], *, fresh: bool, runs: int
) -> float:
    spent: list[float] = []
    for _ in range(5):
        tool = Write()
        gc.collect()
        groups = batches(snapshots(before, deltas, fresh=fresh), 1 if fresh else BATCH)
        spent.append(asyncio.run(_feed(groups, lambda item: item, tool)))
        common.check((tool.opened, tool.ran), (1, runs))
    return statistics.median(spent)


def own(deltas: Sequence[str]) -> float:
    spent: list[float] = []
    for _ in range(5):
        maker = SnapshotMaker()
        groups = batches(own_snapshots(deltas), BATCH)
        feed = _feed(
            groups, lambda item, m=maker: m.make(item, is_running=True), Write()
        )
        spent.append(asyncio.run(feed))
    return statistics.median(spent)


def floor(deltas: Sequence[str]) -> float:
    """Only the comparison of each text with the one before it."""
    spent: list[float] = []
    for _ in range(5):
        total = 0.0
        for batch in batches(snapshots(HELLO, deltas, fresh=False), BATCH):
            texts = [item["messages"][-1]["content"][0]["argsText"] for item in batch]
            before = time.thread_time()
            grown = sum(new.startswith(old) for old, new in pairwise(texts))
            total += time.thread_time() - before
            common.check(grown in {len(texts) - 1, 0}, wanted=True)
        spent.append(total * 1000)
    return statistics.median(spent)


def peer(
    before: Sequence[dict[str, Any]], deltas: Sequence[str], *, fresh: bool, runs: int
) -> float | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshots.json"
        fields = {"history": before, "deltas": deltas, "batch": 1 if fresh else BATCH}
        path.write_text(json.dumps(fields), "utf-8")
        found = common.node("tracker.mjs", str(path), "fresh" if fresh else "shared")
    if found is None:
        return None
    common.check((found["opened"], found["ran"]), (1, runs))
    return found["milliseconds"]


def main() -> None:
    report = common.Report("W5  snapshots with one growing call")
    growing, many = deltas_of(LARGE), deltas_of(LARGE // 4)[:1000]
    before = history()
    cases = (
        ("growing, 5,000", HELLO, growing, False, 1 / 40),
        ("growing, 500", HELLO, deltas_of(LARGE // 10), False, 1 / 18),
        ("shared history", before, many, False, 1 / 10),
        ("fresh history", before, many, True, 1 / 2),
    )
    spent: dict[str, float] = {}
    for name, known, deltas, fresh, at_most in cases:
        runs = 0 if deltas is many else 1
        spent[name] = ours(known, deltas, fresh=fresh, runs=runs)
        theirs = peer(known, deltas, fresh=fresh, runs=runs)
        report.time(f"{name}: ours", spent[name])
        report.time(f"{name}: assistant-ui 0.3.35", theirs)
        report.ratio(f"{name}: ours / theirs", spent[name], theirs, at_most=at_most)
    report.time("own messages, 500 before the call", own(many))
    least = floor(growing)
    report.time("growing, floor: prefix compare", least)
    grown = spent["growing, 5,000"]
    report.ratio("growing: ours / floor", grown, least, at_most=4)
    growth = grown / (10 * spent["growing, 500"])
    report.ratio("growing: cost of a step, 5,000 / 500", growth, 1, at_most=1.5)
    report.show()


if __name__ == "__main__":
    main()
