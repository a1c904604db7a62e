"""What people hand to a chat, read kindly: one tool or many, a gate or none.

What cannot be meant is refused at once, with the words that would have been right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, cast

from aistream_nb.core.tool_spec import ClientTool, Gate
from aistream_nb.errors import AIStreamError
from aistream_nb.tools import as_tools

__all__ = ["Offered", "checked_gate", "offered_tools"]

Offered: TypeAlias = (
    ClientTool | Callable[..., Any] | Iterable[ClientTool | Callable[..., Any]]
)
"""One tool or function, or several."""


def offered_tools(tools: Offered) -> tuple[ClientTool, ...]:
    """The tools that are meant.

    Raises:
        AIStreamError: It is no tool and no list of tools, or two have one name.
        TypeError: One is no function, or one that a model cannot call.

    >>> def now() -> str:
    ...     '''The time.'''
    ...     return "noon"
    >>> [tool.spec.name for tool in offered_tools(now)]
    ['now']
    """
    if isinstance(tools, ClientTool):
        return (tools,)
    given: Any = tools
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        return tuple(as_tools(cast("Iterable[Any]", given)))
    if callable(given):
        return tuple(as_tools([given]))
    raise AIStreamError(
        f"tools is a list of functions and tools, and not {given!r:.60}: "
        "tools=[my_function]."
    )


def checked_gate(gate: Gate | None) -> Gate | None:
    """The gate, if it can be asked.

    Raises:
        AIStreamError: It cannot.
    """
    given: object = gate
    if given is None or (callable(given) and not isinstance(given, type)):
        return gate
    meant = repr(given) if isinstance(given, str) else "..."
    raise AIStreamError(
        f"gate={given!r:.60} cannot be asked. A gate is ApprovalGate(ask={meant}), or "
        "an async function that gets a request and returns Proceed() or Deny(reason)."
    )
