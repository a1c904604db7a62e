"""What a tool is to a model and to a gate: data, and the answers a gate can give.

It lives in the core because the provider adapters describe tools to models, the
gate shows them to people, and neither may know the other. How a Python function
becomes a tool is told in :mod:`aistream_nb.tools`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

from aistream_nb.errors import TurnError

__all__ = [
    "ClientTool",
    "Decision",
    "Deny",
    "Gate",
    "GateRequest",
    "Proceed",
    "ToolAnnotations",
    "ToolChecking",
    "ToolSpec",
    "refuse_repeated_names",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnnotations:
    """MCP's hints about a tool. They guide people and gates; no model sees them.

    ``None`` means that the tool's author said nothing. The defaults that MCP
    defines for silence (a tool may destroy, may reach the network) are applied
    by who reads them, so that "unknown" can be shown as such.
    """

    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def to_wire(self) -> dict[str, Any]:
        """The hints in MCP's spelling, without those that are unknown.

        >>> ToolAnnotations(read_only=True).to_wire()
        {'readOnlyHint': True}
        """
        hints = {
            "title": self.title,
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }
        return {name: hint for name, hint in hints.items() if hint is not None}

    @classmethod
    def from_wire(cls, hints: Mapping[str, Any]) -> ToolAnnotations:
        """Read MCP's spelling; members of a wrong type count as unknown."""

        def flag(name: str) -> bool | None:
            value = hints.get(name)
            return value if isinstance(value, bool) else None

        title = hints.get("title")
        return cls(
            title=title if isinstance(title, str) else None,
            read_only=flag("readOnlyHint"),
            destructive=flag("destructiveHint"),
            idempotent=flag("idempotentHint"),
            open_world=flag("openWorldHint"),
        )


def _no_schema() -> dict[str, Any]:
    return {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What a model is told of a tool, and what a gate knows about it."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=_no_schema)
    """The JSON Schema of the arguments: always an object schema."""
    annotations: ToolAnnotations = field(default_factory=ToolAnnotations)

    def to_wire(self) -> dict[str, Any]:
        """The tool as AG-UI's run input lists it; annotations travel as metadata.

        >>> ToolSpec(name="f").to_wire()["metadata"]
        {'aistream': {'annotations': {}}}
        """
        return {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
            "metadata": {"aistream": {"annotations": self.annotations.to_wire()}},
        }


@runtime_checkable
class ClientTool(Protocol):
    """A tool that runs on our side of the wire."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description, schema and annotations."""
        ...

    def validate(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments as the tool will get them.

        Raises:
            ToolInputError: The arguments do not fit the schema.
        """
        ...

    async def execute(self, arguments: Mapping[str, Any]) -> object:
        """Run the tool with validated arguments; whatever it raises is a failure."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest:
    """One question to a gate: may this call run?"""

    tool: ToolSpec
    arguments: Mapping[str, Any]
    """The validated arguments, exactly as the tool would get them."""
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proceed:
    """Run the call."""

    arguments: Mapping[str, Any] | None = None
    """Arguments that replace the model's; they are validated again before they run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """Do not run the call, and tell the model why."""

    reason: str = ""


Decision: TypeAlias = Proceed | Deny
"""The only two answers of a gate. Anything else never runs the tool."""

Gate: TypeAlias = Callable[[GateRequest], Awaitable[Decision]]
"""Asked once for each call, one call after another; a failure ends the turn."""


@runtime_checkable
class ToolChecking(Protocol):
    """A gate that can say beforehand whether it fits the tools, as ours can."""

    def check_tools(self, tools: Iterable[ToolSpec]) -> None:
        """Look at all tools that it will be asked about.

        Raises:
            ValueError: It names a tool or an argument that is misspelt.
        """
        ...


def refuse_repeated_names(tools: Iterable[ClientTool]) -> None:
    """Refuse tools that a model could not tell apart.

    Raises:
        TurnError: Two of them have one name.
    """
    seen: set[str] = set()
    for tool in tools:
        name = tool.spec.name
        if name in seen:
            raise TurnError(
                f"two tools are called {name!r}, and a model tells tools apart by "
                "their names: give one of them another, with @tool(name=…)",
                tool_name=name,
            )
        seen.add(name)
