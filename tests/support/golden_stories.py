"""The stories whose event logs are kept in tests/golden, told by the embedded agent.

Everything that differs from run to run is handed in: ids are counted, and time passes
only when somebody sleeps. So a story is the same text every day.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import aistream_nb as ai
from aistream_nb.chat.ids import counted_ids
from aistream_nb.core.tool_spec import Decision, Deny, Proceed
from aistream_nb.errors import AIStreamError
from aistream_nb.gate import Asked, GateEvent
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, Fault
from aistream_nb.providers.retry import RetryPolicy
from aistream_nb.recording import Recording

VENDORS = ("anthropic", "openai", "xai", "gemini", "ollama")


class Time:
    """A clock on which time passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return round(self.now, 3)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


@dataclass(frozen=True, kw_only=True)
class Story:
    """What is asked, what goes wrong on the way, and how the person decides."""

    asked: tuple[str, ...]
    decisions: tuple[Decision, ...] = ()
    fault: Callable[[str], Fault | None] = lambda _vendor: None
    """What goes wrong with the first request, where this vendor is played."""


def booking(departure: str) -> dict[str, Any]:
    """The arguments of a booking."""
    return {
        "route": "Split–Stari Grad",  # noqa: RUF001 the story's spelling
        "date": "2026-12-06",
        "departure": departure,
        "adults": 2,
        "pets": 1,
    }


BOOK = 'Please call book_ferry {"route": "Split - Stari Grad", "date": "2026-12-06", '
MORNING = BOOK + '"departure": "08:30", "adults": 2, "pets": 1}'

# Where each stream breaks off: amid the arguments of its second call, and where a
# vendor sends these in one piece, before it says that they are whole.
_CUTS = {"anthropic": 42, "openai": 72, "xai": 59, "gemini": 3, "ollama": 43}

STORIES: Mapping[str, Story] = {
    "booked-after-529": Story(
        asked=(OFFLINE_BOOKING_PROMPT,),
        decisions=(Proceed(),),
        fault=lambda _vendor: Fault(kind="status", status=529, retry_after=2),
    ),
    "denied": Story(asked=(MORNING,), decisions=(Deny(reason="the dog is seasick"),)),
    "edited": Story(asked=(MORNING,), decisions=(Proceed(arguments=booking("14:30")),)),
    "failing-tool": Story(
        asked=(MORNING.replace("08:30", "20:00"),), decisions=(Proceed(),)
    ),
    "cut-then-asked-again": Story(
        asked=(OFFLINE_BOOKING_PROMPT, MORNING),
        decisions=(Deny(reason="one thing after another"),),
        fault=lambda vendor: Fault(kind="cut", after=_CUTS[vendor]),
    ),
}


async def tell(name: str, vendor: str) -> Recording:
    """The recording of a story, as it comes out now."""
    story, time = STORIES[name], Time()
    gate = ai.ApprovalGate(clock=time)
    gate.subscribe(_person(gate, story.decisions))
    chat = ai.Chat(
        f"offline:{vendor}",
        gate=gate,
        ids=counted_ids("t"),
        clock=time,
        sleep=time.sleep,
        faults=[story.fault(vendor)],
        retry=RetryPolicy(sleep=time.sleep, chance=lambda: 0.5),
    )
    for question in story.asked:
        try:
            await chat.send(question)
        except AIStreamError:
            continue  # the recording tells of it
    await chat.aclose()
    return chat.recording


def _person(
    gate: ai.ApprovalGate, decisions: Iterable[Decision]
) -> Callable[[GateEvent], None]:
    """Somebody who answers each question a moment after it was asked."""
    answers = iter(decisions)

    def look(event: GateEvent) -> None:
        if isinstance(event, Asked):
            loop = asyncio.get_running_loop()
            loop.call_soon(gate.decide, event.pending.id, next(answers))

    return look
