from __future__ import annotations

import builtins
import logging

import pytest
from fake_kernel import FakeKernel, Foreign, Frame, NativeKernel, message

from aistream_nb.widgets.kernel_pump import CommPump, pump_for, serves_comms_itself

CELL = [("busy", "cell")]


def served(name: str) -> list[object]:
    return [("busy", name), name, ("idle", name)]


@pytest.fixture(params=["queue", "thread"])
def kernel(request: pytest.FixtureRequest) -> FakeKernel:
    return FakeKernel(thread=request.param == "thread")


def test_a_kernel_says_itself_whether_it_serves_comms():
    assert serves_comms_itself(NativeKernel())
    assert not serves_comms_itself(FakeKernel())
    assert not serves_comms_itself(Foreign())


def test_a_kernel_without_the_parts_has_no_pump():
    assert pump_for(FakeKernel(parts=False)) is None


def test_a_kernel_has_one_pump(kernel: FakeKernel):
    assert pump_for(kernel) is pump_for(kernel)


def test_comm_messages_are_served_at_once_and_the_rest_goes_the_old_way(
    kernel: FakeKernel,
):
    with CommPump(kernel):
        kernel.shell_stream.arrives(
            message("execute_request", "cell 1"),
            message("comm_open", "open"),
            message("comm_msg", "click"),
            message("complete_request", "tab"),
            message("comm_close", "close"),
        )

    assert kernel.calls == served("open") + served("click") + served("close")
    assert kernel.old_way == ["cell 1", "tab"]


def test_after_the_wait_everything_goes_the_old_way_again(kernel: FakeKernel):
    before = kernel.shell_stream._recv_callback, kernel.shell_stream._recv_copy

    with CommPump(kernel):
        pass

    assert (
        kernel.shell_stream._recv_callback,
        kernel.shell_stream._recv_copy,
    ) == before


def test_waits_may_overlap_and_end_in_any_order(kernel: FakeKernel):
    pump = CommPump(kernel)
    pump.__enter__()
    pump.__enter__()
    pump.__exit__(None, None, None)
    kernel.shell_stream.arrives(message("comm_msg", "click"))
    pump.__exit__(None, None, None)
    kernel.shell_stream.arrives(message("comm_msg", "late"))

    assert kernel.calls == served("click")
    assert kernel.old_way == ["late"]


def test_comm_messages_that_were_queued_before_the_wait_are_served_first():
    kernel = FakeKernel()
    waiting = [
        (0, "dispatch", (message("execute_request", "cell 1"),)),
        (1, "dispatch", (message("comm_msg", "early"),)),
        (2, "stop aborting", ()),
        (3, "dispatch", (message("execute_request", "cell 2"),)),
        (4, "dispatch", (message("comm_msg", "second"),)),
    ]
    for entry in waiting:
        kernel.msg_queue.put_nowait(entry)

    with CommPump(kernel):
        kernel.shell_stream.arrives(message("comm_msg", "new"))

    left = [kernel.msg_queue.get_nowait()[0] for _ in range(kernel.msg_queue.qsize())]
    assert left == [0, 2, 3]
    assert kernel.calls == served("early") + served("second") + served("new")


def test_the_running_cell_is_busy_again_after_a_click(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
):
    class Input:
        __self__ = kernel

    monkeypatch.setattr(builtins, "input", Input())

    with CommPump(kernel):
        kernel.shell_stream.arrives(message("comm_msg", "click"))

    assert kernel.calls == served("click") + CELL


@pytest.mark.parametrize("global_parent", [True, False])
def test_the_parent_is_put_back_after_a_click(*, global_parent: bool):
    kernel = FakeKernel(global_parent=global_parent)
    cell = {"header": {"msg_id": "cell"}}
    kernel.context.set(cell)

    with CommPump(kernel):
        kernel.shell_stream.arrives(message("comm_msg", "click"))

    assert kernel.parent == cell
    assert kernel.context.get() is cell


def test_a_click_whose_code_fails_is_logged_and_changes_nothing_else(
    kernel: FakeKernel, caplog: pytest.LogCaptureFixture
):
    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    kernel.shell_handlers["comm_msg"] = fail
    with CommPump(kernel), caplog.at_level(logging.ERROR):
        kernel.shell_stream.arrives(
            message("comm_msg", "click"), message("comm_open", "open")
        )

    assert kernel.calls == [("busy", "click"), ("idle", "click"), *served("open")]
    assert "The code behind a comm message failed" in caplog.text


def test_a_comm_message_that_is_not_signed_by_us_is_left_out(
    kernel: FakeKernel, caplog: pytest.LogCaptureFixture
):
    forged = message("comm_msg", "forged")
    forged[2] = Frame(b"another signature")

    with CommPump(kernel), caplog.at_level(logging.ERROR):
        kernel.shell_stream.arrives(forged)

    assert kernel.calls == kernel.old_way == []
    assert "could not be read" in caplog.text


def test_a_message_that_cannot_be_read_goes_the_old_way(kernel: FakeKernel):
    broken = message("comm_msg", "broken")
    broken[3] = Frame(b"{")

    seen: list[object] = []
    kernel.shell_stream.on_recv(seen.append, copy=False)
    with CommPump(kernel):
        kernel.shell_stream.arrives(broken, [Frame(b"stop aborting")])

    assert seen == [broken, [seen[1][0]]]  # pyright: ignore[reportIndexIssue]  # a list of frames


def test_somebody_who_wrapped_the_pump_stays_in_charge(kernel: FakeKernel):
    stream = kernel.shell_stream
    before = stream._recv_callback
    pump = CommPump(kernel)
    with pump:
        inner = stream._recv_callback

        def wrap(frames: list[Frame]) -> None:
            inner(frames)

        stream.on_recv(wrap, copy=False)
    stream.arrives(message("comm_msg", "after"))

    assert stream._recv_callback is wrap
    assert kernel.old_way == ["after"]

    stream.on_recv(inner, copy=False)  # the wrapper takes itself out again
    with pump:
        stream.arrives(message("comm_msg", "click"))

    assert kernel.calls == served("click")
    assert stream._recv_callback == before


def test_a_kernel_without_stdout_is_served_too(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.stdout", None)

    with CommPump(kernel):
        kernel.shell_stream.arrives(message("comm_msg", "click"))

    assert kernel.calls == served("click")
