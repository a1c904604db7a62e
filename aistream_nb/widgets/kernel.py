"""What a turn needs to know of the kernel that it runs in, and how it waits there.

The promise: where it is possible at all, a click is seen while the cell that
awaits it is still running; the stop button always works; and nobody waits for a
person who is not there. A change here must keep these rules:

1. ``with cell_wait():`` goes around the *whole* turn. An event loop with nothing
   to do does not notice an interrupt, so a pulse wakes it.
2. Code that comes from a comm message may run in another thread (subshells of
   ipykernel 7.0 to 7.3). It must reach a turn through :func:`call_in_loop`, and
   start a new one in :func:`main_loop`: a subshell ends when its page does.
3. What cannot be found out is None, not a guess.

How a chat uses it::

    with quiet_interrupt("Stopped: open calls are marked aborted."):
        with cell_wait():
            ...  # the turn; on CancelledError mark the calls and re-raise

    reason = await audience(lambda: view_said_hello)
    if reason is not None:
        ...  # decide by policy, and say the reason

Not here: the gate, the views, the private parts of ipykernel (``kernel_pump``).
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, TypeVarTuple

from aistream_nb.widgets.kernel_pump import CommPump, pump_for, serves_comms_itself

__all__ = [
    "KernelEnvironment",
    "KernelKind",
    "audience",
    "call_in_loop",
    "cell_wait",
    "current_cell",
    "environment",
    "main_loop",
    "quiet_interrupt",
    "serving_comms",
]

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

KernelKind = Literal["ipykernel", "plain", "marimo", "terminal", "none"]
"""Where the code runs.

- ``ipykernel``: the kernel of JupyterLab, Notebook, VS Code, nbclient, …
- ``marimo``: a marimo notebook.
- ``plain``: IPython without a kernel and without a terminal, or a kernel of
  another make, of which nothing is known.
