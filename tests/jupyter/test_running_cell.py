"""A click must reach a cell that is still running, on every kernel that people have.

The newest ipykernel runs in our own environment; the older ones get one each, made
once and kept in pytest's cache. AISTREAM_IPYKERNELS names other versions.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_kernel import CURRENT, LiveKernel, kernel_python

VERSIONS = [CURRENT, *os.environ.get("AISTREAM_IPYKERNELS", "6.31.0").split()]

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(300)]

GATE = """
import asyncio
from comm import create_comm
from aistream_nb.widgets.kernel import *

class Gate:
    def __init__(self):
        self.comm = create_comm(target_name="gate")
        self.loop = asyncio.get_running_loop()
        self.decision = self.loop.create_future()
        self.comm.on_msg(self.click)

    def click(self, message):
        said = message["content"]["data"]
        print("click", said)
        call_in_loop(self.loop, self.decision.set_result, said)

    async def wait(self):
        return await serving_comms(self.decision)

async def gate(name):
    globals()[name] = made = Gate()
    print(made.comm.comm_id, end="")
"""


@pytest.fixture(scope="module", params=VERSIONS)
def kernel(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    cache: Path = request.config.cache.mkdir("kernels")
    python = kernel_python(cache, request.param)
    with LiveKernel(python, tmp_path_factory.mktemp("kernel")) as live:
        live.run(GATE)
        yield live


def test_a_click_releases_the_cell_that_awaits_it(kernel: LiveKernel):
    comm = kernel.run("await gate('g')")
    cell = kernel.start("print('waiting'); print('got', await g.wait())")
    kernel.wait_for_text(cell, "waiting")

    kernel.click(comm, "approve")

    kernel.wait_for_end(cell)
    assert kernel.text(cell) == "waiting\ngot approve\n"
    assert kernel.error(cell) is None


def test_two_gates_at_once_are_released_in_any_order(kernel: LiveKernel):
    first, second = kernel.run("await gate('a')"), kernel.run("await gate('b')")
    cell = kernel.start(
        "async def told(gate): print(await gate.wait())\n"
        "print('waiting')\n"
        "async with asyncio.TaskGroup() as group:\n"
        "    group.create_task(told(a)); group.create_task(told(b))"
    )
    kernel.wait_for_text(cell, "waiting")

    kernel.click(second, "second")
    kernel.wait_for_text(cell, "second")
    kernel.click(first, "first")

    kernel.wait_for_end(cell)
    assert kernel.text(cell) == "waiting\nsecond\nfirst\n"


def test_cells_queued_during_the_wait_run_after_it_and_in_order(kernel: LiveKernel):
    comm = kernel.run("order = []; await gate('g')")
    cell = kernel.start("print('waiting'); order.append(await g.wait())")
    kernel.wait_for_text(cell, "waiting")
    for i in range(3):
        kernel.start(f"order.append({i})")
    # The click is sent behind them and yet must come first.
    kernel.click(comm, "click")

    assert kernel.run("print(order)") == "['click', 0, 1, 2]\n"


def test_every_cell_keeps_its_own_output(kernel: LiveKernel):
    comm = kernel.run("await gate('g')")
    cell = kernel.start("print('waiting'); print(await g.wait()); print('more')")
    kernel.wait_for_text(cell, "waiting")
    queued = [kernel.start(f"print('cell {i}')") for i in range(3)]

    click = kernel.click(comm, "go")

    kernel.wait_for_end(queued[-1])
    assert kernel.text(cell) == "waiting\ngo\nmore\n"
    assert [kernel.text(it) for it in queued] == ["cell 0\n", "cell 1\n", "cell 2\n"]
    assert kernel.text(click) == "click go\n"


def test_a_thread_of_the_cell_prints_into_the_cell_after_a_click(kernel: LiveKernel):
    comm = kernel.run("await gate('g')")
    cell = kernel.start(
        "import threading\n"
        "print('waiting'); await g.wait()\n"
        "thread = threading.Thread(target=lambda: print('from a thread'))\n"
        "thread.start(); thread.join()"
    )
    kernel.wait_for_text(cell, "waiting")

    kernel.click(comm, "go")

    kernel.wait_for_end(cell)
    assert kernel.text(cell) == "waiting\nfrom a thread\n"


def test_an_interrupt_ends_the_wait_in_one_line_and_the_next_cell_works(
    kernel: LiveKernel,
):
    comm = kernel.run("await gate('g')")
    cell = kernel.start(
        "print('waiting')\nwith quiet_interrupt('Stopped.'):\n    await g.wait()"
    )
    kernel.wait_for_text(cell, "waiting")
    pressed = time.monotonic()

    kernel.interrupt()

    kernel.wait_for_end(cell)
    assert time.monotonic() - pressed < 5
    assert kernel.error(cell) == "Stopped."
    assert kernel.run("print('alive')") == "alive\n"
    late = kernel.click(comm, "late")
    kernel.wait_for_end(late) if kernel.states(late) else kernel.run("pass")
    comm = kernel.run("await gate('g')")
    again = kernel.start("print('waiting'); print(await g.wait())")
    kernel.wait_for_text(again, "waiting")
    kernel.click(comm, "works")
    kernel.wait_for_end(again)
    assert kernel.text(again) == "waiting\nworks\n"


def test_an_awaiting_cell_lets_clicks_through_to_a_background_turn(kernel: LiveKernel):
    comm = kernel.run("await gate('g')")
    kernel.run(
        "async def turn():\n"
        "    with cell_wait():\n"
        "        print('turn got', await g.decision)\n"
        "task = asyncio.get_running_loop().create_task(turn())"
    )
    cell = kernel.start("print('waiting'); await task; print('seen')")
    kernel.wait_for_text(cell, "waiting")

    kernel.click(comm, "approve")

    kernel.wait_for_end(cell)
    assert kernel.text(cell) == "waiting\nseen\n"


def test_an_idle_kernel_lets_clicks_through_to_a_background_turn(kernel: LiveKernel):
    comm = kernel.run("await gate('g')")
    turn = kernel.start(
        "async def turn():\n"
        "    with cell_wait():\n"
        "        print('turn got', await g.decision)\n"
        "task = asyncio.get_running_loop().create_task(turn())"
    )
    kernel.wait_for_end(turn)

    kernel.click(comm, "approve")

    kernel.wait_for_text(turn, "turn got approve")


def test_a_click_that_comes_by_a_subshell_is_handed_to_the_loop(kernel: LiveKernel):
    comm = kernel.run("await gate('g')")
    subshell = kernel.new_subshell()
    cell = kernel.start("print('waiting'); print(await g.wait())")
    kernel.wait_for_text(cell, "waiting")

    # A kernel without subshells gets an ordinary click.
    kernel.click(comm, "go", **({"subshell_id": subshell} if subshell else {}))

    kernel.wait_for_end(cell)
    assert kernel.text(cell) == "waiting\ngo\n"


def test_a_subshell_can_name_the_loop_of_the_cells(kernel: LiveKernel):
    comm = kernel.run(
        "here, seen = asyncio.get_running_loop(), []\n"
        "told = create_comm(target_name='told')\n"
        "told.on_msg(lambda message: seen.append(main_loop()))\n"
        "print(told.comm_id, end='')"
    )
    subshell = kernel.new_subshell()

    click = kernel.click(comm, "go", **({"subshell_id": subshell} if subshell else {}))

    kernel.wait_for_end(click)
    assert kernel.run("print(seen == [here])") == "True\n"


def test_a_pumped_click_is_framed_by_busy_and_idle(kernel: LiveKernel):
    comm = kernel.run("await gate('g')")
    pumped = kernel.run(
        "from aistream_nb.widgets import kernel_pump\n"
        "print(not kernel_pump.serves_comms_itself(get_ipython().kernel))"
    )
    cell = kernel.start("print('waiting'); await g.wait()")
    kernel.wait_for_text(cell, "waiting")

    click = kernel.click(comm, "go")

    kernel.wait_for_end(cell)
    # From 7.4 on the kernel serves it, and says nothing.
    assert kernel.states(click) == (["busy", "idle"] if pumped == "True\n" else [])
    assert kernel.states(cell)[-1] == "idle"
    assert set(kernel.states(cell)[:-1]) == {"busy"}


def test_nobody_watching_is_found_out_within_seconds(kernel: LiveKernel):
    ask = "print(environment().kind, await audience(lambda: False, patience=20))"

    said = kernel.run(ask, allow_stdin=False)

    assert said == "ipykernel nobody was watching: no view opened within 1 s\n"


def test_the_environment_tells_whether_a_person_can_answer(kernel: LiveKernel):
    ask = "here = environment(); print(here.stdin_allowed, here.headless)"

    assert kernel.run(ask, allow_stdin=True) == "True False\n"
    assert kernel.run(ask, allow_stdin=False) == "False True\n"
    assert kernel.run("print(here.clicks_reach_running_cell)") == "True\n"
