"""W1: one message of many small deltas.

*publish*: a notice after every event, the text read at the end. *touch*: the text so
far read after every event. *frame*: read every 50 events.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import common
import workloads

from aistream_nb.core.processor import StreamProcessor

FRAME = 50
SIZES = (2_000, 20_000, 200_000)
PEERS = ("tanstack-ai-0.5", "tanstack-ai-0.58")


def publish(events: list[dict[str, Any]]) -> str:
    notices: list[str | None] = []
    processor = StreamProcessor(callbacks={"on_change": notices.append})
    receive = processor.receive
    for event in events:
        receive(event)
    processor.finalize()
    return processor.messages[0].text


def touch(events: list[dict[str, Any]]) -> str:
    return _looking(events, every=1)


def frame(events: list[dict[str, Any]]) -> str:
    return _looking(events, every=FRAME)


def _looking(events: list[dict[str, Any]], *, every: int) -> str:
    processor = StreamProcessor()
    receive, text_of = processor.receive, processor.text_of
    read = 0
    for count, event in enumerate(events):
        receive(event)
        if count % every == 0:
            read += len(text_of("msg-1"))
    return processor.messages[0].text


def floor(events: list[dict[str, Any]]) -> str:
    pieces: list[str] = []
    for event in events:
        if event["type"] == "TEXT_MESSAGE_CONTENT":
            pieces.append(event["delta"])  # noqa: PERF401 - one call an event, as a stream has it
    return "".join(pieces)


MODES = {"publish": publish, "touch": touch, "frame": frame}


def main() -> None:
    report = common.Report("W1  one message")
    ours: dict[tuple[str, int], float] = {}
    for size in SIZES:
        workload = workloads.text(per=size)
        events = list(workload.events())
        for mode, run in MODES.items():
            common.check(len(run(events)), workload.length)
            passes = 9 if size < SIZES[-1] else 3
            ours[mode, size] = common.best(lambda r=run, e=events: r(e), passes=passes)
            report.time(f"ours, {mode}, {size:,}", ours[mode, size])
    middle = SIZES[1]
    _against_peers(report, {mode: ours[mode, middle] for mode in MODES}, middle)
    events = list(workloads.text(per=middle).events())
    least = common.best(lambda: floor(events))
    report.time(f"floor: append in Python, {middle:,}", least)
    report.ratio("publish / floor", ours["publish", middle], least, at_most=4.5)
    for mode in MODES:
        growth = ours[mode, SIZES[2]] / (ours[mode, middle] * SIZES[2] / middle)
        report.ratio(f"growth to {SIZES[2]:,}, {mode}", growth, 1.0, at_most=1.5)
    report.show()


def _against_peers(report: common.Report, ours: dict[str, float], size: int) -> None:
    targets = {"publish": 0.6, "touch": 0.1, "frame": 1.0}
    with tempfile.TemporaryDirectory() as folder:
        path = str(workloads.text(per=size).save(Path(folder)))
        for peer in PEERS:
            for mode, milliseconds in ours.items():
                found = common.node("text.mjs", peer, mode, path)
                theirs = found["milliseconds"] if found else None
                report.time(f"{peer}, {mode}, {size:,}", theirs)
                name = f"{mode}: ours / {peer}"
                report.ratio(name, milliseconds, theirs, at_most=targets[mode])


if __name__ == "__main__":
    main()
