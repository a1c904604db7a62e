"""Everything around the tracker that somebody else wrote: tools, callbacks, the log.

Rules that a change must keep. What a callback raises is reported, once for each time
it raises, and concerns nobody else. A condition that lasts, such as tools that cannot
be read, is reported when it begins. A report never quotes arguments or results; what
was raised is at :attr:`~aistream_nb.core.invocation.events.Diagnostic.error`.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypedDict
from weakref import ref

from aistream_nb.core.invocation.call import Call, ExecuteWhen, OnDivergence
from aistream_nb.core.invocation.events import Diagnostic
from aistream_nb.core.tool_spec import Gate
from aistream_nb.tracker.tooling import ToolParts, Tools, finished, parts_of
from aistream_nb.tracker.turns import Turns, running_loop

__all__ = ["Outside", "TrackerOptions"]

_log: Final = logging.getLogger("aistream_nb.tracker")


class TrackerOptions(TypedDict, total=False):
    """The keywords of :class:`ToolInvocationTracker` that are rarely needed."""

    execute_when: ExecuteWhen
    is_client_tool_call: Callable[[Mapping[str, Any]], bool | None] | None
    on_divergence: OnDivergence
    on_diagnostic: Callable[[Diagnostic], object] | None
    gate: Gate | None
    assistant_only: bool


class Outside:
    """Asks the host, tells the host, and is not hurt by the host."""

    def __init__(self, tools: Tools, options: TrackerOptions, turns: Turns) -> None:
        self._tools: Tools = tools
        self._options: TrackerOptions = options
        self._turns: Turns = turns
        self._said: set[str] = set()

    def forget(self) -> None:
        """Let lasting conditions be reported anew."""
        self._said.clear()

    # ------------------------------------------------------------ the book's outside

    def executable(self, tool_name: str) -> bool:
        """Whether a tool of that name can be called now."""
        return self.tool(tool_name).executable

    def ownership(self, part: Mapping[str, Any]) -> bool | None:
        """What the host says of a call; ``None`` if it says nothing."""
        ask = self._options.get("is_client_tool_call")
        if ask is None:
            return None
        try:
            answer = ask(part)
        except Exception as error:  # noqa: BLE001 -- a host's callback may raise anything
            self.once("ownership", "is_client_tool_call raised: unknown", error)
            return None
        return answer if isinstance(answer, bool) else None

    def report(self, diagnostic: Diagnostic) -> None:
        """Tell the host of a problem; its callback's own problems go to the log."""
        tell = self._options.get("on_diagnostic")
        try:
            if tell is not None:
                tell(diagnostic)
                return
        except Exception:  # noqa: BLE001 -- a host's callback may raise anything
            _log.warning("on_diagnostic raised", exc_info=True)
        _log.warning("%s: %s", diagnostic.code, diagnostic.message)

    # ------------------------------------------------------------ other people's code

    def tool(self, name: str) -> ToolParts:
        """The tool of that name now; without abilities if there is none (D10)."""
        try:
            tools = self._tools() if callable(self._tools) else self._tools
            parts = parts_of(None if tools is None else tools.get(name))
        except Exception as error:  # noqa: BLE001 -- a host's callback may raise anything
            self.once("tools", "the tools cannot be read: there are none", error)
            return ToolParts()
        self._said.discard("tools")
        return parts

    def call(
        self,
        code: str,
        function: Callable[..., object],
        *arguments: object,
        call: Call | None = None,
    ) -> asyncio.Task[None] | None:
        """Call somebody else's code; whatever it raises concerns nobody else.

        If it is asynchronous it goes on as a task.
        """
        try:
            value = function(*arguments)
        except Exception as error:  # noqa: BLE001 -- that is what this is for
            self.raised(code, error, call)
            return None
        if not inspect.isawaitable(value):
            return None
        if running_loop() is None:
            _drop(value)
            self.note(code, f"{code} is asynchronous and no loop is running", call=call)
            return None
        return self._turns.start(_finish(value, ref(self), code, call))

    def raised(self, code: str, error: Exception, call: Call | None) -> None:
        """Report what somebody else's code raised."""
        self.note(code, f"{code} raised; everything else goes on", error, call)

    def once(self, code: str, message: str, error: Exception | None = None) -> None:
        """Report a condition that lasts, when it begins."""
        if code not in self._said:
            self._said.add(code)
            self.note(code, message, error)

    def note(
        self,
        code: str,
        message: str,
        error: Exception | None = None,
        call: Call | None = None,
    ) -> None:
        """Report what happened, of one call or of all."""
        tool_call_id = None if call is None else call.tool_call_id
        self.report(Diagnostic(code, message, tool_call_id, error))


async def _finish(
    value: Awaitable[object],
    outside: Callable[[], Outside | None],
    code: str,
    call: Call | None,
) -> None:
    """Wait for somebody else's code. It may wait for ever, so we hold nothing here."""
    try:
        await finished(value)
    except Exception as error:  # noqa: BLE001 -- as in call()
        found = outside()
        if found is not None:
            found.raised(code, error, call)


def _drop(value: object) -> None:
    """Give up a coroutine that nobody can run."""
    if inspect.iscoroutine(value):
        value.close()
