"""A kernel that is killed in the middle of a run: what is left of the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from live_kernel import CURRENT, LiveKernel, kernel_python

import aistream_nb as ai
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.recording import Recording
from aistream_nb.testing import replay
from aistream_nb.tools.travel import offline_tools

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(120)]

LAST = 20
RUN = f"""
import os, signal
import aistream_nb as ai
from aistream_nb.providers.offline import OFFLINE_PROMPT

chat = ai.Chat("offline", pace=0.2)
chat.recording.record_to("run.jsonl{{suffix}}")

def watch(change):
    if len(chat.recording) == {LAST}:
        os.kill(os.getpid(), signal.SIGKILL)

_ = chat.conversation.subscribe(watch)
await chat.send(OFFLINE_PROMPT)
"""


@pytest.mark.parametrize("suffix", ["", ".gz"])
async def test_the_recording_holds_everything_up_to_the_last_event(
    tmp_path: Path, suffix: str
):
    with LiveKernel(kernel_python(tmp_path, CURRENT), tmp_path / "home") as live:
        live.run(f"import os\nos.chdir({str(tmp_path)!r})")
        live.start(RUN.format(suffix=suffix))
        assert live.kernel.provisioner is not None
        await live.kernel.provisioner.wait()

    path = tmp_path / f"run.jsonl{suffix}"
    recording = Recording.load(path)
    assert len(recording) == LAST
    kind = recording.events[-1]["type"]
    assert recording.ending == f"cut off after event {LAST} ({kind})"

    player = ai.Player(path)
    await player.play(speed=100)
    assert player.position == LAST
    assert player.ending in repr(player)
    assert player.conversation.status == "error"
    assert recording.ending in str(player.conversation.error)

    assert {one.rule for one in check_ordering(recording.events).violations} <= {
        "stream.truncated"
    }
    told = str(replay(path, tools=offline_tools())).splitlines()
    assert told[0] == f"{path.name} holds: no difference"
    assert told[-1] == (
        f"Not compared: it is {recording.ending}: only what came before is compared"
    )
