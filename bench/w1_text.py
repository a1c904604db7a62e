"""W1: one message of many small deltas.

*publish*: a notice after every event, the text read at the end. *touch*: the text so
far read after every event. *frame*: read every 50 events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, TypeAlias

import workloads
from common import (
    Case,
    Pass,
    Plan,
    Rival,
    Stopwatch,
    check,
    growth,
    node_rival,
    python_rival,
    race,
)

from aistream_nb.core.processor.processor import StreamProcessor

TITLE = "W1  one message of many deltas"
FRAME = 50
SIZES = (2_000, 20_000, 200_000)
MIDDLE = SIZES[1]
TEXT = "TEXT_MESSAGE_CONTENT"

Batch: TypeAlias = list[dict[str, Any]]
Reading: TypeAlias = tuple[Callable[[Batch], object], Callable[[], str]]
"""What takes the events of a batch, and what gives the text at the end."""


def publishing() -> Reading:
    notices: list[str | None] = []
    processor = StreamProcessor(callbacks={"on_change": notices.append})
    receive = processor.receive

    def feed(batch: Batch) -> None:
        for event in batch:
            receive(event)

    def finish() -> str:
        processor.finalize()
        return processor.messages[0].text

    return feed, finish


def looking(every: int) -> Callable[[], Reading]:
    """A reader that looks at the text so far every so many events."""

    def make() -> Reading:
        processor = StreamProcessor()
        receive, text_of = processor.receive, processor.text_of

        def feed(batch: Batch) -> None:
            for count, event in enumerate(batch):
                receive(event)
                if count % every == 0:
                    text_of("msg-1")

        return feed, lambda: processor.messages[0].text

    return make


def appending() -> Reading:
    """The floor: what the language itself needs."""
    pieces: list[str] = []

    def feed(batch: Batch) -> None:
        for event in batch:
            if event["type"] == TEXT:
                pieces.append(event["delta"])  # noqa: PERF401 - one call an event, as a stream has it

    return feed, lambda: "".join(pieces)


def _with_pydantic_ai() -> Reading:
    manager = import_module("pydantic_ai._parts_manager").ModelResponsePartsManager
    asked = import_module("pydantic_ai.models").ModelRequestParameters()
    parts = manager(model_request_parameters=asked)

    def feed(batch: Batch) -> None:
        for delta in _deltas(batch):
            for _ in parts.handle_text_delta(vendor_part_id="m", content=delta):
                pass

    return feed, lambda: parts.get_parts()[0].content


def _with_langchain() -> Reading:
    chunk_of = import_module("langchain_core.messages").AIMessageChunk
    whole = chunk_of(content="")

    def feed(batch: Batch) -> None:
        nonlocal whole
        for delta in _deltas(batch):
            whole += chunk_of(content=delta)

    return feed, lambda: whole.content


def _deltas(batch: Batch) -> Iterator[str]:
    return (event["delta"] for event in batch if event["type"] == TEXT)


def run_of(make: Callable[[], Reading], workload: workloads.TextWorkload) -> Pass:
    """A pass over the workload; making the events is not measured."""

    def run() -> float:
        watch = Stopwatch()
        feed, finish = make()
        for batch in workload.batches():
            with watch:
                feed(batch)
        with watch:
            text = finish()
        check(len(text), workload.length)
        return watch.milliseconds

    return run


MODES: dict[str, Callable[[], Reading]] = {
    "publish": publishing,
    "touch": looking(1),
    "frame": looking(FRAME),
}
NODE: dict[str, dict[str, float | None]] = {
    "publish": {
        "tanstack-ai-0.5": 0.6,
        "tanstack-ai-0.58": 1 / 35,
        "@ag-ui/client": 1 / 150,
        "floor": None,
    },
    "touch": {"tanstack-ai-0.5": 0.1, "tanstack-ai-0.58": 1 / 12},
    "frame": {"tanstack-ai-0.5": 1, "tanstack-ai-0.58": 1},
}
"""The peers in Node, each with its target; the floor says how fast Node is here."""


def measure(plan: Plan) -> Iterator[Case]:
    """The three ways to read, at 20,000 deltas."""
    workload = workloads.text(per=MIDDLE)
    for mode, make in MODES.items():
        yield race(
            plan,
            f"{mode}, {MIDDLE:,} deltas",
            run_of(make, workload),
            rivals=[*_in_node(plan, mode, workload), *_in_python(mode, workload)],
            growth=growth(
                plan,
                lambda size, m=make: run_of(m, workloads.text(per=size)),
                SIZES,
            ),
        )


def _in_node(
    plan: Plan, mode: str, workload: workloads.TextWorkload
) -> Iterable[Rival]:
    for name, at_most in NODE[mode].items():
        yield node_rival(
            "floor: append, in Node" if name == "floor" else name,
            "text.mjs",
            name,
            mode,
            workload=workload.fields,
            plan=plan,
            wanted=workload.length,
            at_most=at_most,
        )


def _in_python(mode: str, workload: workloads.TextWorkload) -> Iterable[Rival]:
    if mode != "publish":
        return
    for name, make, package, share in (
        ("pydantic-ai", _with_pydantic_ai, "pydantic-ai-slim", 1 / 9),
        ("langchain-core", _with_langchain, "langchain-core", 1 / 80),
    ):
        yield python_rival(
            name, lambda m=make: _tried(m, workload), package=package, at_most=share
        )
    floor = run_of(appending, workload)
    yield Rival(name="floor: append", run=floor, at_most=4.5)


def _tried(make: Callable[[], Reading], workload: workloads.TextWorkload) -> Pass:
    make()  # a missing package shows here, and not in the middle of a race
    return run_of(make, workload)
