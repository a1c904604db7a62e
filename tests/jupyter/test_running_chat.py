"""The whole chat in a real kernel, with this test as the page: who clicks is seen.

Each view speaks as the browser half does: it reports itself, reads frames and sends
actions. The kernels are the newest ipykernel and an old one.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_kernel import CURRENT, LiveKernel, kernel_python

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(300)]

# ipykernel 7.0 to 7.3 may leave a message unread while a reply goes out, so these are
# tried by name: AISTREAM_IPYKERNELS="7.1.0".
VERSIONS = [CURRENT, *os.environ.get("AISTREAM_IPYKERNELS", "6.31.0").split()]

CHAT = """
import asyncio
import aistream_nb as ai
from IPython.display import display

booked = []

@ai.tool(read_only=True)
def get_forecast(place: str, date: str) -> str:
    "Daily weather forecast for a place on a date."
    return "partly cloudy"

@ai.tool(read_only=True)
def list_departures(from_: str, to: str, date: str, *, pets: bool = False) -> list[str]:
    "Ferry departures for a route on a date."
    return ["08:30"]

@ai.tool(destructive=True)
async def book_ferry(
    route: str, date: str, departure: str, adults: int, pets: int
) -> str:
    "Book a ferry."
    booked.append(departure)
    return f"Booked {departure}."

chat = ai.Chat(
    "offline", tools=[get_forecast, list_departures, book_ferry], pace=0
)
display(chat)
"""
ASK = "Check the forecast for Hvar and the ferry, and book the morning boat."


class View:
    """A page that shows a chat."""

    def __init__(self, kernel: LiveKernel, display: str) -> None:
        self._kernel = kernel
        self._numbers = itertools.count()
        opened = [it for it in kernel.of(display) if it["msg_type"] == "comm_open"]
        comms = [it["content"]["comm_id"] for it in opened]
        (self.comm,) = [it for it in comms if it.startswith("aistream-")]

    def act(self, kind: str, *, subshell: str | None = None, **fields: Any) -> str:
        action = {"type": kind, "id": f"action-{next(self._numbers)}", **fields}
        content = {"method": "custom", "content": action}
        header = {"subshell_id": subshell} if subshell else {}
        self._kernel.click(self.comm, content, **header)
        return action["id"]

    def said(self) -> Iterator[dict[str, Any]]:
        """What the kernel has sent to the page."""
        for it in self._kernel.heard:
            if it["msg_type"] == "comm_msg" and it["content"]["comm_id"] == self.comm:
                yield it["content"]["data"].get("content", {})

    def question(self) -> dict[str, Any] | None:
        """The approval card that the page shows last."""
        found = None
        for it in self.said():
            for frame in it.get("frames", ()):
                call = frame.get("call")
                if frame["type"] == "put-call" and call.get("approval"):
                    found = {"call": call["id"], **call["approval"]}
        return found

    def wait_for_question(self) -> dict[str, Any]:
        self._kernel.wait_for(lambda _: self.question() is not None)
        found = self.question()
        assert found is not None
        return found

    def decide(self, decision: str, **fields: Any) -> str:
        asked = self.wait_for_question()
        named = {"call": asked["call"], "approval": asked["id"]}
        return self.act(
            "decide", **named, nonce=asked["nonce"], decision=decision, **fields
        )

    def wait_for_answer(self, action: str) -> dict[str, Any]:
        self._kernel.wait_for(lambda _: self._answer(action) is not None)
        found = self._answer(action)
        assert found is not None
        return found

    def _answer(self, action: str) -> dict[str, Any] | None:
        answers = (it for it in self.said() if it.get("type") == "answer")
        return next((it for it in answers if it["action"] == action), None)


@pytest.fixture(scope="module", params=VERSIONS)
def kernel(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    cache: Path = request.config.cache.mkdir("kernels")
    python = kernel_python(cache, request.param)
    with LiveKernel(python, tmp_path_factory.mktemp("kernel")) as live:
        yield live


@pytest.fixture
def view(kernel: LiveKernel) -> View:
    display = kernel.start(CHAT, allow_stdin=True)
    kernel.wait_for_end(display)
    assert kernel.error(display) is None
    made = View(kernel, display)
    made.act("ready", page="page-1", views=1)
    return made


def ask(kernel: LiveKernel) -> str:
    return kernel.start(f"reply = await chat.send({ASK!r})", allow_stdin=True)


def outcome(kernel: LiveKernel) -> str:
    return kernel.run(
        "print([it.status for it in chat.conversation.tool_calls.values()][-1], booked)"
    )


def test_approve_is_seen_by_the_running_cell(kernel: LiveKernel, view: View):
    cell = ask(kernel)

    action = view.decide("proceed")

    kernel.wait_for_end(cell)
    assert view.wait_for_answer(action)["accepted"]
    assert kernel.error(cell) is None
    assert outcome(kernel) == "complete ['08:30']\n"


def test_deny_is_seen_by_the_running_cell(kernel: LiveKernel, view: View):
    cell = ask(kernel)

    view.decide("deny", reason="not this weekend")

    kernel.wait_for_end(cell)
    assert outcome(kernel) == "denied []\n"


def test_only_the_first_of_two_clicks_decides(kernel: LiveKernel, view: View):
    cell = ask(kernel)

    view.decide("deny")
    second = view.decide("proceed")

    kernel.wait_for_end(cell)
    assert not view.wait_for_answer(second)["accepted"]
    assert outcome(kernel) == "denied []\n"


def test_a_click_that_came_by_a_subshell_decides_too(kernel: LiveKernel, view: View):
    subshell = kernel.new_subshell()
    cell = ask(kernel)

    view.decide("proceed", subshell=subshell)

    kernel.wait_for_end(cell)
    assert outcome(kernel) == "complete ['08:30']\n"


def test_an_interrupt_marks_the_call_aborted_and_the_next_cell_works(
    kernel: LiveKernel, view: View
):
    cell = ask(kernel)
    view.wait_for_question()

    kernel.interrupt()

    kernel.wait_for_end(cell)
    shown = kernel.error(cell)
    assert shown is not None
    assert shown.startswith("Stopped.")
    assert "\n" not in shown
    assert outcome(kernel) == "aborted []\n"
    again = kernel.start("reply = await chat.send('Hello')", allow_stdin=True)
    view.act("stop")
    kernel.wait_for_end(again)


def test_a_background_run_leaves_the_kernel_free(kernel: LiveKernel, view: View):
    kernel.run(f"run = chat.start({ASK!r})", allow_stdin=True)
    view.wait_for_question()
    assert kernel.run("print('free')", allow_stdin=True) == "free\n"

    view.decide("proceed")

    kernel.run("reply = await run")
    assert outcome(kernel) == "complete ['08:30']\n"


def test_a_message_written_in_the_view_starts_a_run(kernel: LiveKernel, view: View):
    view.act("send", text=ASK, subshell=kernel.new_subshell())

    view.decide("proceed")

    kernel.run(
        "while chat.conversation.status != 'finished': await asyncio.sleep(0.01)"
    )
    assert outcome(kernel) == "complete ['08:30']\n"


def test_nobody_watching_is_a_denial_within_seconds(kernel: LiveKernel):
    display = kernel.start(CHAT, allow_stdin=False)
    kernel.wait_for_end(display)

    kernel.run(f"reply = await chat.send({ASK!r})", allow_stdin=False)

    assert outcome(kernel) == "denied []\n"
