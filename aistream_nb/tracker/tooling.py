"""What a tool can do for the tracker, found by its shape.

A tool is anything with ``stream_call`` or ``execute``: an object, a mapping, a
:class:`StreamingTool`, or one of our own tools
(:class:`~aistream_nb.core.tool_spec.ClientTool`), whose ``execute`` takes no context.
Only the presence of the two is looked at.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from aistream_nb.core.json_text import UnencodableError, encode_json
from aistream_nb.core.tool_spec import ClientTool, ToolSpec
from aistream_nb.core.values import is_mapping

__all__ = [
    "StreamingTool",
    "ToolParts",
    "Tools",
    "finished",
    "parts_of",
    "validation_text",
]

Tools: TypeAlias = Mapping[str, Any] | Callable[[], Mapping[str, Any] | None] | None
"""The tools by name, or a function that gives them, asked each time anew."""

Ability: TypeAlias = Callable[..., Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamingTool:
    """A tool for the tracker, when no object of your own is at hand.

    >>> tool = StreamingTool(execute=lambda args, context: args["n"] + 1)
    >>> parts_of(tool).executable
    True
    """

    stream_call: Ability = None
    """``stream_call(reader, context)``: sees the arguments while they arrive."""
    execute: Ability = None
    """``execute(arguments, context)``: runs once the arguments are complete."""
    parameters: Any = None
    """Something with ``validate(arguments)`` or ``model_validate(arguments)``."""
    on_schema_validation_error: Ability = None
    """``f(arguments, context)``: its value is the result if validation fails."""
    to_model_output: Ability = None
    """``f(tool_call_id=…, input=…, output=…)``: what the model is told instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolParts:
    """The abilities of one tool at one moment."""

    stream_call: Ability = None
    execute: Ability = None
    validate: Ability = None
    on_schema_validation_error: Ability = None
    to_model_output: Ability = None
    spec: ToolSpec | None = None

    @property
    def executable(self) -> bool:
        """Whether there is anything to call."""
        return self.stream_call is not None or self.execute is not None


def parts_of(tool: object) -> ToolParts:
    """The abilities of ``tool``; none at all for ``None``."""
    if isinstance(tool, ClientTool):
        return ToolParts(
            stream_call=_ability(tool, "stream_call"),
            execute=_without_context(tool),
            validate=tool.validate,
            to_model_output=_ability(tool, "to_model_output"),
            spec=tool.spec,
        )
    return ToolParts(
        stream_call=_ability(tool, "stream_call"),
        execute=_ability(tool, "execute"),
        validate=_ability(tool, "validate") or _schema(_member(tool, "parameters")),
        on_schema_validation_error=_ability(tool, "on_schema_validation_error"),
        to_model_output=_ability(tool, "to_model_output"),
    )


def _without_context(tool: ClientTool) -> Callable[..., Any]:
    def execute(arguments: Mapping[str, Any], _context: object) -> Any:
        return tool.execute(arguments)

    return execute


def _member(tool: object, name: str) -> Any:
    return tool.get(name) if is_mapping(tool) else getattr(tool, name, None)


def _ability(tool: object, name: str) -> Ability:
    member = _member(tool, name)
    return member if callable(member) else None


def _schema(parameters: object) -> Ability:
    # pydantic's classes have a retired `validate` too, which warns.
    return _ability(parameters, "model_validate") or _ability(parameters, "validate")


async def finished(value: Any) -> Any:
    """``value``, awaited if it can be."""
    return await value if inspect.isawaitable(value) else value


def validation_text(error: Exception) -> str:
    """What the model is told when its arguments do not fit; no argument is quoted."""
    return f"Function parameter validation failed. {_issues(error)}"


def _issues(error: Exception) -> str:
    errors = getattr(error, "errors", None)
    if not callable(errors):
        return str(error)
    try:
        found: Any = errors()
        return encode_json(
            [{"path": list(one["loc"]), "message": one["msg"]} for one in found]
        )
    except (TypeError, KeyError, UnencodableError):
        return str(error)
