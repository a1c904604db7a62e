"""Tools: functions that a model may call.

``@tool`` makes one of a function, ``Tool.from_schema`` of a function and a JSON
schema, ``mcp_tools`` of whatever an MCP server offers. All of them satisfy
:class:`aistream_nb.core.tool_spec.ClientTool`. Whether a call may run is not decided
here but by a gate.
"""

from __future__ import annotations

from aistream_nb.tools.arguments import CheckedArguments
from aistream_nb.tools.decorator import as_tools, tool
from aistream_nb.tools.function_tool import Tool
from aistream_nb.tools.mcp import MCPSession, mcp_tools

__all__ = [
    "CheckedArguments",
    "MCPSession",
    "Tool",
    "as_tools",
    "mcp_tools",
    "tool",
]
