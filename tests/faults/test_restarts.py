"""A kernel that is restarted while a call waits: no tool ran, and nothing is lost.

A real kernel, killed as the restart button does it, while a question is open. What was
recorded up to the question is in the file; the kernel that comes after can look at it,
and nobody is asked again, and no tool runs, because somebody looks.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from live_kernel import CURRENT, LiveKernel, kernel_python

import aistream_nb as ai
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.recording import Recording

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(120)]

TALK = """
import asyncio, pathlib
import aistream_nb as ai
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT

@ai.tool(read_only=True)
def get_forecast(place: str, date: str) -> str:
    "Say how the weather will be."
    return "snow"

@ai.tool(read_only=True)
def list_departures(from_: str, to: str, date: str, *, pets: bool = False) -> list[str]:
    "Say when ferries leave."
    return ["09:30"]

@ai.tool(destructive=True)
def book_ferry(route: str, date: str, departure: str, adults: int, pets: int) -> str:
    "Book seats."
    pathlib.Path("booked").touch()
    return "booked"

tools = [get_forecast, list_departures, book_ferry]
chat = ai.Chat("offline", pace=0, tools=tools, gate=ai.ApprovalGate())
widget = chat._view.widget()
widget._hear(widget, {"type": "ready", "id": "r", "page": "p", "views": 1}, [])
chat.recording.record_to("run.jsonlSUFFIX")
run = chat.start(OFFLINE_BOOKING_PROMPT)
while not chat.waiting:
    await asyncio.sleep(0)
print("events:", len(chat.recording))
"""
AFTER = """
import asyncio, pathlib
import aistream_nb as ai
player = ai.Player("run.jsonlSUFFIX")
player.seek(len(ai.Recording.load("run.jsonlSUFFIX")))
call = player.conversation.tool_calls[list(player.conversation.tool_calls)[-1]]
print(call.name, call.status, pathlib.Path("booked").exists())
"""


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_restart_while_a_call_waits_runs_nothing_and_loses_nothing(
    tmp_path: Path, suffix: str
):
    python = kernel_python(tmp_path, CURRENT)
    with LiveKernel(python, tmp_path / "home") as live:
        live.run(f"import os\nos.chdir({str(tmp_path)!r})")
        told = live.run(TALK.replace("SUFFIX", suffix))
        live.kernel.restart_kernel(now=True)
        live.client.wait_for_ready(timeout=20)
        live.run(f"import os\nos.chdir({str(tmp_path)!r})")
        name, status, is_booked = live.run(AFTER.replace("SUFFIX", suffix)).split()
    assert (name, is_booked) == ("book_ferry", "False")
    assert status in {"aborted", "awaiting-approval"}

    path = tmp_path / f"run.jsonl{suffix}"
    recording = Recording.load(path)
    assert len(recording) == int(told.rpartition(" ")[2])
    assert recording.ending.startswith("cut off after event")
    asked = [
        event["value"]["toolName"]
        for event in recording.events
        if event["type"] == "CUSTOM" and event["name"] == "aistream:asked"
    ]
    assert asked == ["book_ferry"]
    found = {one.rule for one in check_ordering(recording.events).violations}
    assert found <= {"stream.truncated"}
    player = ai.Player(path)
    player.seek(len(recording))
    assert player.conversation.messages[0].text
    # Whoever goes on writing to the file writes behind what is there.
    with Recording.open(path) as continued:
        continued.append({"type": "RUN_STARTED", "threadId": "t", "runId": "again"})
    assert len(Recording.load(path)) == len(recording) + 1
