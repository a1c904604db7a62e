"""The tools of a connected MCP server, as ours.

Only the session is used, so nothing here imports the MCP SDK until a server has
more than one page of tools; who has a session has the SDK. Opening and closing the
session is the caller's. Both generations of the official SDK are understood.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol

from aistream_nb.core.tool_spec import ToolAnnotations
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.errors import ToolExecutionError
from aistream_nb.tools.function_tool import Tool

__all__ = ["MCPSession", "mcp_tools"]

_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 64


class MCPSession(Protocol):
    """What is needed of ``mcp.ClientSession`` (or ``mcp.Client``)."""

    @property
    def list_tools(self) -> Callable[..., Awaitable[Any]]:
        """One page of tools."""
        ...

    @property
    def call_tool(self) -> Callable[..., Awaitable[Any]]:
        """Call one tool by name with arguments."""
        ...


async def mcp_tools(
    session: MCPSession, *, prefix: str = "", call_timeout: float | None = None
) -> list[Tool[..., Any]]:
    """Every tool that the server offers, annotations included.

    Args:
        session: A connected and initialised session of the official SDK.
        prefix: Put before each name, so that the tools of two servers can be told
            apart.
        call_timeout: Seconds that one call may take.

    Raises:
        ValueError: Two tools have one name once the characters that providers refuse
            are replaced, or a tool's schema is none.
    """
    tools: dict[str, Tool[..., Any]] = {}
    for described in await _described_tools(session):
        one = _tool(session, described, prefix=prefix, timeout=call_timeout)
        if one.spec.name in tools:
            raise ValueError(
                f"the MCP server offers two tools that would both be called "
                f"{one.spec.name!r}"
            )
        tools[one.spec.name] = one
    return list(tools.values())


async def _described_tools(session: MCPSession) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    page: Mapping[str, Any] = _wire(await session.list_tools())
    seen: set[str] = set()
    while True:
        found.extend(page["tools"])
        cursor = page.get("nextCursor")
        if not cursor or cursor in seen:
            # A server that repeats a cursor would be asked for ever.
            return found
        seen.add(cursor)
        page = _wire(await session.list_tools(**_at(session, cursor)))


def _at(session: MCPSession, cursor: str) -> dict[str, Any]:
    if "params" not in inspect.signature(session.list_tools).parameters:
        return {"cursor": cursor}
    types = importlib.import_module("mcp.types")
    return {"params": types.PaginatedRequestParams(cursor=cursor)}


def _wire(model: Any) -> dict[str, Any]:
    """An SDK object in the protocol's own spelling, which no SDK version changes."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def _tool(
    session: MCPSession,
    described: Mapping[str, Any],
    *,
    prefix: str,
    timeout: float | None,
) -> Tool[..., Any]:
    remote_name = str(described["name"])
    name = _NOT_IN_A_NAME.sub("_", prefix + remote_name)[:_LONGEST_NAME]

    async def call(**arguments: Any) -> object:
        answer = await session.call_tool(remote_name, arguments)
        return _result(_wire(answer), name)

    hints = described.get("annotations")
    annotations = ToolAnnotations.from_wire(
        {"title": described.get("title"), **(hints if is_mapping(hints) else {})}
    )
    return Tool.from_schema(
        name,
        described["inputSchema"],
        call,
        description=described.get("description", ""),
        annotations=annotations,
        timeout=timeout,
    )


def _result(answer: Mapping[str, Any], name: str) -> object:
    content = answer.get("content")
    blocks: list[Any] = list(content) if is_array(content) else []
    if answer.get("isError"):
        raise ToolExecutionError(
            _text(blocks) or "the MCP server says that the tool failed", tool_name=name
        )
    if "structuredContent" in answer:
        return answer["structuredContent"]
    if all(_is_text(block) for block in blocks):
        return _text(blocks)
    return blocks


def _is_text(block: object) -> bool:
    return is_mapping(block) and block.get("type") == "text"


def _text(blocks: list[Any]) -> str:
    return "\n".join(str(block.get("text", "")) for block in blocks if _is_text(block))
