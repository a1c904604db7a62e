"""W3: a long history; many messages of 100 deltas through one processor.

*publish*: a notice after every event, the text read at the end. *frame*: what changed
is asked for every 50 events, and only that is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import workloads
from common import Case, Pass, Plan, Stopwatch, check, growth, node_rival, race

from aistream_nb.core.processor.processor import StreamProcessor

TITLE = "W3  a long history"
SIZES = (200, 500, 2_000)
PER = 100
FRAME = 50
TARGETS = {200: 0.2, 2_000: 0.02}
TANSTACKS = ("tanstack-ai-0.5", "tanstack-ai-0.58")


def publishing(messages: int) -> Pass:
    def drive(batches: Iterator[list[dict[str, object]]], watch: Stopwatch) -> int:
        notices: list[str | None] = []
        callbacks = {"on_change": notices.append}
        processor = StreamProcessor(callbacks=callbacks, message_per_id=True)
        receive = processor.receive
        for batch in batches:
            with watch:
                for event in batch:
                    receive(event)
        return _length(processor, watch)

    return _run_of(messages, drive)


def framing(messages: int) -> Pass:
    def drive(batches: Iterator[list[dict[str, object]]], watch: Stopwatch) -> int:
        processor = StreamProcessor(message_per_id=True)
        receive, message = processor.receive, processor.message
        for batch in batches:
            with watch:
                for count, event in enumerate(batch):
                    receive(event)
                    if count % FRAME == 0:
                        for name in processor.take_changes():
                            message(name)
        return _length(processor, watch)

    return _run_of(messages, drive)


def _run_of(messages: int, drive: Callable[..., int]) -> Pass:
    workload = workloads.text(messages=messages, per=PER, seed=3)

    def run() -> float:
        watch = Stopwatch()
        check(drive(workload.batches(), watch), workload.length)
        return watch.milliseconds

    return run


def _length(processor: StreamProcessor, watch: Stopwatch) -> int:
    with watch:
        processor.finalize()
        return sum(len(message.text) for message in processor.messages)


def measure(plan: Plan) -> Iterator[Case]:
    """Few and many messages, and what an event costs between them."""
    grown = growth(plan, publishing, SIZES)
    for size, at_most in TARGETS.items():
        workload = workloads.text(messages=size, per=PER, seed=3)
        rivals = [
            node_rival(
                name,
                "text.mjs",
                name,
                "publish",
                workload=workload.fields,
                plan=plan,
                wanted=workload.length,
                at_most=at_most,
            )
            for name in TANSTACKS
        ]
        name = f"publish, {size:,} messages"
        yield race(plan, name, publishing(size), rivals=rivals, growth=grown)
        grown = None
    many = SIZES[-1]
    name = f"frame, {many:,} messages"
    yield race(plan, name, framing(many), growth=growth(plan, framing, SIZES))
