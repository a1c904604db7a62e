"""W5: snapshots of a conversation in which one call grows.

*growing*: a conversation of one call. *shared*: 500 messages before it, the same
objects in every snapshot. *fresh*: the same 500, decoded anew for every snapshot.
*own source*: the history, once it is read, is that of our own stream processor, which
says what changed; making our snapshots is measured there, making the peer's never is.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import workloads
from common import Case, Pass, Plan, Rival, Stopwatch, check, growth, node_rival, race

from aistream_nb.core.invocation.snapshot import SnapshotMaker
from aistream_nb.core.messages import TextPart, ToolCallPart, UIMessage
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.tracker import ToolInvocationTracker

TITLE = "W5  snapshots with one growing call"
BATCH = 50
HISTORY = 500
LONG_HISTORY = 5_000
SIZES = (500, 2_000, 5_000)
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


def history(count: int = HISTORY) -> list[dict[str, Any]]:
    """Questions, and answers with a call that was answered."""
    dice = random.Random(9)  # noqa: S311 - a workload, not a secret
    pool = workloads.text(per=1).pool
    messages: list[dict[str, Any]] = []
    for number in range(count):
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
        "argsText": workloads.records(100, dice),
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


def own_message(message: dict[str, Any]) -> UIMessage:
    """A message of the history as one of ours."""
    said, *calls = message["content"]
    answered = [
        ToolCallPart(
            id=call["toolCallId"],
            name=call["toolName"],
            arguments=call["argsText"],
            output=call["result"],
        )
        for call in calls
    ]
    parts = (TextPart(said["text"]), *answered)
    return UIMessage(id=message["id"], role=message["role"], parts=parts)


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
    watch, held = Stopwatch(), None
    for batch in groups:
        with watch:
            for item in batch:
                tracker.set_state(make(item))
            await asyncio.sleep(0)
        held = batch
    with watch:
        for _ in range(5):
            await asyncio.sleep(0)
    await tracker.aclose()
    del held
    return watch.milliseconds


@dataclass(frozen=True, kw_only=True)
class Talk:
    """A conversation before the call that grows, and how the call ends."""

    before: Sequence[dict[str, Any]]
    deltas: Sequence[str]
    is_fresh: bool = False
    runs: int = 1
    """How often the tool runs: not, if the arguments stop in the middle."""

    @property
    def batch(self) -> int:
        """How many snapshots come between two turns of the loop."""
        return 1 if self.is_fresh else BATCH

    def tracking(self) -> Pass:
        """A pass of our tracker."""

        def run() -> float:
            tool = Write()
            made = snapshots(self.before, self.deltas, fresh=self.is_fresh)
            spent = asyncio.run(
                _feed(batches(made, self.batch), lambda item: item, tool)
            )
            check((tool.opened, tool.ran), (1, self.runs))
            return spent

        return run

    def rival(self, plan: Plan, *, at_most: float) -> Rival:
        """A pass of the peer."""
        return node_rival(
            "assistant-ui 0.3.35",
            "tracker.mjs",
            "fresh" if self.is_fresh else "shared",
            workload={
                "history": self.before,
                "deltas": self.deltas,
                "batch": self.batch,
            },
            plan=plan,
            wanted=[1, self.runs],
            at_most=at_most,
        )


class Followed:
    """Our own processor, with what it says after each event ready beforehand."""

    def __init__(self, before: Sequence[dict[str, Any]], deltas: Sequence[str]) -> None:
        processor = StreamProcessor(initial_messages=map(own_message, before))
        of = {"toolCallId": "live"}
        processor.receive({"type": "TOOL_CALL_START", "toolCallName": "write", **of})
        (name,) = processor.take_changes()
        self.messages: Sequence[UIMessage] = processor.messages
        self._said: list[UIMessage | None] = []
        for delta in deltas:
            processor.receive({"type": "TOOL_CALL_ARGS", "delta": delta, **of})
            self._said.append(processor.message(name))
        self._changes: list[str] = []
        self._next = 0

    def step(self) -> None:
        """Come to the next event."""
        self._next += 1
        self._changes = [self.messages[-1].id]

    def message(self, _: str) -> UIMessage | None:
        """The message that grows, as it is now."""
        return self._said[self._next - 1]

    def take_changes(self) -> list[str]:
        """Its name, if it grew."""
        changes, self._changes = self._changes, []
        return changes


def own(before: Sequence[dict[str, Any]], deltas: Sequence[str]) -> Pass:
    """A pass in which the tracker follows our own stream processor."""

    async def follow(source: Followed, tool: Write) -> float:
        tracker, maker = ToolInvocationTracker({"write": tool}), SnapshotMaker()
        tracker.set_state(maker.follow(source, is_running=True))
        watch = Stopwatch()
        for batch in batches(iter(deltas), BATCH):
            with watch:
                for _ in batch:
                    source.step()
                    tracker.set_state(maker.follow(source, is_running=True))
                await asyncio.sleep(0)
        await tracker.aclose()
        return watch.milliseconds

    def run() -> float:
        tool = Write()
        spent = asyncio.run(follow(Followed(before, deltas), tool))
        check((tool.opened, tool.ran), (1, 0))
        return spent

    return run


def comparing(deltas: Sequence[str]) -> Pass:
    """The floor: only the comparison of each text with the one before it."""

    def run() -> float:
        watch = Stopwatch()
        for batch in batches(snapshots(HELLO, deltas, fresh=False), BATCH):
            texts = [item["messages"][-1]["content"][0]["argsText"] for item in batch]
            with watch:
                grown = sum(new.startswith(old) for old, new in pairwise(texts))
            check(grown, len(texts) - 1)
        return watch.milliseconds

    return run


def measure(plan: Plan) -> Iterator[Case]:
    """One call that grows, alone and behind a history."""
    growing = {
        size: Talk(before=HELLO, deltas=workloads.arguments(size)) for size in SIZES
    }
    grown = growth(plan, lambda size: growing[size].tracking(), SIZES, at_most=1.5)
    few, _, many = growing.values()
    floor = Rival(name="floor: startswith", run=comparing(many.deltas), at_most=4)
    cut = workloads.arguments(SIZES[-1] // 4)[:1000]
    known = history()
    shared = Talk(before=known, deltas=cut, runs=0)
    fresh = Talk(before=known, deltas=cut, runs=0, is_fresh=True)
    for name, talk, at_most in (
        ("growing, 5,000", many, 1 / 45),
        ("growing, 500", few, 1 / 18),
        ("shared history of 500", shared, 1 / 10),
        ("fresh history of 500", fresh, 1 / 2),
    ):
        rivals = [talk.rival(plan, at_most=at_most)]
        is_main = talk is many
        rivals += [floor] if is_main else []
        growth_shown = grown if is_main else None
        yield race(plan, name, talk.tracking(), rivals=rivals, growth=growth_shown)
    for size in (HISTORY, LONG_HISTORY):
        known = history(size)
        peer = Talk(before=known, deltas=cut, runs=0).rival(plan, at_most=1 / 100)
        name = f"own source, history of {size:,}"
        yield race(plan, name, own(known, cut), rivals=[peer])
