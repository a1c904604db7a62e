"""See, steer and test an agent's stream inside a notebook.

The everyday names are here; each is imported when it is first used, so that
``import aistream_nb`` costs next to nothing and a script never loads a widget.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aistream_nb import agui, export
    from aistream_nb.agui import AGUIAgent
    from aistream_nb.chat import Chat, Reply, Run
    from aistream_nb.conversation import Conversation, MessageModel, ToolCallModel
    from aistream_nb.core.ordering.report import OrderingReport
    from aistream_nb.core.ordering.verifier import OrderingVerifier, Violation
    from aistream_nb.core.processor.processor import StreamProcessor
    from aistream_nb.core.tool_spec import Deny, GateRequest, Proceed
    from aistream_nb.errors import AIStreamError
    from aistream_nb.gate import ApprovalGate, Rule
    from aistream_nb.inspector import Inspector
    from aistream_nb.player import Player
    from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT
    from aistream_nb.providers.turn import execute_client_tool_turn
    from aistream_nb.recording import Recording
    from aistream_nb.recording.check import check_ordering
    from aistream_nb.showing import show
    from aistream_nb.tools import Tool, tool
    from aistream_nb.tracker import ToolInvocationTracker

__all__ = [
    "OFFLINE_BOOKING_PROMPT",
    "OFFLINE_PROMPT",
    "AGUIAgent",
    "AIStreamError",
    "ApprovalGate",
    "Chat",
    "Conversation",
    "Deny",
    "GateRequest",
    "Inspector",
    "MessageModel",
    "OrderingReport",
    "OrderingVerifier",
    "Player",
    "Proceed",
    "Recording",
    "Reply",
    "Rule",
    "Run",
    "StreamProcessor",
    "Tool",
    "ToolCallModel",
    "ToolInvocationTracker",
    "Violation",
    "agui",
    "check_ordering",
    "execute_client_tool_turn",
    "export",
    "show",
    "tool",
]

__version__: str
"""Looked up when it is asked for: that costs more than all the rest of this file."""

_HOMES = {
    "OFFLINE_BOOKING_PROMPT": "aistream_nb.providers.offline",
    "OFFLINE_PROMPT": "aistream_nb.providers.offline",
    "AGUIAgent": "aistream_nb.agui",
    "AIStreamError": "aistream_nb.errors",
    "ApprovalGate": "aistream_nb.gate",
    "Chat": "aistream_nb.chat",
    "Conversation": "aistream_nb.conversation",
    "Deny": "aistream_nb.core.tool_spec",
    "GateRequest": "aistream_nb.core.tool_spec",
    "Inspector": "aistream_nb.inspector",
    "MessageModel": "aistream_nb.conversation",
    "OrderingReport": "aistream_nb.core.ordering.report",
    "OrderingVerifier": "aistream_nb.core.ordering.verifier",
    "Player": "aistream_nb.player",
    "Proceed": "aistream_nb.core.tool_spec",
    "Recording": "aistream_nb.recording",
    "Reply": "aistream_nb.chat",
    "Rule": "aistream_nb.gate",
    "Run": "aistream_nb.chat",
    "StreamProcessor": "aistream_nb.core.processor.processor",
    "Tool": "aistream_nb.tools",
    "ToolCallModel": "aistream_nb.conversation",
    "ToolInvocationTracker": "aistream_nb.tracker",
    "Violation": "aistream_nb.core.ordering.verifier",
    "check_ordering": "aistream_nb.recording.check",
    "execute_client_tool_turn": "aistream_nb.providers.turn",
    "show": "aistream_nb.showing",
    "tool": "aistream_nb.tools",
}


def __getattr__(name: str) -> Any:
    if name in {"agui", "export"}:
        return import_module(f"aistream_nb.{name}")
    home = _HOMES.get(name)
    if name == "__version__":
        value = import_module("importlib.metadata").version("aistream-nb")
    elif home is not None:
        value = getattr(import_module(home), name)
    else:
        raise AttributeError(f"module 'aistream_nb' has no attribute {name!r}")
    globals()[name] = value  # the next look finds it without this detour
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext aistream_nb``: the magics ``%%agent`` and its like."""
    import_module("aistream_nb.magics").load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext aistream_nb``."""
    import_module("aistream_nb.magics").unload(shell)
