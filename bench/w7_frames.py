"""W7: one message of many deltas, on its way to a browser; the kernel's part of it.

Every delta goes through a conversation, and every 50 deltas a view takes what its
browser has to be told. Bytes are counted in ``tests/test_growth.py``; what reaches a
real browser, and when, in the browser tests.
"""

from __future__ import annotations

from collections.abc import Iterator

import workloads
from common import Case, Pass, Plan, Rival, Stopwatch, check, growth, race

from aistream_nb.conversation import Conversation
from aistream_nb.widgets.frames import FrameEncoder
from aistream_nb.widgets.wire import AppendText
from aistream_nb.widgets.wire_views import RunView

TITLE = "W7  deltas on their way to a browser"
SIZES = (2_000, 20_000, 100_000)
MIDDLE = SIZES[1]
FRAME = 50
ALLOWED = 25 / 1000
"""Milliseconds of the kernel for a delta: a target that is no ratio."""


def telling(size: int) -> Pass:
    """A pass over one message of ``size`` deltas."""
    workload = workloads.text(per=size)

    def run() -> float:
        watch, told = Stopwatch(), 0
        conversation = Conversation()
        encoder = FrameEncoder(
            conversation,
            read_run=lambda: RunView(status=conversation.status),
            clock=lambda: 0.0,
        )
        conversation.subscribe(lambda change: encoder.note(change) and None)
        for batch in workload.batches():
            for at in range(0, len(batch), FRAME):
                with watch:
                    conversation.receive_all(batch[at : at + FRAME])
                    frames = encoder.take()
                    for frame in frames:
                        frame.model_dump_json()
                told += sum(isinstance(frame, AppendText) for frame in frames)
        check(told > size / FRAME / 2, wanted=True)
        return watch.milliseconds

    return run


def measure(plan: Plan) -> Iterator[Case]:
    """What the kernel needs for a delta, beside what it may need."""
    allowance = Rival(
        name="25 µs a delta", run=lambda: ALLOWED * MIDDLE, at_most=1, passes=1
    )
    yield race(
        plan,
        f"to a view, {MIDDLE:,} deltas",
        telling(MIDDLE),
        rivals=[allowance],
        growth=growth(plan, telling, SIZES),
    )
