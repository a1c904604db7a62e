"""What a recording's header says of a model's options, and the options again.

Told is what shapes a request, or the order of what happens: without it a replay could
not say whether today's request is the recorded one. Keys, headers and connections are
not among these, and nothing here ever reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.providers.base import OutputSchema
from aistream_nb.providers.messages import WebSearch

__all__ = ["TOLD_OPTIONS", "read_options", "tell_options"]

TOLD_OPTIONS: Final = (
    "tier",
    "server_tools",
    "tool_conflict_policy",
    "temperature",
    "thinking",
    "max_tokens",
    "output_schema",
    "extra_body",
    "concurrent",
    "max_result_chars",
)
"""The names of what is told."""


def tell_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of ``options`` that are told, as JSON has them.

    >>> tell_options(
    ...     {"temperature": 0.2, "api_key": "k", "server_tools": ["web_search"]}
    ... )
    {'server_tools': ['web_search'], 'temperature': 0.2}
    """
    given = {name: options.get(name) for name in TOLD_OPTIONS}
    return {name: _told(name, one) for name, one in given.items() if one is not None}


def _told(name: str, value: Any) -> Any:
    if name == "server_tools" and is_array(value):
        return [_tool(tool) for tool in value]
    if isinstance(value, OutputSchema):
        return {"name": value.name, "schema": dict(value.schema)}
    if name == "output_schema":
        return {"schema": dict(value)}
    return value


def _tool(tool: Any) -> Any:
    return tool.to_wire() if isinstance(tool, WebSearch) else tool


def read_options(told: object) -> dict[str, Any]:
    """The options that were told; what nobody here knows is left out.

    >>> read_options({"temperature": 0.2, "colour": "blue"})
    {'temperature': 0.2}
    """
    if not is_mapping(told):
        return {}
    read = {name: told[name] for name in TOLD_OPTIONS if name in told}
    kept = read.pop("output_schema", None)
    if is_mapping(kept) and is_mapping(kept.get("schema")):
        named = {"name": str(kept["name"])} if "name" in kept else {}
        read["output_schema"] = OutputSchema(schema=kept["schema"], **named)
    if not is_array(read.get("server_tools", [])):
        del read["server_tools"]
    return read