- ``terminal``: IPython or Python with a person at a terminal.
- ``none``: a script.
"""

_PULSE: Final = 0.075
_GLANCE: Final = 0.05
_STOPPED: Final = "Stopped. What was still open is marked as aborted."
_BACKGROUND_ONLY: Final = (
    "Clicks cannot reach a running cell in this kernel: neither does it take "
    "comm messages while a cell awaits, nor has it the parts that are needed to "
    "let them through. Start the turn with chat.start(...), which leaves the "
    "kernel free, or use ipykernel 7.4 or later."
)
_MARIMO_ONLY: Final = (
    "In marimo a click does not reach a cell that is still running. "
    "Start the turn with chat.start(...), which leaves the kernel free."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelEnvironment:
    """What is known of the place where the code runs, at this moment."""

    kind: KernelKind
    """The make of the place; see :data:`KernelKind`."""
    frontend_comms: bool
    """Whether a view could be open at all."""
    stdin_allowed: bool | None = None
    """Whether ``input()`` reaches a person; None where that is not known."""
    clicks_reach_running_cell: bool | None = None
    """Whether a click is seen while a cell awaits; None where that is not known."""
    note: str = ""
    """What a view may show where clicks do not reach a running cell, else empty."""

    @property
    def headless(self) -> bool | None:
        """A guess: True where probably nobody watches, None without a sign.

        A front end that runs notebooks unattended (nbclient, nbval, papermill)
        does not allow stdin. Some others do not either, and yet somebody watches:
        so wait a little for a view before you believe it.
        """
        if not self.frontend_comms:
            return True
        return None if self.stdin_allowed is None else not self.stdin_allowed


def environment(
    *,
    modules: Mapping[str, Any] | None = None,
    terminal: Callable[[], bool] | None = None,
) -> KernelEnvironment:
    """Return what is known of the place where this is called.

    It imports nothing: IPython and marimo are asked only if they are loaded.

    Args:
        modules: The loaded modules, by default ``sys.modules``.
        terminal: Whether a person sits at a terminal; by default stdin is asked.

    Examples:
        >>> environment(modules={}, terminal=lambda: False).kind
        'none'
    """
    loaded = sys.modules if modules is None else modules
    marimo = loaded.get("marimo")
    if marimo is not None and marimo.running_in_notebook():
        return KernelEnvironment(
            kind="marimo",
            frontend_comms=True,
            clicks_reach_running_cell=False,
            note=_MARIMO_ONLY,
        )
    kernel = _running_kernel(loaded)
    if kernel is not None:
        return _kernel_environment(kernel)
    person = (terminal or _has_terminal)()
    if person:
        kind: KernelKind = "terminal"
    else:
        kind = "none" if _shell(loaded) is None else "plain"
    return KernelEnvironment(
        kind=kind,
        frontend_comms=False,
        stdin_allowed=person,
        clicks_reach_running_cell=False,
    )


def _shell(modules: Mapping[str, Any]) -> Any:
    ipython = modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _running_kernel(modules: Mapping[str, Any]) -> Any:
    return getattr(_shell(modules), "kernel", None)


def _has_terminal() -> bool:
    # A process started without a console has no stdin at all.
    return sys.stdin is not None and sys.stdin.isatty()


def _kernel_environment(kernel: Any) -> KernelEnvironment:
    allowed = getattr(kernel, "_allow_stdin", None)
    if not any(kind.__module__.startswith("ipykernel") for kind in type(kernel).mro()):
        return KernelEnvironment(
            kind="plain", frontend_comms=True, stdin_allowed=allowed
        )
    reached = serves_comms_itself(kernel) or pump_for(kernel) is not None
    return KernelEnvironment(
        kind="ipykernel",
        frontend_comms=True,
        stdin_allowed=None if _served_by_voila() else allowed,
        clicks_reach_running_cell=reached,
        note="" if reached else _BACKGROUND_ONLY,
    )


def _served_by_voila() -> bool:
    """Whether Voila runs the notebook: without stdin, and for somebody who watches."""
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila/")


@contextmanager
def cell_wait() -> Generator[KernelEnvironment, None, None]:
    """Make a turn reachable: inside, clicks and interrupts arrive.

    Use it in a coroutine, around the whole turn, in a cell as well as in a
    background task. Waits may overlap. Where clicks cannot arrive a warning says
    so once, and so does ``note`` of the value that you get.

    Raises:
        RuntimeError: No event loop is running here.
    """
    loop = asyncio.get_running_loop()
    here = environment()
    if here.kind == "ipykernel" and here.note:
        warnings.warn(here.note, RuntimeWarning, stacklevel=3)
    with _pump_here(), _pulse(loop):
        yield here


async def serving_comms(awaitable: Awaitable[T]) -> T:
    """Return what the awaitable gives; clicks and interrupts arrive meanwhile.

    Examples:
        >>> async def answer() -> int:
        ...     return 42
        >>> asyncio.run(serving_comms(answer()))
        42
    """
    with cell_wait():
        return await awaitable


def _pump_here() -> CommPump | nullcontext[None]:
    kernel = _running_kernel(sys.modules)
    # In a subshell's thread the main loop is free, or is not ours to touch.
    in_main = threading.current_thread() is threading.main_thread()
    if kernel is None or not in_main or serves_comms_itself(kernel):
        return nullcontext()
    return pump_for(kernel) or nullcontext()


@contextmanager
def _pulse(loop: asyncio.AbstractEventLoop) -> Generator[None, None, None]:
    """Wake the loop now and then: a signal alone does not, if a thread took it."""

    def beat() -> None:
        nonlocal due
        due = loop.call_later(_PULSE, beat)

    due = loop.call_later(_PULSE, beat)
    try:
        yield
    finally:
        due.cancel()


async def audience(
    watched: Callable[[], bool],
    *,
    patience: float = 3.0,
    headless_patience: float = 1.0,
    here: KernelEnvironment | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> str | None:
    """Return None once somebody watches, or the reason why nobody does.

    It ends within ``patience`` seconds, within ``headless_patience`` where the
    place looks unattended, and at once where no view can exist.

    Args:
        watched: Says whether a view has reported itself. It is asked again and
            again; it must be cheap.
        patience: Seconds that a view may take to open where people work.
        headless_patience: The same where probably nobody is.
        here: The place, by default :func:`environment`.
        clock: Seconds that only grow.
        sleep: Waits so many seconds.
    """
    place = environment() if here is None else here
    if watched():
        return None
    if not place.frontend_comms:
        return "nobody was watching: there is no place for a view here"
    limit = headless_patience if place.headless else patience
    end = clock() + limit
    while clock() < end:
        await sleep(_GLANCE)
        if watched():
            return None
    return f"nobody was watching: no view opened within {limit:g} s"


@contextmanager
def quiet_interrupt(line: str = _STOPPED) -> Generator[None, None, None]:
    """Let an interrupt through, shown as one line instead of a traceback.

    The exception stays what it was (``CancelledError`` or ``KeyboardInterrupt``),
    so that time-outs and task groups around it work as ever; IPython only shows
    it shorter. The cell counts as failed: a Run All stops here, as it should.

    Args:
        line: What the cell shows instead of the traceback.
    """
    try:
        yield
    except (asyncio.CancelledError, KeyboardInterrupt) as stop:
        # IPython asks the exception itself for its text by this name.
        vars(stop)["_render_traceback_"] = lambda: [line]
        raise


def current_cell() -> object:
    """What tells the cell that runs from every other; None where there are no cells.

    >>> current_cell() is None
    True
    """
    shell = _shell(sys.modules)
    return getattr(shell, "execution_count", None) if shell is not None else None


def main_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop in which cells run, whichever thread asks; None without one.

    Outside a kernel it is the loop that runs here.

    Examples:
        >>> main_loop() is None
        True
    """
    kernel = _running_kernel(sys.modules)
    loop = getattr(getattr(kernel, "io_loop", None), "asyncio_loop", None)
    if loop is not None:
        return loop
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def call_in_loop(
    loop: asyncio.AbstractEventLoop,
    callback: Callable[[*Arguments], object],
    *arguments: *Arguments,
) -> None:
    """Call back soon, in the thread of the loop.

    Everything that a comm message sets off in a turn goes through here. Its code
    may run in the thread of a subshell; and while it runs the kernel counts its
    output to the message, so the turn must go on only after it is done.

    Raises:
        RuntimeError: The loop is closed: the turn is over, the click came late.
    """
    loop.call_soon_threadsafe(callback, *arguments)
