"""Lets comm messages through to an IPython kernel that is busy awaiting a cell.

The promise: while a pump is entered, ``comm_open``, ``comm_msg`` and
``comm_close`` reach the kernel's own comm code although a cell is running. A
change here must keep these rules:

1. Everything that is not a comm message goes the old way, in its old order.
2. Comm messages keep their order among themselves, those that were already
   queued included.
3. Output of the running cell lands in that cell: the parent header is put back
   after every message, and nothing leaks into the context of another task.
4. Every message is framed by ``busy`` and ``idle``, as the kernel does it; then
   ``busy`` is said again for the cell that still runs.
5. Two waits may overlap and end in any order. The last one to end takes the pump
   out.

This is the only module that touches private parts of ipykernel (6.29 to 7.3).
From 7.4 on the kernel does this by itself. Where the parts are not found,
:func:`pump_for` says None and the caller must make do without clicks.
Not here: waiting itself, and what a click means.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
from collections.abc import Callable
from contextvars import Context, copy_context
from types import TracebackType
from typing import Any, Final, Self

__all__ = ["CommPump", "pump_for", "serves_comms_itself"]

_COMM_TYPES: Final = frozenset({"comm_close", "comm_msg", "comm_open"})


def serves_comms_itself(kernel: Any) -> bool:
    """Return whether the kernel takes comm messages while a cell awaits.

    Asked of the kernel: its dispatcher then knows the word ``concurrent``
    (ipykernel 7.4 and later). The version is not looked at.
    """
    dispatch = getattr(kernel, "dispatch_shell", None)
    if dispatch is None:
        return False
    return "concurrent" in inspect.signature(dispatch).parameters


@functools.cache
def pump_for(kernel: Any) -> CommPump | None:
    """Return the one pump of this kernel, or None if its parts are not there."""
    try:
        return CommPump(kernel)
    except AttributeError:
        return None


def _private(owner: Any, name: str) -> Any:
    """Return a private part, so that each one we lean on is named in one word."""
    return getattr(owner, name)


def _find_stream(kernel: Any) -> tuple[Any, Any]:
    """Return the stream that brings shell messages, and the queue behind it.

    ipykernel 7 reads the socket in a thread of its own and hands messages to the
    main thread over an in-process pair; ipykernel 6 reads it in the main thread
    and puts messages on a queue.
    """
    thread = getattr(kernel, "shell_channel_thread", None)
    if thread is None:
        return kernel.shell_stream, kernel.msg_queue
    return _private(thread.manager, "_shell_channel_to_main").to_stream, None


class CommPump:
    """A re-entrant context manager: inside it, comm messages are served at once.

    Enter and leave it in the thread of the kernel's main loop.

    Raises:
        AttributeError: The kernel or its stream lacks a part that is needed.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel: Any = kernel
        self._stream, self._queue = _find_stream(kernel)
        # Asked here, once: a pump that could be built can also run.
        self._publish_status: Callable[[str, str], None] = _private(
            kernel, "_publish_status"
        )
        self._shell_codes: dict[str, Callable[..., object]] = kernel.shell_handlers
        self._old_code: Callable[[Any], object] = _private(
            self._stream, "_recv_callback"
        )
        self._old_copy: bool = _private(self._stream, "_recv_copy")
        self._depth: int = 0
        self._waiting: Context = copy_context()

    def __enter__(self) -> Self:
        self._waiting = copy_context()
        self._depth += 1
        if self._depth == 1:
            self._install()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._depth -= 1
        # If somebody wrapped us meanwhile, we stay inside and let all pass.
        if self._depth == 0 and self._is_installed():
            self._stream.on_recv(self._old_code, copy=self._old_copy)

    def _is_installed(self) -> bool:
        # Bound methods are made anew at every access: compare by value.
        return _private(self._stream, "_recv_callback") == self._receive

    def _install(self) -> None:
        if not self._is_installed():
            self._old_code = _private(self._stream, "_recv_callback")
            self._old_copy = _private(self._stream, "_recv_copy")
            self._stream.on_recv(self._receive, copy=False)
        if self._queue is not None:
            self._serve_queued()

    def _serve_queued(self) -> None:
        """Serve the comm messages that came before us; the rest keep their order."""
        waiting = [self._queue.get_nowait() for _ in range(self._queue.qsize())]
        comms: list[Any] = []
        for entry in waiting:
            _index, _dispatch, arguments = entry
            if arguments and self._is_comm(arguments[0]):
                comms.append(arguments[0])
            else:
                self._queue.put_nowait(entry)
        for message in comms:
            self._serve(message)

    def _receive(self, message: Any) -> object:
        """Take one message off the stream; the stream awaits what we return."""
        if self._depth and self._is_comm(message):
            self._serve(message)
            return None
        return self._old_code(message)

    def _is_comm(self, message: Any) -> bool:
        """Look at the type only: the signature is checked when it is served."""
        session = self._kernel.session
        try:
            _, frames = session.feed_identities(message, copy=False)
            return session.unpack(frames[1].bytes)["msg_type"] in _COMM_TYPES
        except Exception:  # noqa: BLE001  # whatever it is, the kernel will say so
            return False

    def _serve(self, message: Any) -> None:
        # In a copy of the context, so that the parent we set for this message is
        # not seen by whoever else was started from the stream's own context.
        copy_context().run(self._serve_here, message)

    def _serve_here(self, message: Any) -> None:
        kernel = self._kernel
        try:
            identity, frames = kernel.session.feed_identities(message, copy=False)
            request = kernel.session.deserialize(frames, content=True, copy=False)
        except Exception:
            kernel.log.exception("A comm message could not be read; it is left out.")
            return
        before = _last_parent(kernel, self._waiting)
        kernel.set_parent(identity, request, channel="shell")
        self._publish_status("busy", "shell")
        try:
            self._call(identity, request)
        finally:
            self._publish_status("idle", "shell")
            kernel.set_parent(*before, channel="shell")
            if _is_running_a_cell(kernel):
                self._publish_status("busy", "shell")

    def _call(self, identity: Any, request: Any) -> None:
        code = self._shell_codes[request["header"]["msg_type"]]
        try:
            code(self._stream, identity, request)
        except Exception:
            self._kernel.log.exception("The code behind a comm message failed.")
        # What it printed must arrive before ``idle`` closes the message.
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()


def _last_parent(kernel: Any, waiting: Context) -> tuple[Any, Any]:
    """Return identity and message that the kernel was last set to, by anybody.

    In ipykernel 7 these are context variables with one global copy for threads.
    An empty context has no value of its own, so there the global one answers.
    7.0 has no global copy: there we ask the context of whoever waits.
    """
    try:
        return Context().run(_parent, kernel)
    except LookupError:
        return waiting.run(_parent, kernel)


def _parent(kernel: Any) -> tuple[Any, Any]:
    return _private(kernel, "_parent_ident")["shell"], kernel.get_parent("shell")


def _is_running_a_cell(kernel: Any) -> bool:
    """Tell by ``input``: the kernel replaces it for as long as a cell runs."""
    return getattr(builtins.input, "__self__", None) is kernel
