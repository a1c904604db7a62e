"""The magics in a real kernel: a cell of ``%%agent`` is awaited like any other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from live_kernel import CURRENT, LiveKernel, kernel_python

PROMPT = "Should we take the ferry to Hvar?"

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    home = tmp_path_factory.mktemp("kernel")
    with LiveKernel(kernel_python(home, CURRENT), home) as live:
        live.run("%load_ext aistream_nb")
        yield live


def values(kernel: LiveKernel, cell: str) -> list[dict[str, str]]:
    kinds = {"execute_result", "display_data", "update_display_data"}
    return [
        message["content"]["data"]
        for message in kernel.of(cell)
        if message["msg_type"] in kinds
    ]


def test_the_answer_is_the_value_of_the_cell(kernel: LiveKernel):
    cell = kernel.start(f"%%agent --provider offline --name trip\n{PROMPT}")
    kernel.wait_for_end(cell)
    kernel._reply(cell)

    assert kernel.error(cell) is None
    (shown,) = values(kernel, cell)
    assert "text/html" in shown
    assert shown["text/plain"]
    assert kernel.run("print(len(trip.conversation.messages) > 1)") == "True\n"


def test_the_stop_button_ends_the_cell_and_keeps_what_came(kernel: LiveKernel):
    kernel.run(
        "def watch(change):\n"
        "    if len(slow.recording) == 12: print('twelve')\n"
        "import aistream_nb as ai\n"
        "slow = ai.Chat('offline', pace=20)\n"
        "_ = slow.conversation.subscribe(watch)"
    )
    cell = kernel.start(f"%%agent --name slow\n{PROMPT}")
    kernel.wait_for_text(cell, "twelve")
    kernel.interrupt()
    kernel.wait_for_end(cell)
    kernel._reply(cell)

    assert kernel.run("print(slow.conversation.status)") == "aborted\n"


def test_the_saved_notebook_of_a_live_cell_holds_what_was_said(kernel: LiveKernel):
    cell = kernel.start(f"%%agent --provider offline --live\n{PROMPT}")
    kernel.wait_for_end(cell)
    kernel._reply(cell)

    first, last = values(kernel, cell)
    assert first["text/plain"] == "Nothing was said yet."
    assert PROMPT in last["text/plain"]


def test_a_mistake_is_one_line(kernel: LiveKernel):
    cell = kernel.start("%%agent --name nobody\nHi")
    kernel.wait_for_end(cell)
    kernel._reply(cell)

    told = kernel.text(cell) + str(kernel.error(cell))
    assert "There is no chat 'nobody'" in told
