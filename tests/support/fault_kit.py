"""What the fault suite holds against every fault: the laws, and a loop by single steps.

A loop that is turned one step at a time lets a test strike between any two steps, so
that every place where a turn can wait is struck once.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import aistream_nb as ai
from aistream_nb.chat.ids import counted_ids
from aistream_nb.core.call_status import SETTLED
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT

BOOK = OFFLINE_BOOKING_PROMPT
ENDS = {"RUN_FINISHED", "RUN_ERROR"}
PATIENCE = 5000
"""Steps of a loop that are more than any run here needs."""

_CLOSING = 5
"""Steps in which Python's loop closes the generators that its collector found."""

T = TypeVar("T")


class Steps:
    """A loop of the test's own, turned step by step; at its end nothing is left."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.complaints: list[dict[str, Any]] = []
        self.loop.set_exception_handler(lambda _, told: self.complaints.append(told))

    def once(self) -> None:
        """Turn the loop once: what is ready runs up to its next wait."""
        self.loop.call_soon(self.loop.stop)
        self.loop.run_forever()

    def until(self, holds: Callable[[], bool]) -> None:
        for _ in range(PATIENCE):
            if holds():
                return
            self.once()
        raise AssertionError("it did not come to pass")

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(asyncio.wait_for(work, 20))

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        return self.loop.create_task(work)

    def tasks(self) -> set[asyncio.Task[Any]]:
        return {task for task in asyncio.all_tasks(self.loop) if not task.done()}


@contextmanager
def steps() -> Generator[Steps, None, None]:
    """A loop by single steps; leaving it holds that nothing is left in it."""
    turned = Steps()
    try:
        yield turned
        turned.once()
        for _ in range(_CLOSING):
            if turned.tasks():
                turned.once()
        assert not turned.tasks(), turned.tasks()
        gc.collect(1)  # what nobody awaited or closed says so now
        assert not turned.complaints
    finally:
        for task in turned.tasks():
            task.cancel()
        turned.once()
        turned.loop.run_until_complete(turned.loop.shutdown_asyncgens())
        turned.loop.close()


class Ferry:
    """The tools of the embedded agent, without threads; what ran is noted."""

    def __init__(self) -> None:
        self.booked: list[Mapping[str, Any]] = []

    def tools(self) -> list[Any]:
        @ai.tool(read_only=True)
        async def get_forecast(place: str, date: str) -> str:
            """Say how the weather will be."""
            await asyncio.sleep(0)
            return f"snow in {place}"

        @ai.tool(read_only=True)
        async def list_departures(
            from_: str, to: str, date: str, *, pets: bool = False
        ) -> list[str]:
            """Say when ferries leave."""
            await asyncio.sleep(0)
            return ["09:30", "14:00"]

        @ai.tool(destructive=True)
        async def book_ferry(
            route: str, date: str, departure: str, adults: int = 1, pets: int = 0
        ) -> str:
            """Book seats."""
            self.booked.append({"departure": departure})
            await asyncio.sleep(0)
            return f"booked {departure}"

        return [get_forecast, list_departures, book_ferry]


def ferry_chat(ferry: Ferry, vendor: str = "", **options: Any) -> ai.Chat:
    """The embedded agent with tools that need no thread, and a person who watches."""
    name = f"offline:{vendor}" if vendor else "offline"
    options.setdefault("gate", ai.ApprovalGate())
    options.setdefault("ids", counted_ids("t"))
    chat = ai.Chat(name, pace=1, sleep=_turn, tools=ferry.tools(), **options)
    watch(chat)
    return chat


def watch(chat: ai.Chat) -> None:
    """Have somebody look at the chat, so that questions wait for an answer."""

    async def somebody() -> None:
        """A person is there."""

    vars(chat._view)["audience"] = somebody


def approve_what_waits(chat: ai.Chat) -> None:
    for call in chat.waiting:
        chat.approve(call.id)


def kept_text(recording: ai.Recording) -> str:
    """What a file of it would hold."""
    with tempfile.TemporaryDirectory() as folder:
        return recording.save(Path(folder) / "kept.jsonl").read_text("utf-8")


def calls_of(work: Callable[[], object]) -> int:
    """How many calls the work makes, of our functions and of those of C."""
    count = 0

    def count_call(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def kinds(events: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(event["type"]) for event in events]


def hold_the_laws(chat: ai.Chat) -> None:
    """What is true of a chat whose run has ended, however it ended."""
    events = chat.recording.events
    counted = Counter(kinds(events))
    ended = sum(counted[kind] for kind in ENDS)
    assert counted["RUN_STARTED"] == ended, "each run has exactly one end"
    assert not chat.busy
    assert not chat.waiting
    assert chat.conversation.status not in {"running", "waiting"}
    open_calls = [
        (call.id, call.status)
        for call in chat.conversation.tool_calls.values()
        if call.status not in SETTLED
    ]
    assert not open_calls, "no call looks as if it still went on"
    if isinstance(chat.gate, ai.ApprovalGate):
        assert not chat.gate.pending
    assert chat.violations == ()
    hold_nothing_lost(chat)
    hold_decided_first(events)


def hold_nothing_lost(chat: ai.Chat) -> None:
    """The text that is shown is the text that came."""
    came: dict[str, str] = {}
    for event in chat.recording.events:
        if event["type"] == "TEXT_MESSAGE_CONTENT":
            ident = event["messageId"]
            came[ident] = came.get(ident, "") + event["delta"]
    shown = {m.id: m.text for m in chat.conversation.messages if m.id in came}
    assert shown == came


def hold_decided_first(events: Sequence[Mapping[str, Any]]) -> None:
    """No call runs twice, and none without a yes before it."""
    yes: set[str] = set()
    ran: list[str] = []
    for event in events:
        if event["type"] == "RUN_STARTED":
            yes, ran = set(), []  # the embedded agent names its calls anew in each run
        if event["type"] != "CUSTOM":
            continue
        value = event["value"]
        if event["name"] == "aistream:decision" and value["decision"] == "proceed":
            yes.add(value["toolCallId"])
        if event["name"] == "aistream:executing":
            assert value["toolCallId"] in yes
            assert value["toolCallId"] not in ran
            ran.append(value["toolCallId"])


async def _turn(_seconds: float) -> None:
    """A pause that takes a step of the loop, and no time."""
    await asyncio.sleep(0)
