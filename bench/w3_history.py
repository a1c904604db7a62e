"""W3: a long history; many messages of 100 deltas through one processor."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import common
import workloads

from aistream_nb.core.processor import StreamProcessor

SIZES = (200, 500, 2_000)
PER = 100
FRAME = 50
PEERS = ("tanstack-ai-0.5", "tanstack-ai-0.58")


def publish(events: list[dict[str, Any]]) -> int:
    """A notice after every event, the text read at the end."""
    notices: list[str | None] = []
    processor = StreamProcessor(
        callbacks={"on_change": notices.append}, message_per_id=True
    )
    receive = processor.receive
    for event in events:
        receive(event)
    processor.finalize()
    return sum(len(message.text) for message in processor.messages)


def frame(events: list[dict[str, Any]]) -> int:
    """What changed is asked for every 50 events, and only that is read."""
    processor = StreamProcessor(message_per_id=True)
    receive, take, message = (
        processor.receive,
        processor.take_changes,
        processor.message,
    )
    for count, event in enumerate(events):
        receive(event)
        if count % FRAME == 0:
            for name in take():
                message(name)
    processor.finalize()
    return sum(len(each.text) for each in processor.messages)


def main() -> None:
    report = common.Report(f"W3  a long history, {PER} deltas a message")
    ours: dict[int, float] = {}
    frames: dict[int, float] = {}
    theirs: dict[tuple[str, int], float | None] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            workload = workloads.text(messages=size, per=PER, seed=3)
            events = list(workload.events())
            common.check(publish(events), workload.length)
            ours[size] = common.best(lambda e=events: publish(e), passes=5)
            report.time(f"ours, publish, {size:,} messages", ours[size])
            frames[size] = common.best(lambda e=events: frame(e), passes=5)
            report.time(f"ours, frame, {size:,} messages", frames[size])
            path = str(workload.save(Path(folder)))
            for peer in PEERS:
                found = common.node("text.mjs", peer, "publish", path)
                theirs[peer, size] = found["milliseconds"] if found else None
                report.time(f"{peer}, {size:,} messages", theirs[peer, size])
    few, _, many = SIZES
    for size, at_most in ((few, 0.2), (many, 0.02)):
        for peer in PEERS:
            name = f"{size:,} messages: ours / {peer}"
            report.ratio(name, ours[size], theirs[peer, size], at_most=at_most)
    for mode, spent in (("publish", ours), ("frame", frames)):
        growth = (spent[many] / many) / (spent[few] / few)
        report.ratio(f"cost of an event, many / few, {mode}", growth, 1.0, at_most=1.25)
    report.show()


if __name__ == "__main__":
    main()
