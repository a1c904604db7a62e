from __future__ import annotations

import asyncio
import threading
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from fake_kernel import FakeKernel, Foreign, NativeKernel

from aistream_nb.widgets import kernel
from aistream_nb.widgets.kernel import (
    KernelEnvironment,
    audience,
    call_in_loop,
    cell_wait,
    environment,
    main_loop,
    quiet_interrupt,
    serving_comms,
)


def modules_with(kernel: object, **attributes: object) -> dict[str, Any]:
    shell = SimpleNamespace(kernel=kernel, **attributes)
    return {"IPython": SimpleNamespace(get_ipython=lambda: shell)}


def no_terminal() -> bool:
    return False


WATCHED_PLACE = KernelEnvironment(
    kind="ipykernel", frontend_comms=True, stdin_allowed=True
)


def test_a_script_has_nobody_to_click():
    here = environment(modules={}, terminal=no_terminal)

    assert here == KernelEnvironment(
        kind="none",
        frontend_comms=False,
        stdin_allowed=False,
        clicks_reach_running_cell=False,
    )
    assert here.headless is True


def test_a_terminal_has_a_person_but_no_place_for_a_view():
    here = environment(modules={}, terminal=lambda: True)

    assert (here.kind, here.stdin_allowed, here.headless) == ("terminal", True, True)


