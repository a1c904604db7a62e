"""``@tool``: a function becomes a tool where it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar, overload

from aistream_nb.core.tool_spec import (
    ClientTool,
    ToolAnnotations,
    refuse_repeated_names,
)
from aistream_nb.tools.function_tool import Tool, ToolOptions, tool_from_function

__all__ = ["as_tools", "tool"]

P = ParamSpec("P")
R = TypeVar("R")


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    title: str | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    timeout: float | None = None,
    strict: bool = True,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...


def tool(  # noqa: PLR0913 the hints are MCP's, one keyword each, as decorators read best
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    title: str | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    timeout: float | None = None,
    strict: bool = True,
) -> Any:
    """A tool made of a function: ``@tool`` or ``@tool(destructive=True)``.

    Name and description come from the function and its docstring, the JSON schema from
    its signature; ``Annotated[str, Field(description=…)]`` and the docstring's
    argument section describe the parameters. The tool can still be called as the
    function it was.

    Args:
        function: The function, when the decorator is used without options.
        name: What the model calls it; the function's name if not given.
        description: What the model is told; the docstring's text if not given.
        title: What people see.
        read_only: It changes nothing.
        destructive: It may destroy or overwrite something.
        idempotent: Calling it twice does no more than calling it once.
        open_world: It reaches things outside this machine.
        timeout: Seconds that one call may take. A coroutine is cancelled then; a plain
            function runs in a thread, cannot be stopped and goes on, and the model is
            told so.
        strict: ``False`` lets ``"5"`` pass for a number, for models that write so.

    Raises:
        TypeError: It is no function, or one that a model cannot call.
        ValueError: The name, the timeout or the hints cannot be.

    >>> @tool(destructive=True)
    ... def delete_file(path: str) -> str:
    ...     '''Delete one file.'''
    ...     return f"deleted {path}"
    >>> delete_file.spec.description
    'Delete one file.'
    >>> delete_file("notes.txt")
    'deleted notes.txt'
    """
    options = ToolOptions(
        name=name,
        description=description,
        annotations=ToolAnnotations(
            title=title,
            read_only=read_only,
            destructive=destructive,
            idempotent=idempotent,
            open_world=open_world,
        ),
        timeout=timeout,
        strict=strict,
    )

    def decorated(plain: Callable[P, R]) -> Tool[P, R]:
        return tool_from_function(plain, options)

    return decorated if function is None else decorated(function)


def as_tools(candidates: Iterable[ClientTool | Callable[..., Any]]) -> list[ClientTool]:
    """Client tools of tools and of plain functions alike.

    >>> def now() -> str:
    ...     '''The time.'''
    ...     return "noon"
    >>> [one.spec.name for one in as_tools([now])]
    ['now']

    Raises:
        TurnError: Two of them have one name.
        TypeError: One is no function, or one that a model cannot call.
    """
    tools = [
        one if isinstance(one, ClientTool) else tool_from_function(one, ToolOptions())
        for one in candidates
    ]
    refuse_repeated_names(tools)
    return tools