def test_a_terminal_is_recognised_by_stdin(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", None)

    assert environment(modules={}).kind == "none"


def test_ipython_without_kernel_and_terminal_is_plain():
    modules = {"IPython": SimpleNamespace(get_ipython=SimpleNamespace)}

    assert environment(modules=modules, terminal=no_terminal).kind == "plain"


def test_ipython_that_is_only_loaded_does_not_count():
    modules = {"IPython": SimpleNamespace(get_ipython=lambda: None)}

    assert environment(modules=modules, terminal=no_terminal).kind == "none"


def test_marimo_says_that_clicks_do_not_reach_a_running_cell():
    marimo = SimpleNamespace(running_in_notebook=lambda: True)

    here = environment(modules={"marimo": marimo})

    assert (here.kind, here.clicks_reach_running_cell) == ("marimo", False)
    assert "chat.start" in here.note
    assert here.headless is None


def test_marimo_that_is_only_loaded_does_not_count():
    marimo = SimpleNamespace(running_in_notebook=lambda: False)

    assert environment(modules={"marimo": marimo}, terminal=no_terminal).kind == "none"


def test_a_kernel_of_another_make_promises_nothing():
    here = environment(modules=modules_with(Foreign()))

    assert here.kind == "plain"
    assert here.frontend_comms
    assert here.clicks_reach_running_cell is None
    assert here.headless is None


@pytest.mark.parametrize("allowed", [True, False])
def test_a_front_end_that_allows_no_stdin_is_probably_headless(*, allowed: bool):
    here = environment(modules=modules_with(NativeKernel(allow_stdin=allowed)))

    assert here.headless is not allowed
    assert here.clicks_reach_running_cell is True
    assert here.note == ""


def test_voila_allows_no_stdin_and_yet_somebody_watches(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5.13")

    here = environment(modules=modules_with(NativeKernel(allow_stdin=False)))

    assert here.headless is None


def test_a_kernel_that_must_be_pumped_is_reached_too():
    here = environment(modules=modules_with(FakeKernel()))

    assert here.clicks_reach_running_cell is True


def test_a_kernel_without_the_needed_parts_says_so_once(
    monkeypatch: pytest.MonkeyPatch,
):
    bare = FakeKernel(parts=False)
    modules = modules_with(bare)
    monkeypatch.setattr(kernel.sys, "modules", kernel.sys.modules | modules)

    async def wait() -> KernelEnvironment:
        with pytest.warns(RuntimeWarning, match=r"chat\.start"), cell_wait() as here:
            return here

    here = asyncio.run(wait())

    assert here.clicks_reach_running_cell is False
    assert "chat.start" in here.note


async def test_a_wait_needs_no_kernel_at_all():
    with cell_wait() as here:
        await asyncio.sleep(0)

    assert here.clicks_reach_running_cell is False


async def test_a_wait_gives_what_it_waited_for():
    async def answer() -> int:
        return 42

    assert await serving_comms(answer()) == 42


async def test_a_wait_wakes_the_loop_until_it_ends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kernel, "_PULSE", 0.001)
    loop = asyncio.get_running_loop()
    calls: list[float] = []
    often = asyncio.Event()
    real = loop.call_later

    def call_later(delay: float, *rest: Any) -> asyncio.TimerHandle:
        calls.append(delay)
        if len(calls) == 3:
            often.set()
        return real(delay, *rest)

    monkeypatch.setattr(loop, "call_later", call_later)
    with cell_wait():
        await often.wait()
    beats = len(calls)
    await asyncio.sleep(0)

    assert calls == [0.001] * beats


def test_a_wait_enters_the_pump_only_in_the_thread_of_the_kernel(
    monkeypatch: pytest.MonkeyPatch,
):
    fake = FakeKernel()
    monkeypatch.setattr(kernel.sys, "modules", kernel.sys.modules | modules_with(fake))
    before = fake.shell_stream._recv_callback
    seen: list[bool] = []

    async def wait() -> None:
        with cell_wait():
            seen.append(fake.shell_stream._recv_callback is not before)

    asyncio.run(wait())
    thread = threading.Thread(target=lambda: asyncio.run(wait()))
    thread.start()
    thread.join()

    assert seen == [True, False]
    assert fake.shell_stream._recv_callback is before


def test_a_wait_leaves_a_kernel_alone_that_serves_comms_itself(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(
        kernel.sys, "modules", kernel.sys.modules | modules_with(NativeKernel())
    )

    assert isinstance(kernel._pump_here(), nullcontext)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_a_view_that_is_already_there_is_enough():
    assert await audience(lambda: True, here=WATCHED_PLACE) is None


async def test_a_view_that_opens_in_time_is_enough():
    clock = Clock()

    reason = await audience(
        lambda: clock.now > 2.5, here=WATCHED_PLACE, clock=clock, sleep=clock.sleep
    )

    assert reason is None


@pytest.mark.parametrize(("allowed", "seconds"), [(True, 3), (None, 3), (False, 1)])
async def test_without_a_view_it_gives_up_in_time(
    *, allowed: bool | None, seconds: int
):
    clock = Clock()
    place = KernelEnvironment(
        kind="ipykernel", frontend_comms=True, stdin_allowed=allowed
    )

    reason = await audience(lambda: False, here=place, clock=clock, sleep=clock.sleep)

    assert reason == f"nobody was watching: no view opened within {seconds} s"
    assert seconds <= clock.now < seconds + 0.2


async def test_where_no_view_can_exist_it_gives_up_at_once():
    clock = Clock()

    reason = await audience(lambda: False, clock=clock, sleep=clock.sleep)

    assert reason == "nobody was watching: there is no place for a view here"
    assert clock.now == 0


@pytest.mark.parametrize("kind", [asyncio.CancelledError, KeyboardInterrupt])
def test_an_interrupt_is_shown_as_one_line(kind: type[BaseException]):
    stop = kind()

    with pytest.raises(kind) as caught, quiet_interrupt("Stopped."):
        raise stop

    assert caught.value is stop
    assert stop._render_traceback_() == ["Stopped."]  # pyright: ignore[reportAttributeAccessIssue]  # IPython's name, set on the instance


async def test_a_time_out_around_a_quiet_turn_stays_a_time_out():
    async def turn() -> None:
        with quiet_interrupt():
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(turn(), 0)


def test_a_turn_that_is_not_interrupted_is_left_alone():
    with pytest.raises(ValueError, match="mine"), quiet_interrupt():
        raise ValueError("mine")


async def test_a_callback_from_another_thread_runs_in_the_loop():
    loop = asyncio.get_running_loop()
    ran: asyncio.Future[tuple[str, int]] = loop.create_future()

    def take(word: str) -> None:
        ran.set_result((word, threading.get_ident()))

    thread = threading.Thread(target=call_in_loop, args=(loop, take, "go"))
    thread.start()
    said = await ran
    thread.join()

    assert said == ("go", threading.get_ident())


async def test_a_callback_waits_until_the_code_that_asked_is_done():
    order: list[str] = []

    call_in_loop(asyncio.get_running_loop(), order.append, "callback")
    order.append("asked")
    await asyncio.sleep(0)

    assert order == ["asked", "callback"]


async def test_the_main_loop_is_the_one_that_runs_here_without_a_kernel():
    assert main_loop() is asyncio.get_running_loop()


def test_a_script_has_no_main_loop():
    assert main_loop() is None


def test_the_main_loop_is_the_kernels_whichever_thread_asks(
    monkeypatch: pytest.MonkeyPatch,
):
    loop = object()
    kernels = SimpleNamespace(io_loop=SimpleNamespace(asyncio_loop=loop))
    monkeypatch.setattr(
        kernel.sys, "modules", kernel.sys.modules | modules_with(kernels)
    )
    seen: list[object] = []

    thread = threading.Thread(target=lambda: seen.append(main_loop()))
    thread.start()
    thread.join()

    assert seen == [loop]
